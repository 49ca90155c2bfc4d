import type { CompactionPartState } from '../../../core/commit/parts/compactions.ts'
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
  // One statement: a distillation has up to 10,000 sources.
  const insertSources = db.prepare(`
    insert into compaction_source (tenant_id, compaction_id, ordinal, entry_id, version)
    select :tenantId, :compactionId, key, value ->> 0, value ->> 1
      from json_each(:sources)`)
  return {
    state: (tenantId) => ({
      compaction: (compactionId) => {
        const row = select.get(tenantId, compactionId) as Row | undefined
        return row && compactionRows.fromRow(row)
      },
    }),

    save(tenantId, rows) {
      for (const { compaction, sources } of rows.compactions) {
        save.run({ tenantId, ...compactionRows.toRow(compaction) })
        if (sources.length === 0) continue
        const pairs = JSON.stringify(sources.map(({ entryId, version }) => [entryId, version]))
        insertSources.run({ tenantId, compactionId: compaction.compactionId, sources: pairs })
      }
    },
  }
}
