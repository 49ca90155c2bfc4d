import type { CompactionPartState } from '../../../core/commit/parts/compactions.ts'
import type { CompactionSource } from '../../../core/compaction/compaction.ts'
import { toLineage } from '../../../core/compaction/lineage-chunks.ts'
import { compactionRows } from '../../sql/compaction-rows.ts'
import type { Row } from '../../sql/row-codec.ts'
import { selectCompaction } from '../compactions.ts'
import type { PreparePart } from './part.ts'

export const compactions: PreparePart<CompactionPartState> = (db) => {
  const select = db.prepare(selectCompaction)
  const save = db.prepare(`
    insert into compaction (tenant_id, ${compactionRows.columns})
    values (:tenantId, ${compactionRows.columns.replace(/\w+/g, ':$&')})
        on conflict (tenant_id, compaction_id) do update
       set status = excluded.status, undone_position = excluded.undone_position, undone_at = excluded.undone_at`)
  const insertSources = db.prepare(`
    insert into compaction_source (tenant_id, compaction_id, ordinal, entry_id, version)
    select :tenantId, :ownerId, key, value ->> 0, value ->> 1
      from json_each(:sources)`)
  const isStored = db.prepare('select 1 from compaction_source where tenant_id = ? and compaction_id = ? limit 1')
  /** The sources of a compaction or of a chunk. */
  const saveSources = (tenantId: string, ownerId: string, sources: readonly CompactionSource[]) => {
    const pairs = JSON.stringify(sources.map(({ entryId, version }) => [entryId, version]))
    insertSources.run({ tenantId, ownerId, sources: pairs })
  }
  return {
    state: (tenantId) => ({
      compaction: (compactionId) => {
        const row = select.get(tenantId, compactionId) as Row | undefined
        return row && compactionRows.fromRow(row)
      },
    }),

    save(tenantId, rows) {
      for (const sealed of rows.compactions) {
        const { compaction, sources } = sealed
        save.run({ tenantId, ...compactionRows.toRow(compaction) })
        if (sources.length === 0) continue
        const { own, chunks } = toLineage(sealed)
        for (const chunk of chunks)
          if (!isStored.get(tenantId, chunk.chunkId)) saveSources(tenantId, chunk.chunkId, chunk.sources)
        saveSources(tenantId, compaction.compactionId, own)
      }
    },
  }
}
