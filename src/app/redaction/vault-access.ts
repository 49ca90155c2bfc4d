import { ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Cipher } from '../../ports/cipher.ts'
import type { Storage } from '../../ports/storage.ts'

/** Reads of the vault. This file writes nothing: every write is redacted, and redaction needs the secrets first. */

/** How to decrypt secrets: the cipher, and the master key, which wraps one data key per tenant. */
export type VaultAccess = {
  readonly cipher: Cipher
  readonly masterKey: Uint8Array
  /** Further master keys that may have wrapped a data key, during a rotation. */
  readonly otherKeys: readonly Uint8Array[]
}

/** A decrypted secret, for the redactor and for nodes that resolve it. It is never part of a response. */
export type OpenSecret = { readonly id: string; readonly value: string }

/** Decrypts all secrets of a tenant. If one cannot be decrypted, all fail: redaction without it would let it be stored. */
export async function openSecrets(
  storage: Storage,
  access: VaultAccess | null,
  tenantId: string,
): Promise<OpenSecret[]> {
  const records = await storage.records({ tenantId, kind: 'secret', after: null, limit: limits.secretsPerTenantMax })
  if (records.length === 0) return []
  const dataKey = access && (await storedDataKey(storage, access, tenantId))
  return records.map(({ id, body }) => {
    const value = dataKey && access?.cipher.open(dataKey, body.sealed.value ?? '', additionalDataOf(tenantId, id))
    if (!value) throw vaultUnavailable()
    return { id, value: new TextDecoder().decode(value) }
  })
}

/** Whether every secret of a tenant can be decrypted. True for a tenant without secrets. */
export async function canOpenVault(
  engine: { readonly storage: Storage; readonly vault: VaultAccess | null },
  tenantId: string,
): Promise<boolean> {
  try {
    const hasKey = (await engine.storage.record(tenantId, 'data-key', dataKeyId)) !== null
    if (hasKey && (engine.vault === null || (await storedDataKey(engine.storage, engine.vault, tenantId)) === null))
      return false
    await openSecrets(engine.storage, engine.vault, tenantId)
    return true
  } catch (error) {
    if (isColophonError(error, 'vault_unavailable')) return false
    throw error
  }
}

export const dataKeyId = 'current'

/** Reads and unwraps the data key of a tenant; null when the tenant has none. */
export async function storedDataKey(
  storage: Storage,
  access: VaultAccess,
  tenantId: string,
): Promise<Uint8Array | null> {
  const record = await storage.record(tenantId, 'data-key', dataKeyId)
  if (record === null) return null
  for (const masterKey of [access.masterKey, ...access.otherKeys]) {
    const key = access.cipher.open(masterKey, record.body.sealed.wrapped ?? '', additionalDataOf(tenantId, dataKeyId))
    if (key !== null) return key
  }
  throw vaultUnavailable()
}

/** The additional data of the encryption: it binds a ciphertext to its tenant and its id. */
export function additionalDataOf(tenantId: string, id: string): string {
  return `colophon secret ${tenantId} ${id}`
}

export function vaultUnavailable(): ColophonError {
  return new ColophonError(
    'vault_unavailable',
    'The vault of this tenant cannot be opened, so nothing can be redacted or stored.',
  )
}
