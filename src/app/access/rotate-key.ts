import { type ApiKey, keyEnd, keyStatus } from '../../core/access/api-key.ts'
import { checkGrant, type Grantor } from '../../core/access/grant.ts'
import type { AdminChange } from '../../core/admin.ts'
import { ColophonError } from '../../core/errors.ts'
import { withNextKey } from '../../core/provenance/writer.ts'
import type { CommitOptions, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { loadWriters, toRecord } from '../provenance/writers.ts'
import type { Tenant } from '../tenant.ts'
import { endKey, findKey, type NewKey, refuseMoreKeys, repeatNewKey, storeNewKey, toChange } from './keys.ts'

/**
 * Replaces a key by a new one with the same name and scopes, in one commit. The old key ends after the overlap. The new key gets the
 * expiry of the old one, and the grantor must have every scope that it passes on. Writers that are bound to the old key are bound to the new one, if
 * the grantor could bind them itself: because it is that key, or has `memory:admin`.
 */
export async function rotateKey(
  tenant: Tenant,
  grantor: Grantor & { readonly keyId?: string },
  keyId: string,
  overlapMs: number,
  options: WriteOptions = {},
): Promise<NewKey> {
  const write = { ...options, call: { operation: 'keys.rotate', keyId, overlapMs } }
  return decideAndCommit(async () => {
    const { key, revision } = await findKey(tenant, keyId)
    // What ends is compared with this too: an overlap is as long with a clock that was set back.
    const now = tenant.expiryNow()
    if (keyStatus(key, now) !== 'active') return repeatRotation(tenant, key, write)
    const { name, scopes, reader } = key
    const madeBy = `key:${keyId}`
    const next = { name, scopes, reader, expiresAt: keyEnd(key), keyId: tenant.system.newId('key'), madeBy }
    checkGrant(grantor, next)
    // With an overlap, both keys are active for a while and both count against the limit.
    const refusal = overlapMs > 0 ? await refuseMoreKeys(tenant) : null
    if (refusal !== null) return repeatNewKey(tenant, write, refusal)
    const ended = { ...endKey(key, now + overlapMs), isRevoked: overlapMs === 0, replacedBy: next.keyId }
    const ending = toChange(ended, revision)
    const writers = await boundAgain(tenant, grantor, keyId, next.keyId)
    return storeNewKey(tenant, next, [ending, ...writers], write)
  })
}

/**
 * A retry of the rotation that ended the key gets its result. After a revocation or an expiry it is refused: the client must learn that
 * the key is no longer valid.
 */
async function repeatRotation(tenant: Tenant, { expiresAt, replacedBy }: ApiKey, options: CommitOptions) {
  const refusal = new ColophonError('not_found', 'There is no active key with this id.')
  const hasExpired = expiresAt !== null && expiresAt <= tenant.expiryNow()
  if (replacedBy === null || hasExpired) throw refusal
  const made = await repeatNewKey(tenant, options, refusal)
  if (made.id !== replacedBy) throw refusal
  return made
}

/** The writers of a key, bound to the one that replaces it; none if the grantor is not allowed to bind writers. */
async function boundAgain(
  tenant: Tenant,
  grantor: Grantor & { readonly keyId?: string },
  keyId: string,
  nextId: string,
): Promise<AdminChange[]> {
  const mayBind = grantor.scopes.includes('memory:admin') && grantor.reader === null
  if (grantor.keyId !== keyId && !mayBind) return []
  const writers = await loadWriters(tenant)
  return writers
    .filter(({ writer }) => writer.apiKeyId === keyId)
    .map(({ writer, revision }) => toRecord(withNextKey(writer, nextId), revision))
}
