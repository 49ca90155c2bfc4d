import { keyOfActor } from '../../core/access/actor.ts'
import { type ApiKey, configuredKeyIds, keyEnd, keyStatus } from '../../core/access/api-key.ts'
import { type Scope, scopes } from '../../core/access/scopes.ts'
import { limits } from '../../core/limits.ts'
import type { Tenant } from '../tenant.ts'
import { toApiKey } from './keys.ts'

/**
 * What an actor may do now. A heartbeat, a schedule or a commitment acts later for the key that made it, so the key is checked again at that time: one
 * that was revoked, has expired or is unknown may do nothing. The key that replaced it in a rotation stands in for it. Actors that are no key
 * are the host itself, and keys from the configuration have every scope.
 */
export async function scopesOfActor(tenant: Tenant, actor: string): Promise<readonly Scope[]> {
  const { keyId } = keyOfActor(actor)
  if (keyId === undefined || configuredKeyIds.has(keyId)) return scopes
  let key = await findKey(tenant, keyId)
  for (let rotations = 0; key !== null && rotations < limits.keysPerTenantMax; rotations++) {
    // A process that only runs jobs has not read the last instant of the tenant, because no request authenticated there.
    if (keyEnd(key) !== null) await tenant.storage.clock(tenant.id)
    if (keyStatus(key, tenant.expiryNow()) === 'active') return key.scopes
    key = key.replacedBy === null ? null : await findKey(tenant, key.replacedBy)
  }
  return []
}

/** Whether what an actor set up may still act for it. */
export async function mayActorAct(tenant: Tenant, actor: string): Promise<boolean> {
  return (await scopesOfActor(tenant, actor)).length > 0
}

async function findKey({ storage, id }: Tenant, keyId: string): Promise<ApiKey | null> {
  const record = await storage.record(id, 'key', keyId)
  return record && toApiKey(record)
}
