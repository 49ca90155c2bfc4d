import { tombstoneAt } from '../../../core/commit/idempotency.ts'
import { foldName } from '../../../core/people/spelling.ts'
import { deleteUnsharedChunks } from '../../sql/compaction-rows.ts'
import { fenceColumns } from '../../sql/forget-rows.ts'
import type { PreparePart } from './part.ts'

export const forgetting: PreparePart = (db) => {
  const addFence = db.prepare(`
    insert into fence (tenant_id, ${fenceColumns})
    values (?, ?, ?, ?, ?, ?, ?)
        on conflict (tenant_id, forget_id, kind, value, from_sequence) do update
       set to_sequence = max(to_sequence, excluded.to_sequence)`)
  const removeFence = db.prepare('delete from fence where tenant_id = ? and forget_id = ?')
  const eraseSource = db.prepare(`
    update source_event
       set event_id = case when service is null then null else ? end, subject = '', agent_id = null,
           observed_at = received_at, payload_hash = '', salt = '', actor = '', request_id = '', scope = null,
           evidence = null, metadata = '{}', messages = null, erased_at = ?
     where tenant_id = ?
       and source_event_id = ?`)
  const removeOutcome = db.prepare('delete from idempotency where tenant_id = ? and key = ?')
  const addTombstone = db.prepare(`
    insert or replace into idempotency (tenant_id, key, digest, outcome, created_at)
    values (?, ?, ?, ?, ?)`)
  const removeCompaction = db.prepare('delete from compaction where tenant_id = ? and compaction_id = ?')
  const removeChunks = db.prepare(deleteUnsharedChunks(':tenantId', (column) => `${column} = :compactionId`))
  const removeLineage = db.prepare('delete from compaction_source where tenant_id = ? and compaction_id = ?')
  const removeSpelling = db.prepare(
    'delete from person_spelling where tenant_id = ? and folded = ? and spelling = ? and last_position <= ?',
  )
  const setRefs = db.prepare('update audit set refs = ? where tenant_id = ? and position = ?')
  return {
    state: () => ({}),

    save(tenantId, { forgetting: { fences, sources, outcomes, auditRefs, compactions, spellings, at: erasedAt } }, at) {
      for (const { forgetId, added, isRemoved } of fences) {
        if (isRemoved) removeFence.run(tenantId, forgetId)
        for (const { kind, value, fromSequence, toSequence, position } of added)
          addFence.run(tenantId, forgetId, kind, value, fromSequence, toSequence, position)
      }
      for (const { sourceEventId, tombstone } of sources) eraseSource.run(tombstone, erasedAt, tenantId, sourceEventId)
      for (const id of compactions) {
        removeChunks.run({ tenantId, compactionId: id })
        removeLineage.run(tenantId, id)
        removeCompaction.run(tenantId, id)
      }
      const { digest, outcome, createdAt } = tombstoneAt(at)
      for (const { key, tombstone } of outcomes) {
        removeOutcome.run(tenantId, key)
        if (tombstone !== null) addTombstone.run(tenantId, tombstone, digest, JSON.stringify(outcome), createdAt)
      }
      for (const { spelling, upTo } of spellings) removeSpelling.run(tenantId, foldName(spelling), spelling, upTo)
      for (const { position, refs } of auditRefs) setRefs.run(JSON.stringify(refs), tenantId, position)
    },
  }
}
