import type { PreparePart } from './part.ts'

export const tenantStatus: PreparePart = (db) => {
  const set = db.prepare('update tenant set status = ? where tenant_id = ?')
  return {
    state: () => ({}),

    save(tenantId, rows) {
      if (rows.tenantStatus !== null) set.run(rows.tenantStatus, tenantId)
    },
  }
}
