import Database from 'better-sqlite3'
import type { StorageSnapshot } from '../../ports/database-snapshot.ts'
import { sourceEventRows, toSourceEvent } from '../sql/provenance-rows.ts'
import { createAdminStore } from './admin.ts'
import { createCompactionStore } from './compactions.ts'
import { countInSteps } from './count-in-steps.ts'
import { claimNotFenced, eventNotFenced, notFenced } from './fence.ts'
import { createProvenanceStore, firstEvents } from './provenance.ts'
import { createReader } from './read.ts'
import { schemaDifferences } from './schema.ts'
import { createStoredRows } from './stored-rows.ts'

/** A connection of its own with a read transaction that stays open: the log keeps what it needs until it is closed. */
export function openSnapshot(path: string, answer: <T>(work: () => T) => Promise<T>): StorageSnapshot {
  const db = new Database(path, { readonly: true, timeout: 2_000 })
  db.pragma('temp_store = memory')
  db.exec('begin')
  // The moment is that of the first read.
  db.prepare('select count(*) from tenant').get()
  const read = createReader(db)
  const provenance = createProvenanceStore(db, answer)
  const compactions = createCompactionStore(db, answer)
  const { records, tenant } = createAdminStore(db, db, answer)
  const events = db.prepare(`
    select ${sourceEventRows.columns}, 0 as is_erased, 0 as is_held_up
      from source_event
     where tenant_id = :tenantId
       and (:about is null or subject = :about)
       and source_event_id > :after
       and erased_at is null
       and ${eventNotFenced('source_event')}
     order by source_event_id
     limit +:limit`)
  const counts = {
    versions: countInSteps(db, {
      table: 'entry_version',
      // By id, each row would be in another place of the file.
      key: 'recorded_position',
      before: -1,
      condition: `${notFenced('entry_version')}
               and (:memoryRef is null or memory_ref = :memoryRef) and (:subject is null or subject = :subject)`,
    }),
    sourceEvents: countInSteps(db, {
      table: 'source_event',
      key: 'source_event_id',
      before: '',
      condition: `erased_at is null
               and ${eventNotFenced('source_event')} and (:about is null or subject = :about)`,
    }),
    claims: countInSteps(db, {
      table: 'claim',
      key: 'claim_id',
      before: '',
      condition: `${claimNotFenced('claim')} and (:about is null or subject = :about)`,
    }),
    compactions: countInSteps(db, {
      table: 'compaction',
      key: 'compaction_id',
      before: '',
      condition: '(:memoryRef is null or memory_ref = :memoryRef)',
    }),
  }

  return {
    tenant,
    clock: (tenantId) => answer(() => read.clock(tenantId)),
    scanVersions: (query) => answer(() => read.scanVersions(query)),
    audit: (query) => answer(() => read.audit(query)),
    records,
    rows: createStoredRows(db, answer),
    schemaDifferences: () => answer(() => schemaDifferences(db)),
    claims: provenance.claims,
    assertions: provenance.assertions,
    assertionsOfClaims: provenance.assertionsOfClaims,
    compactions: compactions.list,
    compactionSources: compactions.sources,
    sourceEvents: ({ after, ...query }) =>
      answer(() => firstEvents(events.iterate({ ...query, after: after ?? '' })).map(toSourceEvent)),
    async counts(tenantId, scope) {
      const query = { tenantId, ...scope }
      return {
        versions: await counts.versions(query),
        sourceEvents: await counts.sourceEvents(query),
        claims: await counts.claims(query),
        compactions: await counts.compactions(query),
      }
    },
    async close() {
      db.close()
    },
  }
}
