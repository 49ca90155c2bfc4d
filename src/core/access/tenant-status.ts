/** Requests with keys of a disabled tenant are refused. */
export type TenantStatus = 'active' | 'disabled'
