import { ColophonError } from '../../core/errors.ts'
import { changeQuotas, type QuotaChange, type QuotaName, type Quotas, quotaNames } from '../../core/quotas/quota.ts'
import { countActiveKeys } from '../access/keys.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { quotaRecord } from './quota-service.ts'

/** What this process knows itself: it is not in the database. */
export type UsedInProcess = Readonly<Record<'streams' | 'requestsInFlight', number>>

export type QuotaUse = { readonly used: number; readonly limit: number }

export type QuotaUses = Readonly<Record<QuotaName, QuotaUse>>

/** What a tenant uses of each quota. */
export async function readQuotaUses(tenant: Tenant, inProcess: UsedInProcess): Promise<QuotaUses> {
  const { quotas } = tenant.engine
  const [current, counted, keys] = await Promise.all([
    quotas.current(tenant.id),
    quotas.usage(tenant.id),
    countActiveKeys(tenant),
  ])
  const used: Quotas = { ...counted, ...inProcess, keys }
  const uses = quotaNames.map((name) => [name, { used: used[name], limit: current[name] }])
  return Object.fromEntries(uses) as QuotaUses
}

/** The quotas that the operator has set for a tenant, and all in effect. */
export type QuotaView = { readonly tenant: string; readonly quotas: Quotas; readonly set: readonly QuotaName[] }

export async function readQuotas(engine: Engine, tenantId: string): Promise<QuotaView> {
  await checkExists(engine, tenantId)
  const { quotas } = await engine.quotas.stored(tenantId)
  return toView(engine, tenantId, quotas)
}

/** Sets quotas of a tenant. Those that are left out stay as they are. What exceeds a lower quota already is kept. */
export async function setQuotas(
  engine: Engine,
  tenantId: string,
  change: QuotaChange,
  options: WriteOptions = {},
): Promise<{ readonly view: QuotaView; readonly repeated: boolean }> {
  await checkExists(engine, tenantId)
  const tenant = engine.tenant(tenantId)
  const write = { ...options, actor: 'operator', call: { operation: 'quotas.set', tenantId, change } }
  const repeated = await decideAndCommit(async () => {
    const { quotas, revision } = await engine.quotas.stored(tenantId)
    const body = { text: {}, facts: changeQuotas(quotas, change), sealed: {} }
    const admin = [{ ...quotaRecord, body, expects: revision }] as const
    return (await tenant.commit({ kind: 'admin.quotas.changed', admin }, write)).repeated
  })
  await engine.quotas.current(tenantId)
  return { view: await readQuotas(engine, tenantId), repeated }
}

function toView(engine: Engine, tenant: string, stored: Partial<Quotas>): QuotaView {
  const set = quotaNames.filter((name) => stored[name] !== undefined)
  return { tenant, quotas: { ...engine.quotas.defaults, ...stored }, set }
}

async function checkExists(engine: Engine, tenantId: string): Promise<void> {
  if (typeof tenantId === 'string' && (await engine.storage.tenant(tenantId)) !== null) return
  throw new ColophonError('not_found', 'There is no tenant with this id.')
}
