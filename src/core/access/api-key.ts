import { sha256 } from '../audit/digest.ts'
import { invariant } from '../invariant.ts'
import type { Scope } from './scopes.ts'

/**
 * An API key as it is stored. The client has the text `ck_<id>.<tenant>.<secret>`. It contains the tenant, so that a lookup needs no
 * search across tenants. Only the SHA-256 of the whole text is stored; the secret has 256 random bits, so a slow hash adds nothing.
 */
export type ApiKey = {
  readonly keyId: string
  readonly name: string
  readonly hash: string
  readonly scopes: readonly Scope[]
  /** The reader that the key is bound to; null when it reads for any. */
  readonly reader: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  /** When it was revoked. After a rotation with an overlap, when the overlap ends. */
  readonly revokedAt: number | null
  /** Revoked without an overlap: a state, which no clock changes. */
  readonly isRevoked: boolean
  /** The key that replaced this one in a rotation. Null when it was revoked in another way, also after a rotation. */
  readonly replacedBy: string | null
  /** The actor that created the key; for a rotated key, the key that it replaces. Null for keys of earlier versions. */
  readonly madeBy: string | null
}

/** The ids of the keys from the configuration. They have no stored record, and the ids are the same on every host. */
export const configuredKeys = { bootstrap: 'key_bootstrap', bootstrapB: 'key_bootstrap_b', local: 'key_local' } as const
/** The same ids as a set: no stored key may have one of them. */
export const configuredKeyIds: ReadonlySet<string> = new Set(Object.values(configuredKeys))

/** Whether a key authenticates at an instant, or why not. */
export type KeyStatus = 'active' | 'expired' | 'revoked'

/** The text of a new key, which only the client gets. */
export function formatKey(keyId: string, tenantId: string, secret: string): string {
  const key = `${keyId.replace('key_', 'ck_')}.${tenantId}.${secret}`
  invariant(parseKey(key)?.tenantId === tenantId, 'a key that cannot be parsed back would never authenticate')
  return key
}

/** The id and the tenant in the text of a key; null when the text has not the form of a key. */
export function parseKey(key: string): { keyId: string; tenantId: string } | null {
  const match = /^ck_([0-9a-f-]{36})\.([A-Za-z0-9][A-Za-z0-9._-]{0,63})\.[A-Za-z0-9_-]{43}$/.exec(key)
  return match?.[1] !== undefined && match[2] !== undefined ? { keyId: `key_${match[1]}`, tenantId: match[2] } : null
}

/** The hash of a key that is stored and compared. */
export function hashKey(key: string): string {
  return sha256(key)
}

/** The status of a key at an instant, which is not before the tenant's last record. A revocation counts before an expiry. */
export function keyStatus(key: ApiKey, now: number): KeyStatus {
  if (key.isRevoked || (key.revokedAt !== null && key.revokedAt <= now)) return 'revoked'
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active'
}

/** When the key becomes invalid: the earlier of its expiry and its revocation; null when it has neither. */
export function keyEnd({ expiresAt, revokedAt }: ApiKey): number | null {
  if (expiresAt === null || revokedAt === null) return expiresAt ?? revokedAt
  return Math.min(expiresAt, revokedAt)
}
