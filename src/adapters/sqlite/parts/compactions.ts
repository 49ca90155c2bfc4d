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
  const insertSource = db.prepare(`
    insert into compaction_source (tenant_id, compaction_id, ordinal, entry_id, version)
    values (?, ?, ?, ?, ?)`)
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
        sources.forEach(({ entryId, version }, ordinal) => {
          insertSource.run(tenantId, compaction.compactionId, ordinal, entryId, version)
        })
      }
    },
  }
}
