import type { Database } from 'better-sqlite3'
import type { SourceEventPartState } from '../../../core/commit/parts/source-events.ts'
import { sourceEventRows, sourceRewriteRows } from '../../sql/provenance-rows.ts'
import { eventNotFenced } from '../fence.ts'
import type { PreparePart } from './part.ts'

export const sourceEvents: PreparePart<SourceEventPartState> = (db) => {
  const sql = prepare(db)
  return {
    state: (tenantId) => ({
      hasSourceEvent: (service, eventId) => sql.named.get(tenantId, service, eventId) !== undefined,
      isSourceForgotten: (sourceEventId) => sql.isThere.get({ tenantId, sourceEventId }) === undefined,
    }),

    save(tenantId, rows) {
      for (const event of rows.sourceEvents) sql.insertEvent.run(tenantId, sourceEventRows.toValues(event))
      for (const id of rows.payloadsRedacted) sql.redactPayload.run(tenantId, id)
      for (const event of rows.sourceRewrites) sql.rewriteEvent.run({ tenantId, ...sourceRewriteRows.toRow(event) })
    },
  }
}

function prepare(db: Database) {
  return {
    isThere: db.prepare(`
      select 1
        from source_event
       where tenant_id = :tenantId
         and source_event_id = :sourceEventId
         and erased_at is null
         and ${eventNotFenced('source_event')}`),
    named: db.prepare('select 1 from source_event where tenant_id = ? and service = ? and event_id = ?'),
    insertEvent: db.prepare(`
      insert into source_event (tenant_id, ${sourceEventRows.columns})
      values (?, ${sourceEventRows.columns.replace(/\w+/g, '?')})`),
    redactPayload: db.prepare('update source_event set messages = null where tenant_id = ? and source_event_id = ?'),
    rewriteEvent: db.prepare(`
      update source_event
         set salt = :salt, is_hash_private = :is_hash_private, readers = :readers, scope = :scope, evidence = :evidence, metadata = :metadata, messages = :messages
       where tenant_id = :tenantId
         and source_event_id = :source_event_id
         and erased_at is null`),
  }
}
