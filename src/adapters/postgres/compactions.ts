import type { SealedCompaction } from '../../core/compaction/compaction.ts'
import type { CompactionStore } from '../../ports/compaction-store.ts'
import { type CompactionSourceRow, compactionRows } from '../sql/compaction-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { afterEveryId } from '../sql/run-rows.ts'
import { type Queryable, query, type Send, statement } from './connection.ts'

/** Writes compactions inside a transaction; of one that changed several times in the group, the last state is stored. */
export function saveCompactions(send: Send, tenantId: string, sealed: readonly SealedCompaction[]): Promise<unknown>[] {
  if (sealed.length === 0) return []
  const last = new Map(sealed.map(({ compaction }) => [compaction.compactionId, compactionRows.toRow(compaction)]))
  const sources = sealed.flatMap(({ compaction, sources }) =>
    sources.map(({ entryId, version }, ordinal) => ({
      compaction_id: compaction.compactionId,
      ordinal,
      entry_id: entryId,
      version,
    })),
  )
  return [
    send(sql.save, [tenantId, JSON.stringify([...last.values()])]),
    ...(sources.length === 0 ? [] : [send(sql.insertSources, [tenantId, JSON.stringify(sources)])]),
  ]
}

export function createCompactionStore(pool: Queryable): CompactionStore {
  return {
    async get(tenantId, compactionId) {
      const [row] = await query<Row>(pool, selectCompactions, [tenantId, [compactionId]])
      return row ? compactionRows.fromRow(row) : null
    },
    async list({ tenantId, memoryRef, after, limit }) {
      const page = [tenantId, after ?? afterEveryId, limit]
      const rows =
        memoryRef === null ? query<Row>(pool, sql.all, page) : query<Row>(pool, sql.ofRef, [...page, memoryRef])
      return (await rows).map(compactionRows.fromRow)
    },
    async sources(tenantId, compactionId) {
      const rows = await query<CompactionSourceRow>(pool, sql.sources, [tenantId, compactionId])
      return rows.map(({ entry_id, version }) => ({ entryId: entry_id, version }))
    },
    async derivedFrom(tenantId, entryIds) {
      return (await query<Row>(pool, sql.derived, [tenantId, entryIds])).map(compactionRows.fromRow)
    },
  }
}

export const selectCompactions = statement(
  'select_compactions',
  `select ${compactionRows.columns}
     from compaction
    where tenant_id = $1
      and compaction_id = any($2)`,
)

const sql = {
  save: statement(
    'save_compactions',
    `insert into compaction (tenant_id, ${compactionRows.columns})
     select $1, ${compactionRows.columns}
       from json_to_recordset($2::json) as r (${compactionRows.types})
         on conflict (tenant_id, compaction_id) do update
        set status = excluded.status, undone_position = excluded.undone_position, undone_at = excluded.undone_at`,
  ),
  insertSources: statement(
    'insert_compaction_sources',
    `insert into compaction_source (tenant_id, compaction_id, ordinal, entry_id, version)
     select $1, compaction_id, ordinal, entry_id, version
       from json_to_recordset($2::json) as r (compaction_id text, ordinal bigint, entry_id text, version bigint)`,
  ),
  all: statement(
    'list_compactions',
    `select ${compactionRows.columns}
       from compaction
      where tenant_id = $1
        and compaction_id < $2
      order by compaction_id desc
      limit $3`,
  ),
  ofRef: statement(
    'list_compactions_of_ref',
    `select ${compactionRows.columns}
       from compaction
      where tenant_id = $1
        and memory_ref = $4
        and compaction_id < $2
      order by compaction_id desc
      limit $3`,
  ),
  sources: statement(
    'compaction_sources',
    `select entry_id, version
       from compaction_source
      where tenant_id = $1
        and compaction_id = $2
      order by ordinal`,
  ),
  derived: statement(
    'compactions_derived_from',
    `select ${compactionRows.columns}
       from compaction
      where tenant_id = $1
        and compaction_id in (
          select compaction_id
            from compaction_source
           where tenant_id = $1
             and entry_id = any($2))
      order by compaction_id`,
  ),
}
