import { type ApiKey, formatKey, hashKey, type KeyStatus, keyStatus } from '../../core/access/api-key.ts'
import { checkGrant, type Grantor } from '../../core/access/grant.ts'
import { currentScopes, parseScopes, type Scope, scopeVocabulary } from '../../core/access/scopes.ts'
import type { AdminChange, AdminRecord } from '../../core/admin.ts'
import { parseInstant, toInstant } from '../../core/check.ts'
import type { Outcome } from '../../core/commit/batch.ts'
import { checkReader } from '../../core/entries/readers.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { quotaExceeded } from '../../core/quotas/quota.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import type { CommitOptions, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { readablePage } from '../provenance/readable-claims.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'

export type KeyDraft = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt?: string | undefined
  /** Binds the key to a reader; by default that of the calling key. */
  readonly reader?: string | undefined
}

/** An API key without its secret. */
export type KeyView = {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly status: KeyStatus
  /** The reader that the key is bound to. */
  readonly reader?: string
  readonly createdAt: string
  readonly expiresAt?: string
  readonly lastUsedAt?: string
}

/** A new key. `key` is the secret, returned once: only its hash is stored, so a retry gets the record without it. */
export type NewKey = KeyView & { readonly key?: string }

/** Creates a key. The grantor is the calling key: the new one gets at most its scopes and its lifetime. */
export async function createKey(
  tenant: Tenant,
  grantor: Grantor,
  draft: KeyDraft,
  options: WriteOptions = {},
): Promise<NewKey> {
  const requested = parseDraft(draft, tenant.expiryNow())
  const write = { ...options, call: { operation: 'keys.create', ...requested } }
  const reader = requested.reader ?? grantor.reader
  const granted = { ...requested, reader, expiresAt: requested.expiresAt ?? grantor.endsAt }
  checkGrant(grantor, granted)
  await refuseSecretReader(tenant, reader)
  // A retry of the call that created the last allowed key still gets its result.
  const refusal = await refuseMoreKeys(tenant)
  return refusal === null ? storeNewKey(tenant, granted, [], write) : repeatNewKey(tenant, write, refusal)
}

type KeyParts = Pick<ApiKey, 'name' | 'scopes' | 'expiresAt'> & {
  readonly keyId?: string
  readonly reader?: string | null
  readonly madeBy?: string
}

/** The id of a reader is stored as it is, and shown in lists. */
async function refuseSecretReader(tenant: Tenant, reader: string | null): Promise<void> {
  if (reader === null) return
  const { redaction } = await freshContext(tenant)
  await redaction.redact(({ scan }) => refuseSecrets({ reader }, scan))
}

function parseDraft(draft: KeyDraft, now: number): KeyParts {
  const scopes = parseScopes(draft.scopes)
  const expiresAt = draft.expiresAt === undefined ? null : parseInstant('expiresAt', draft.expiresAt)
  if (expiresAt !== null && expiresAt <= now) throw invalid('expiresAt', 'must lie in the future')
  if (draft.reader !== undefined) checkReader('reader', draft.reader)
  return { name: draft.name, scopes, expiresAt, ...(draft.reader === undefined ? {} : { reader: draft.reader }) }
}

/** Stores a new key, together with the changes of the records that it replaces, in one commit. */
export async function storeNewKey(
  tenant: Tenant,
  parts: KeyParts,
  replaced: readonly AdminChange[],
  options: CommitOptions,
): Promise<NewKey> {
  const { keyId = tenant.system.newId('key'), madeBy = options.actor ?? tenant.engine.actor } = parts
  const key = formatKey(keyId, tenant.id, tenant.system.newSecret())
  const life = { createdAt: tenant.now(), revokedAt: null, isRevoked: false, replacedBy: null }
  const { reader = null } = parts
  const stored: ApiKey = { ...parts, ...life, reader, keyId, madeBy, hash: hashKey(key) }
  const admin = [toChange(stored, 0), ...replaced]
  const { outcome, repeated } = await tenant.commit({ kind: 'admin.key.created', admin }, options)
  const made = await viewMade(tenant, outcome)
  return repeated ? made : { ...made, key }
}

/** The key that a call created, read back because its name was redacted. */
async function viewMade(tenant: Tenant, { admin }: Outcome): Promise<NewKey> {
  return toView((await findKey(tenant, admin[0] ?? '')).key, tenant.expiryNow(), undefined)
}

/** The key that the first call with this idempotency key created, without its secret. If there was no such call, the refusal is thrown. */
export async function repeatNewKey(tenant: Tenant, options: CommitOptions, refusal: ColophonError): Promise<NewKey> {
  const first = await tenant.findOutcome(options)
  if (first === null) throw refusal
  return viewMade(tenant, first)
}

type KeyRange = { readonly after: string | null; readonly limit: number }

/** Lists keys ordered by id, which is the order of creation. Keys that have ended are included. A reader sees only its own keys. */
export async function listKeys(tenant: Tenant, range: KeyRange): Promise<KeyView[]> {
  const keys = await readablePage(
    range,
    (next) => keysIn(tenant, next),
    ({ keyId }) => keyId,
    async (key) => (isManageable(tenant, key) ? key : null),
  )
  const uses = await tenant.storage.keyUses(
    tenant.id,
    keys.map(({ keyId }) => keyId),
  )
  const now = tenant.expiryNow()
  return keys.map((key) => toView(key, now, uses.get(key.keyId)))
}

/** Revokes a key: requests with it are refused from now on. */
export async function revokeKey(
  tenant: Tenant,
  keyId: string,
  options: WriteOptions = {},
): Promise<{ readonly key: KeyView; readonly repeated: boolean }> {
  return decideAndCommit(async () => {
    const { key, revision } = await findKey(tenant, keyId)
    const now = tenant.now()
    const revoked = { ...endKey(key, now), isRevoked: true, replacedBy: null }
    const change = { kind: 'admin.key.revoked', admin: [toChange(revoked, revision)] } as const
    const { repeated } = await tenant.commit(change, { ...options, call: { operation: 'keys.revoke', keyId } })
    return { key: toView(revoked, now, undefined), repeated }
  })
}

export function endKey(key: ApiKey, at: number): ApiKey {
  return { ...key, revokedAt: Math.min(key.revokedAt ?? Number.MAX_SAFE_INTEGER, at) }
}

type StoredKey = { readonly key: ApiKey; readonly revision: number }

export async function findKey(tenant: Tenant, keyId: string): Promise<StoredKey> {
  const record = await tenant.storage.record(tenant.id, 'key', keyId)
  const key = record && toApiKey(record)
  if (key === null || !isManageable(tenant, key)) throw new ColophonError('not_found', 'There is no key with this id.')
  return { key, revision: record?.revision ?? 0 }
}

/** A key of a reader manages keys of that reader only. */
function isManageable({ reader }: Tenant, key: ApiKey): boolean {
  return reader === null || key.reader === reader
}

/** The name of a key; null for a key from the configuration, which has no record. */
export async function keyName(tenant: Tenant, keyId: string): Promise<string | null> {
  const record = await tenant.storage.record(tenant.id, 'key', keyId)
  return record === null ? null : toApiKey(record).name
}

/** The refusal of another key; null while the quota allows one. */
export async function refuseMoreKeys(tenant: Tenant): Promise<ColophonError | null> {
  const { keys: limit } = await tenant.engine.quotas.current(tenant.id)
  const used = await countActiveKeys(tenant)
  return used < limit ? null : quotaExceeded('keys', used, limit)
}

/** How many active keys a tenant has. Ended keys stay listed and do not count. */
export async function countActiveKeys(tenant: Tenant): Promise<number> {
  const limit = limits.keysPerTenantMax
  const now = tenant.expiryNow()
  let active = 0
  for (let after: string | null = null; ; ) {
    const keys: readonly ApiKey[] = await keysIn(tenant, { after, limit })
    active += keys.filter((key) => keyStatus(key, now) === 'active').length
    after = keys.at(-1)?.keyId ?? null
    if (after === null || keys.length < limit) return active
  }
}

async function keysIn(tenant: Tenant, range: KeyRange): Promise<readonly ApiKey[]> {
  return (await tenant.storage.records({ tenantId: tenant.id, kind: 'key', ...range })).map(toApiKey)
}

export function toChange({ keyId, hash, name, ...facts }: ApiKey, expects: number) {
  const body = { text: { name }, facts: { ...facts, vocabulary: scopeVocabulary }, sealed: { hash } }
  return { kind: 'key' as const, id: keyId, body, expects }
}

type KeyFacts = Omit<ApiKey, 'keyId' | 'hash' | 'name' | 'replacedBy' | 'madeBy' | 'reader' | 'isRevoked'> & {
  /** Absent in keys that were stored before there were readers. */
  readonly reader?: string | null
  readonly replacedBy?: string | null
  readonly madeBy?: string | null
  readonly vocabulary?: number
  /** Absent in keys that were ended before this was stored. */
  readonly isRevoked?: boolean
}

/** The key that a record stores. */
export function toApiKey({ id, body, updatedAt }: AdminRecord): ApiKey {
  const { name = '' } = body.text as { name?: string }
  const { vocabulary = 1, scopes, replacedBy = null, madeBy = null, reader = null, ...facts } = body.facts as KeyFacts
  const { revokedAt } = facts
  // Of an older record: an end that was not after the record itself has no overlap.
  const { isRevoked = revokedAt !== null && (replacedBy === null || revokedAt <= updatedAt) } = facts
  const key = { ...facts, isRevoked, name, replacedBy, madeBy, reader, keyId: id, hash: body.sealed.hash ?? '' }
  return { ...key, scopes: currentScopes(scopes, vocabulary) }
}

function toView(key: ApiKey, now: number, lastUsedAt: number | undefined): KeyView {
  return {
    id: key.keyId,
    name: key.name,
    scopes: key.scopes,
    status: keyStatus(key, now),
    ...(key.reader === null ? {} : { reader: key.reader }),
    createdAt: toInstant(key.createdAt),
    ...(key.expiresAt === null ? {} : { expiresAt: toInstant(key.expiresAt) }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt: toInstant(lastUsedAt) }),
  }
}
