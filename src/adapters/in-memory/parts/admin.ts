import { adminKeyOf } from '../../../core/admin.ts'
import type { AdminPartState } from '../../../core/commit/parts/admin.ts'
import type { ModelPart } from './part.ts'

export const admin: ModelPart<AdminPartState> = {
  state: (tenant) => ({ revision: (key) => tenant.records.get(adminKeyOf(key))?.revision ?? 0 }),

  save(tenant, rows) {
    for (const change of rows.admin) {
      if (change.record) tenant.records.set(adminKeyOf(change), change.record)
      else tenant.records.delete(adminKeyOf(change))
    }
  },
}
