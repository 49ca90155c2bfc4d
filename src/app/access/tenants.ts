import { scopes } from '../../core/access/scopes.ts'
import type { TenantStatus } from '../../core/access/tenant-status.ts'
import { toInstant } from '../../core/check.ts'
import { nothing } from '../../core/commit/batch.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { checkTenantId } from '../../core/names.ts'
import { redactBatch } from '../../core/redaction/redaction.ts'
import type { WriteOptions } from '../commit.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { cachedMac } from '../tenant-context.ts'
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

/** Enables or disables a tenant, and records that. A disabled tenant keeps its data, and requests with its keys are refused. */
export async function setTenantStatus(engine: Engine, tenantId: string, status: TenantStatus): Promise<TenantView> {
  const known = await findTenant(engine, String(tenantId))
  if (known.status !== status) await commitStatus(engine.tenant(tenantId), status)
  engine.credentials.invalidate(tenantId)
  return findTenant(engine, tenantId)
}

const statusKinds = { disabled: 'admin.tenant.disabled', active: 'admin.tenant.enabled' } as const

/** Without the redactor: there is no text to redact, and a tenant whose vault cannot be opened must still be possible to disable. */
async function commitStatus({ storage, system, engine, id }: Tenant, status: TenantStatus): Promise<void> {
  const { macKey, createdAt } = await storage.ensureTenant(id, { macKey: system.newKey() }, system.now())
  const change = { ...nothing, tenantId: id, actor: 'operator', kind: statusKinds[status], tenantStatus: status }
  for (let attempt = 1; ; attempt++) {
    const redactionVersion = (await storage.clock(id))?.redactionVersion ?? 1
    const batch = { ...change, idempotency: null, mac: cachedMac(macKey), redactionVersion, tenantCreatedAt: createdAt }
    try {
      const { outcome } = await storage.commit(redactBatch(batch, (text) => text))
      return engine.watch.notify(id, outcome.position)
    } catch (error) {
      if (!isColophonError(error, 'redaction_stale') || attempt >= limits.redactionAttemptsMax) throw error
    }
  }
}

async function findTenant(engine: Engine, tenantId: string): Promise<TenantView> {
  const tenant = await engine.storage.tenant(tenantId)
  if (tenant === null) throw new ColophonError('not_found', 'There is no tenant with this id.')
  return { id: tenant.tenantId, status: tenant.status, createdAt: toInstant(tenant.createdAt) }
}
