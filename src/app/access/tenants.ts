import { scopes } from '../../core/access/scopes.ts'
import { toInstant } from '../../core/check.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { checkTenantId } from '../../core/names.ts'
import type { TenantStatus } from '../../ports/storage.ts'
import type { WriteOptions } from '../commit.ts'
import type { Engine } from '../engine.ts'
import { type NewKey, repeatNewKey, storeNewKey } from './keys.ts'

export type TenantView = { readonly id: string; readonly status: TenantStatus; readonly createdAt: string }

/**
 * Creates a tenant and its first key, which has every scope and is returned once. A record with `expects: 0` makes one of several
 * concurrent calls for the same id succeed.
 */
export async function createTenant(
  engine: Engine,
  tenantId: string,
  options: WriteOptions = {},
): Promise<TenantView & { readonly key: NewKey }> {
  checkTenantId(tenantId)
  const tenant = engine.tenant(tenantId)
  const made = {
    kind: 'settings',
    id: 'created',
    body: { text: {}, facts: { by: 'operator' }, sealed: {} },
    expects: 0,
  } as const
  const write = { ...options, actor: 'operator', call: { operation: 'tenants.create', tenantId } }
  const parts = { name: 'first key', scopes, expiresAt: null }
  const exists = (await tenant.storage.tenant(tenantId)) !== null
  try {
    const key = exists
      ? await repeatNewKey(tenant, write, alreadyExists())
      : await storeNewKey(tenant, parts, [made], write)
    return { ...(await findTenant(engine, tenantId)), key }
  } catch (error) {
    throw isColophonError(error, 'version_conflict') ? alreadyExists() : error
  }
}

function alreadyExists(): ColophonError {
  return new ColophonError('already_exists', 'There is a tenant with this id already.')
}

/** Lists tenants ordered by id. */
export async function listTenants(
  engine: Engine,
  query: { after: string | null; limit: number },
): Promise<TenantView[]> {
  const tenants = await engine.storage.tenants(query)
  return tenants.map(({ tenantId, status, createdAt }) => ({ id: tenantId, status, createdAt: toInstant(createdAt) }))
}

/** Enables or disables a tenant. A disabled tenant keeps its data, and requests with its keys are refused. */
export async function setTenantStatus(engine: Engine, tenantId: string, status: TenantStatus): Promise<TenantView> {
  const known = typeof tenantId === 'string' && (await engine.storage.setTenantStatus(tenantId, status))
  engine.credentials.invalidate(tenantId)
  if (!known) throw new ColophonError('not_found', 'There is no tenant with this id.')
  return findTenant(engine, tenantId)
}

async function findTenant(engine: Engine, tenantId: string): Promise<TenantView> {
  const tenant = await engine.storage.tenant(tenantId)
  if (tenant === null) throw new ColophonError('not_found', 'There is no tenant with this id.')
  return { id: tenant.tenantId, status: tenant.status, createdAt: toInstant(tenant.createdAt) }
}
