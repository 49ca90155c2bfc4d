import type { CompactionSource, SealedCompaction } from '../../core/compaction/compaction.ts'
import { toLineage } from '../../core/compaction/lineage-chunks.ts'
import type { CompactionStore } from '../../ports/compaction-store.ts'
import { type CompactionSourceRow, compactionRows, selectDerived, selectSources } from '../sql/compaction-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { afterEveryId } from '../sql/run-rows.ts'
import { type Queryable, query, type Send, statement, tenantOfCall } from './connection.ts'

/** Writes compactions inside a transaction; of one that changed several times in the group, the last state is stored. */
export function saveCompactions(send: Send, tenantId: string, sealed: readonly SealedCompaction[]): Promise<unknown>[] {
  if (sealed.length === 0) return []
  const last = new Map(sealed.map(({ compaction }) => [compaction.compactionId, compactionRows.toRow(compaction)]))
  const owners = sealed.flatMap((step) => {
    const { own, chunks } = toLineage(step)
    const shared = chunks.map(({ chunkId, sources }) => toOwner(chunkId, sources))
    return own.length === 0 ? shared : [...shared, toOwner(step.compaction.compactionId, own)]
  })
  return [
    send(sql.save, [tenantId, JSON.stringify([...last.values()])]),
    ...(owners.length === 0 ? [] : [send(sql.insertSources, [tenantId, JSON.stringify(owners)])]),
  ]
}

/** A compaction or a chunk with its sources. */
function toOwner(id: string, sources: readonly CompactionSource[]) {
  return { id, sources: sources.map(({ entryId, version }) => [entryId, version]) }
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
     select c.tenant_id, ${compactionRows.columns}
       from ${tenantOfCall}, json_to_recordset($2::json) as r (${compactionRows.types})
         on conflict (tenant_id, compaction_id) do update
        set status = excluded.status, undone_position = excluded.undone_position, undone_at = excluded.undone_at`,
  ),
  // A chunk that is stored already is left as it is.
  insertSources: statement(
    'insert_compaction_sources',
    `insert into compaction_source (tenant_id, compaction_id, ordinal, entry_id, version)
     select distinct on (c.tenant_id, owner.id, source.nth) c.tenant_id, owner.id, source.nth - 1, source.pair ->> 0, (source.pair ->> 1)::bigint
       from ${tenantOfCall}
      cross join json_to_recordset($2::json) as owner (id text, sources json)
      cross join lateral json_array_elements(owner.sources) with ordinality as source (pair, nth)
      where not exists (
        select 1
          from compaction_source stored
         where stored.tenant_id = $1
           and stored.compaction_id = owner.id)
      order by c.tenant_id, owner.id, source.nth`,
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
  sources: statement('compaction_sources', selectSources('$1', '$2')),
  derived: statement(
    'compactions_derived_from',
    selectDerived('$1', (column) => `${column} = any($2)`),
  ),
}
