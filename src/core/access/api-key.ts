import { sha256 } from '../audit/digest.ts'
import type { Scope } from './scopes.ts'

/**
 * A key as its holder has it: `ck_<id>.<tenant>.<secret>`. It embeds the tenant, so that looking it up needs no search
 * across tenants. Stored is a hash of the whole; the secret has 256 random bits, so a plain hash is as good as a slow one.
 */
export type ApiKey = {
  readonly keyId: string
  readonly name: string
  readonly hash: string
  readonly scopes: readonly Scope[]
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The key that a rotation made in its place. Null when it was revoked otherwise, whatever came before. */
  readonly replacedBy: string | null
}

/** The ids of keys that come with the configuration: they have no record, and are the same on every host. */
export const configuredKeys = { bootstrap: 'key_bootstrap', bootstrapB: 'key_bootstrap_b', local: 'key_local' } as const
export const configuredKeyIds: ReadonlySet<string> = new Set(Object.values(configuredKeys))

export type KeyStatus = 'active' | 'expired' | 'revoked'

export function formatKey(keyId: string, tenantId: string, secret: string): string {
  return `${keyId.replace('key_', 'ck_')}.${tenantId}.${secret}`
}

export function parseKey(key: string): { keyId: string; tenantId: string } | null {
  const match = /^ck_([0-9a-f-]{36})\.([A-Za-z0-9][A-Za-z0-9._-]{0,63})\.[A-Za-z0-9_-]{43}$/.exec(key)
  return match?.[1] !== undefined && match[2] !== undefined ? { keyId: `key_${match[1]}`, tenantId: match[2] } : null
}

export function hashKey(key: string): string {
  return sha256(key)
}

export function keyStatus(key: ApiKey, now: number): KeyStatus {
  if (key.revokedAt !== null && key.revokedAt <= now) return 'revoked'
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active'
}

/** The first of its expiry and its revocation. */
export function keyEnd({ expiresAt, revokedAt }: ApiKey): number | null {
  if (expiresAt === null || revokedAt === null) return expiresAt ?? revokedAt
  return Math.min(expiresAt, revokedAt)
}
