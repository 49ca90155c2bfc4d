import type { ModelPart } from './part.ts'

export const tenantStatus: ModelPart = {
  state: () => ({}),

  save(tenant, rows) {
    if (rows.tenantStatus !== null) tenant.status = rows.tenantStatus
  },
}
