import { toInstant } from '../core/check.ts'
import { ColophonError } from '../core/errors.ts'
import { checkTenantId } from '../core/names.ts'
import { scopes } from '../core/scopes.ts'
import type { TenantStatus } from '../ports/storage.ts'
import type { Deps } from './deps.ts'
import { createKey, type NewKey } from './keys.ts'

export type TenantView = { readonly id: string; readonly status: TenantStatus; readonly createdAt: string }

/** Makes a tenant and its first key, which may do everything and is shown once. */
export async function createTenant(deps: Deps, tenantId: string): Promise<TenantView & { readonly key: NewKey }> {
  checkTenantId(tenantId)
  if ((await deps.storage.tenant(tenantId)) !== null) {
    throw new ColophonError('already_exists', 'There is a tenant with this id already.')
  }
  const key = await createKey(deps, tenantId, { name: 'first key', scopes }, { actor: 'operator' })
  return { ...(await findTenant(deps, tenantId)), key }
}

export async function listTenants(deps: Deps, query: { after: string | null; limit: number }): Promise<TenantView[]> {
  const tenants = await deps.storage.tenants(query)
  return tenants.map(({ tenantId, status, createdAt }) => ({ id: tenantId, status, createdAt: toInstant(createdAt) }))
}

/** A disabled tenant keeps everything, but its keys open nothing. */
export async function setTenantStatus(deps: Deps, tenantId: string, status: TenantStatus): Promise<TenantView> {
  const known = typeof tenantId === 'string' && (await deps.storage.setTenantStatus(tenantId, status))
  if (!known) throw new ColophonError('not_found', 'There is no tenant with this id.')
  return findTenant(deps, tenantId)
}

async function findTenant(deps: Deps, tenantId: string): Promise<TenantView> {
  const tenant = await deps.storage.tenant(tenantId)
  if (tenant === null) throw new ColophonError('not_found', 'There is no tenant with this id.')
  return { id: tenant.tenantId, status: tenant.status, createdAt: toInstant(tenant.createdAt) }
}
