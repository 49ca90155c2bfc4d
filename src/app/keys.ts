import type { AdminChange, AdminRecord } from '../core/admin.ts'
import { type ApiKey, formatKey, hashKey, type KeyStatus, keyStatus } from '../core/api-key.ts'
import type { Outcome } from '../core/batch.ts'
import { parseInstant, toInstant } from '../core/check.ts'
import { ColophonError, invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { parseScopes, type Scope } from '../core/scopes.ts'
import type { CommitOptions, WriteOptions } from './commit.ts'
import { decideAndCommit } from './decide-and-commit.ts'
import type { Tenant } from './tenant.ts'

export type KeyDraft = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt?: string | undefined
}

/** A key as it may be shown: never the key itself. */
export type KeyView = {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly status: KeyStatus
  readonly createdAt: string
  readonly expiresAt?: string
  readonly lastUsedAt?: string
}

/** Shown once, when it is made. A repeated call shows the record, without the key: it is not stored anywhere. */
export type NewKey = KeyView & { readonly key?: string }

export async function createKey(tenant: Tenant, draft: KeyDraft, options: WriteOptions = {}): Promise<NewKey> {
  const { name, scopes, expiresAt } = parseDraft(draft, tenant.now())
  const write = { ...options, call: { operation: 'keys.create', name, scopes, expiresAt } }
  // The call that filled the last place may be repeated.
  if ((await allKeys(tenant)).length >= limits.keysPerTenantMax) return repeatNewKey(tenant, write, tooMany())
  return storeNewKey(tenant, { name, scopes, expiresAt }, [], write)
}

type KeyParts = Pick<ApiKey, 'name' | 'scopes' | 'expiresAt'>

function parseDraft(draft: KeyDraft, now: number): KeyParts {
  const scopes = parseScopes(draft.scopes)
  const expiresAt = draft.expiresAt === undefined ? null : parseInstant('expiresAt', draft.expiresAt)
  if (expiresAt !== null && expiresAt <= now) throw invalid('expiresAt', 'must lie in the future')
  return { name: draft.name, scopes, expiresAt }
}

/** Stores a new key, and with it whatever it replaces, in one commit. */
export async function storeNewKey(
  tenant: Tenant,
  parts: KeyParts,
  replaced: readonly AdminChange[],
  options: CommitOptions,
): Promise<NewKey> {
  const now = tenant.now()
  const keyId = tenant.system.newId('key')
  const key = formatKey(keyId, tenant.id, tenant.system.newSecret())
  const stored: ApiKey = { ...parts, keyId, hash: hashKey(key), createdAt: now, revokedAt: null }
  const admin = [toChange(stored, 0), ...replaced]
  const { outcome, repeated } = await tenant.commit({ kind: 'admin.key.created', admin }, options)
  const made = await viewMade(tenant, outcome)
  return repeated ? made : { ...made, key }
}

/** The key that a call made, as it was stored: its name went through the redactor. */
async function viewMade(tenant: Tenant, { admin }: Outcome): Promise<NewKey> {
  return toView((await findKey(tenant, admin[0] ?? '')).key, tenant.now(), undefined)
}

/** What the first call with this idempotency key made, without the key itself; refuses the call if there was none. */
export async function repeatNewKey(tenant: Tenant, options: CommitOptions, refusal: ColophonError): Promise<NewKey> {
  const first = await tenant.findOutcome(options)
  if (first === null) throw refusal
  return viewMade(tenant, first)
}

export async function listKeys(tenant: Tenant): Promise<KeyView[]> {
  const [records, uses] = await Promise.all([allKeys(tenant), tenant.storage.keyUses(tenant.id)])
  const now = tenant.now()
  return records.map(fromRecord).map((key) => toView(key, now, uses.get(key.keyId)))
}

/** From now on it opens nothing. */
export async function revokeKey(
  tenant: Tenant,
  keyId: string,
  options: WriteOptions = {},
): Promise<{ readonly key: KeyView; readonly repeated: boolean }> {
  return decideAndCommit(async () => {
    const { key, revision } = await findKey(tenant, keyId)
    const now = tenant.now()
    const revoked = endKey(key, now)
    const change = { kind: 'admin.key.revoked', admin: [toChange(revoked, revision)] } as const
    const { repeated } = await tenant.commit(change, { ...options, call: { operation: 'keys.revoke', keyId } })
    return { key: toView(revoked, now, undefined), repeated }
  })
}

/** A new key with the same name and scopes; the old one ends after the overlap. Both happen, or neither. */
export async function rotateKey(
  tenant: Tenant,
  keyId: string,
  overlapMs: number,
  options: WriteOptions = {},
): Promise<NewKey> {
  const call = { operation: 'keys.rotate', keyId, overlapMs }
  const refusal = new ColophonError('not_found', 'There is no active key with this id.')
  return decideAndCommit(async () => {
    const { key, revision } = await findKey(tenant, keyId)
    const now = tenant.now()
    if (keyStatus(key, now) !== 'active') return repeatNewKey(tenant, { ...options, call }, refusal)
    const { name, scopes, expiresAt } = key
    const ending = toChange(endKey(key, now + overlapMs), revision)
    return storeNewKey(tenant, { name, scopes, expiresAt }, [ending], { ...options, call })
  })
}

function endKey(key: ApiKey, at: number): ApiKey {
  return { ...key, revokedAt: Math.min(key.revokedAt ?? Number.MAX_SAFE_INTEGER, at) }
}

type StoredKey = { readonly key: ApiKey; readonly revision: number }

async function findKey(tenant: Tenant, keyId: string): Promise<StoredKey> {
  const record = await tenant.storage.record(tenant.id, 'key', keyId)
  if (record === null) throw new ColophonError('not_found', 'There is no key with this id.')
  return { key: fromRecord(record), revision: record.revision }
}

/** Null when its tenant is disabled, too. */
export async function findActiveKey(tenant: Tenant, keyId: string): Promise<ApiKey | null> {
  const record = await tenant.storage.activeKey(tenant.id, keyId)
  return record && fromRecord(record)
}

function tooMany(): ColophonError {
  return invalid('keys', `must be at most ${limits.keysPerTenantMax} per tenant`, {
    limit: 'keysPerTenantMax',
    max: limits.keysPerTenantMax,
  })
}

function allKeys(tenant: Tenant): Promise<readonly AdminRecord[]> {
  return tenant.storage.records({ tenantId: tenant.id, kind: 'key', after: null, limit: limits.keysPerTenantMax })
}

function toChange({ keyId, hash, name, ...facts }: ApiKey, expects: number) {
  return { kind: 'key' as const, id: keyId, body: { text: { name }, facts, sealed: { hash } }, expects }
}

function fromRecord({ id, body }: AdminRecord): ApiKey {
  const { name = '' } = body.text as { name?: string }
  return { ...(body.facts as Omit<ApiKey, 'keyId' | 'hash' | 'name'>), name, keyId: id, hash: body.sealed.hash ?? '' }
}

function toView(key: ApiKey, now: number, lastUsedAt: number | undefined): KeyView {
  return {
    id: key.keyId,
    name: key.name,
    scopes: key.scopes,
    status: keyStatus(key, now),
    createdAt: toInstant(key.createdAt),
    ...(key.expiresAt === null ? {} : { expiresAt: toInstant(key.expiresAt) }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt: toInstant(lastUsedAt) }),
  }
}
