import type { Database } from 'better-sqlite3'
import type { Compaction, SealedCompaction } from '../../core/compaction/compaction.ts'
import type { CompactionStore } from '../../ports/compaction-store.ts'
import { type CompactionSourceRow, compactionRows } from '../sql/compaction-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { afterEveryId } from '../sql/run-rows.ts'

/** Compactions as the committer needs them: inside a transaction that is already open. */
export type CompactionTable = ReturnType<typeof createCompactionTable>

const selectOne = `
  select ${compactionRows.columns}
    from compaction
   where tenant_id = ?
     and compaction_id = ?`

export function createCompactionTable(db: Database) {
  const one = db.prepare(selectOne)
  const save = db.prepare(`
    insert into compaction (tenant_id, ${compactionRows.columns})
    values (:tenantId, ${compactionRows.columns.replace(/\w+/g, ':$&')})
        on conflict (tenant_id, compaction_id) do update
       set status = excluded.status, undone_position = excluded.undone_position, undone_at = excluded.undone_at`)
  const insertSource = db.prepare(`
    insert into compaction_source (tenant_id, compaction_id, ordinal, entry_id, version)
    values (?, ?, ?, ?, ?)`)
  return {
    load(tenantId: string, compactionId: string): Compaction | undefined {
      const row = one.get(tenantId, compactionId) as Row | undefined
      return row && compactionRows.fromRow(row)
    },
    save(tenantId: string, { compaction, sources }: SealedCompaction): void {
      save.run({ tenantId, ...compactionRows.toRow(compaction) })
      sources.forEach(({ entryId, version }, ordinal) => {
        insertSource.run(tenantId, compaction.compactionId, ordinal, entryId, version)
      })
    },
  }
}

export function createCompactionStore(db: Database, answer: <T>(work: () => T) => Promise<T>): CompactionStore {
  const one = db.prepare(selectOne)
  const all = db.prepare(`
    select ${compactionRows.columns}
      from compaction
     where tenant_id = :tenantId
       and compaction_id < :after
     order by compaction_id desc
     limit :limit`)
  const ofRef = db.prepare(`
    select ${compactionRows.columns}
      from compaction
     where tenant_id = :tenantId
       and memory_ref = :memoryRef
       and compaction_id < :after
     order by compaction_id desc
     limit :limit`)
  const sources = db.prepare(`
    select entry_id, version
      from compaction_source
     where tenant_id = ?
       and compaction_id = ?
     order by ordinal`)
  const derived = db.prepare(`
    select ${compactionRows.columns}
      from compaction
     where tenant_id = :tenantId
       and compaction_id in (
         select compaction_id
           from compaction_source
          where tenant_id = :tenantId
            and entry_id in (select value from json_each(:entryIds)))
     order by compaction_id`)
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
        (sources.all(tenantId, compactionId) as CompactionSourceRow[]).map(({ entry_id, version }) => ({
          entryId: entry_id,
          version,
        })),
      ),
    derivedFrom: (tenantId, entryIds) =>
      answer(() => compactions(derived.all({ tenantId, entryIds: JSON.stringify(entryIds) }))),
  }
}
