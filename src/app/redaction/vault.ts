import type { AdminChange } from '../../core/admin.ts'
import { checkIdentifier, toInstant, utf8Bytes } from '../../core/check.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { createKnownValueScanner } from '../../core/redaction/known-values.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import { checkSecretStrength } from '../../core/redaction/secret-value.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { freshContext } from './redaction-state.ts'
import { additionalDataOf, dataKeyId, storedDataKey, type VaultAccess, vaultUnavailable } from './vault-access.ts'

export type SecretScope = 'tenant' | 'user' | 'run'

export type SecretDraft = {
  readonly value: string
  readonly scope?: SecretScope | undefined
  readonly userId?: string | undefined
  readonly runId?: string | undefined
}

/** A secret without its value, which no call returns. */
export type SecretView = {
  readonly id: string
  readonly scope: SecretScope
  readonly userId?: string
  readonly runId?: string
  readonly updatedAt: string
}

/** Encrypts and stores a secret, or replaces it. From then on its value is redacted in every text that is written. */
export async function putSecret(
  tenant: Tenant,
  id: string,
  draft: SecretDraft,
  options: WriteOptions = {},
): Promise<{ readonly repeated: boolean }> {
  checkSecretId(id)
  checkSecretStrength(draft.value)
  const facts = ownerOf(draft)
  await checkSecretCount(tenant, id)
  // Of two concurrent first secrets, one creates the data key. The other gets a conflict, reads again and uses that key.
  return decideAndCommit(async () => {
    const redactionVersion = await checkAgainstVault(tenant, id, draft)
    const { access, dataKey, wrap } = await dataKeyFor(tenant)
    const sealed = {
      value: access.cipher.seal(dataKey, new TextEncoder().encode(draft.value), additionalDataOf(tenant.id, id)),
    }
    const admin: AdminChange[] = [{ kind: 'secret', id, body: { text: {}, facts, sealed }, expects: null }, ...wrap]
    const change = { kind: 'admin.secret.put', admin, changesRedaction: true } as const
    const { repeated } = await tenant.commit(change, {
      ...options,
      redactionVersionRead: redactionVersion,
      call: { operation: 'secrets.put', id, ...draft },
    })
    return { repeated }
  })
}

/**
 * Refuses a draft whose names contain a secret, because reads return names, or whose value exceeds the total limit. Returns the
 * redaction version that was checked.
 */
async function checkAgainstVault(tenant: Tenant, id: string, { value, userId, runId }: SecretDraft): Promise<number> {
  const { redaction } = await freshContext(tenant)
  const { vaultBytesMax: max } = limits
  if (redaction.vaultBytes - (redaction.bytesOf(id) ?? 0) + utf8Bytes(value) > max) {
    throw invalid('value', `must not bring the values of the tenant over ${max} bytes`, { limit: 'vaultBytesMax', max })
  }
  const names = { id, userId, runId }
  await redaction.redact(({ scanNames }) => refuseSecrets(names, scanNames))
  // A longer value cannot occur in a name: no encoding of it is short enough.
  if (value.length <= valueCharactersInNameMax)
    refuseSecrets(names, createKnownValueScanner([{ id: 'this-secret', value }]))
  return redaction.version
}

const valueCharactersInNameMax = 4_096

export async function removeSecret(
  tenant: Tenant,
  id: string,
  options: WriteOptions = {},
): Promise<{ readonly deleted: boolean; readonly repeated: boolean }> {
  checkSecretId(id)
  const change = { kind: 'secret', id, body: null, expects: null } as const
  const { outcome, repeated } = await tenant.commit(
    { kind: 'admin.secret.removed', admin: [change], changesRedaction: true },
    { ...options, call: { operation: 'secrets.remove', id } },
  )
  return { deleted: outcome.admin.length > 0, repeated }
}

export async function listSecrets(tenant: Tenant): Promise<SecretView[]> {
  const records = await tenant.storage.records({
    tenantId: tenant.id,
    kind: 'secret',
    after: null,
    limit: limits.secretsPerTenantMax,
  })
  return records.map(({ id, body, updatedAt }) => ({
    id,
    ...(body.facts as Omit<SecretView, 'id' | 'updatedAt'>),
    updatedAt: toInstant(updatedAt),
  }))
}

/** Encrypts a value that the host keeps for a tenant. `admin` has the change that creates the tenant's data key, if it has none yet. */
export async function sealValue(
  tenant: Tenant,
  label: string,
  value: string,
): Promise<{ readonly value: string; readonly admin: readonly AdminChange[] }> {
  const { access, dataKey, wrap } = await dataKeyFor(tenant)
  return {
    value: access.cipher.seal(dataKey, new TextEncoder().encode(value), additionalDataOf(tenant.id, label)),
    admin: wrap,
  }
}

/** Decrypts a value that `sealValue` made with the same label. */
export async function openValue(tenant: Tenant, label: string, sealed: string): Promise<string> {
  const dataKey = tenant.engine.vault && (await storedDataKey(tenant.storage, tenant.engine.vault, tenant.id))
  const value = dataKey && tenant.engine.vault?.cipher.open(dataKey, sealed, additionalDataOf(tenant.id, label))
  if (!value) throw vaultUnavailable()
  return new TextDecoder().decode(value)
}

/** Wraps the tenant's data key with another master key. The encrypted secrets do not change. */
export async function rewrapDataKey(tenant: Tenant, next: Uint8Array): Promise<boolean> {
  const record = await tenant.storage.record(tenant.id, 'data-key', dataKeyId)
  if (record === null || tenant.engine.vault === null) return false
  const dataKey = await storedDataKey(tenant.storage, tenant.engine.vault, tenant.id)
  if (dataKey === null) throw vaultUnavailable()
  const change = wrapKey({ ...tenant.engine.vault, masterKey: next }, tenant.id, dataKey, record.revision)
  await tenant.commit({ kind: 'admin.vault.rotated', admin: [change] }, { call: { operation: 'vault.rotate' } })
  return true
}

async function checkSecretCount(tenant: Tenant, id: string): Promise<void> {
  const known = await listSecrets(tenant)
  if (known.length < limits.secretsPerTenantMax || known.some((secret) => secret.id === id)) return
  throw invalid('secrets', `must be at most ${limits.secretsPerTenantMax} per tenant`, {
    limit: 'secretsPerTenantMax',
    max: limits.secretsPerTenantMax,
  })
}

async function dataKeyFor(tenant: Tenant): Promise<{ access: VaultAccess; dataKey: Uint8Array; wrap: AdminChange[] }> {
  const access = tenant.engine.vault
  if (access === null) throw vaultUnavailable()
  const stored = await storedDataKey(tenant.storage, access, tenant.id)
  if (stored !== null) return { access, dataKey: stored, wrap: [] }
  const dataKey = access.cipher.newKey()
  return { access, dataKey, wrap: [wrapKey(access, tenant.id, dataKey, 0)] }
}

function wrapKey(access: VaultAccess, tenantId: string, dataKey: Uint8Array, expects: number): AdminChange {
  const wrapped = access.cipher.seal(access.masterKey, dataKey, additionalDataOf(tenantId, dataKeyId))
  return { kind: 'data-key', id: dataKeyId, body: { text: {}, sealed: { wrapped } }, expects }
}

function checkSecretId(id: unknown): asserts id is string {
  checkIdentifier('secret id', id, 'secretIdCharactersMax', limits.secretIdCharactersMax)
  // The id becomes part of the marker, so it must not contain the end of a marker.
  if (!/^[A-Za-z0-9][A-Za-z0-9._:/-]*$/.test(id))
    throw invalid('secret id', 'must be letters, digits and . _ : / - only')
}

function ownerOf({ scope = 'tenant', userId, runId }: SecretDraft): Record<string, unknown> {
  if ((scope === 'user') !== (userId !== undefined))
    throw invalid('userId', 'goes with the scope "user", and only with it')
  if ((scope === 'run') !== (runId !== undefined)) throw invalid('runId', 'goes with the scope "run", and only with it')
  return { scope, ...(userId === undefined ? {} : { userId }), ...(runId === undefined ? {} : { runId }) }
}
