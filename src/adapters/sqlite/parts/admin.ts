import type { AdminPartState } from '../../../core/commit/parts/admin.ts'
import { adminRows } from '../../sql/rows.ts'
import type { PreparePart } from './part.ts'

export const admin: PreparePart<AdminPartState> = (db) => {
  const revision = db.prepare('select revision from admin_record where tenant_id = ? and kind = ? and id = ?').pluck()
  const put = db.prepare(`
    insert into admin_record (tenant_id, ${adminRows.columns})
    values (?, ?, ?, ?, ?, ?)
        on conflict (tenant_id, kind, id) do update
       set revision = excluded.revision, body = excluded.body, updated_at = excluded.updated_at`)
  const remove = db.prepare('delete from admin_record where tenant_id = ? and kind = ? and id = ?')
  return {
    state: (tenantId) => ({
      revision: ({ kind, id }) => (revision.get(tenantId, kind, id) as number | undefined) ?? 0,
    }),

    save(tenantId, rows) {
      for (const { kind, id, record } of rows.admin) {
        if (record === null) remove.run(tenantId, kind, id)
        else put.run(tenantId, kind, id, record.revision, JSON.stringify(record.body), record.updatedAt)
      }
    },
  }
}
