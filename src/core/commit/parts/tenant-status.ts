import type { TenantStatus } from '../../access/tenant-status.ts'
import type { BatchPart } from './part.ts'

export type TenantStatusMembers = {
  /** What the operator makes of the tenant; null keeps its status. */
  readonly tenantStatus: TenantStatus | null
}

/** The status of the tenant. It is stored beside the tenant, where every request looks for it, and recorded like any other change. */
export const tenantStatus: BatchPart<TenantStatusMembers, TenantStatusMembers> = {
  members: ['tenantStatus'],
  none: { tenantStatus: null },
  noRows: { tenantStatus: null },
  seal: ({ tenantStatus }) => ({ tenantStatus }),
  takesPosition: ({ tenantStatus }) => tenantStatus !== null,
  audit: ({ tenantStatus }) => (tenantStatus === null ? {} : { tenantStatus }),
}
