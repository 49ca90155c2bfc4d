import type { Database } from 'better-sqlite3'
import type { CompactionStore } from '../../ports/compaction-store.ts'
import { type CompactionSourceRow, compactionRows, selectDerived, selectSources } from '../sql/compaction-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { afterEveryId } from '../sql/run-rows.ts'

export const selectCompaction = `
  select ${compactionRows.columns}
    from compaction
   where tenant_id = ?
     and compaction_id = ?`

export function createCompactionStore(db: Database, answer: <T>(work: () => T) => Promise<T>): CompactionStore {
  const one = db.prepare(selectCompaction)
  const all = db.prepare(`
    select ${compactionRows.columns}
      from compaction
     where tenant_id = :tenantId
       and compaction_id < :after
     order by compaction_id desc
     limit +:limit`)
  const ofRef = db.prepare(`
    select ${compactionRows.columns}
      from compaction
     where tenant_id = :tenantId
       and memory_ref = :memoryRef
       and compaction_id < :after
     order by compaction_id desc
     limit +:limit`)
  const sources = db.prepare(selectSources(':tenantId', ':compactionId'))
  const derived = db.prepare(
    selectDerived(':tenantId', (column) => `${column} in (select value from json_each(:entryIds))`),
  )
  const compactions = (rows: unknown[]) => (rows as Row[]).map(compactionRows.fromRow)
  return {
    get: (tenantId, compactionId) => answer(() => compactions(one.all(tenantId, compactionId))[0] ?? null),
    list: ({ memoryRef, after, ...query }) =>
      answer(() => {
        const page = { ...query, after: after ?? afterEveryId }
        return compactions(memoryRef === null ? all.all(page) : ofRef.all({ ...page, memoryRef }))
      }),
    sources: (tenantId, compactionId) =>
      answer(() =>
        (sources.all({ tenantId, compactionId }) as CompactionSourceRow[]).map(({ entry_id, version }) => ({
          entryId: entry_id,
          version,
        })),
      ),
    derivedFrom: (tenantId, entryIds) =>
      answer(() => compactions(derived.all({ tenantId, entryIds: JSON.stringify(entryIds) }))),
  }
}
