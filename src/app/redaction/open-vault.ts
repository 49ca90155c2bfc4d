import { ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Cipher } from '../../ports/cipher.ts'
import type { Storage } from '../../ports/storage.ts'

/** Opening what a tenant has sealed. Nothing here writes: every write is redacted, and so needs this first. */

/** The means to open secrets: the cipher and the master key, which wraps one data key per tenant. */
export type VaultAccess = {
  readonly cipher: Cipher
  readonly masterKey: Uint8Array
  /** Keys that may open as well, while a rotation is under way. */
  readonly otherKeys: readonly Uint8Array[]
}

/** A secret's value, for the redactor and for nodes that resolve it; never for an answer. */
export type OpenSecret = { readonly id: string; readonly value: string }

/** All values of a tenant. Fails as a whole when one does not open: redacting with half of them would leak the rest. */
export async function openSecrets(
  storage: Storage,
  access: VaultAccess | null,
  tenantId: string,
): Promise<OpenSecret[]> {
  const records = await storage.records({ tenantId, kind: 'secret', after: null, limit: limits.secretsPerTenantMax })
  if (records.length === 0) return []
  const dataKey = access && (await storedDataKey(storage, access, tenantId))
  return records.map(({ id, body }) => {
    const value = dataKey && access?.cipher.open(dataKey, body.sealed.value ?? '', boundTo(tenantId, id))
    if (!value) throw vaultUnavailable()
    return { id, value: new TextDecoder().decode(value) }
  })
}

/** Whether what the tenant has sealed opens: true for a tenant that has sealed nothing. */
export async function opensVault(
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

export async function storedDataKey(
  storage: Storage,
  access: VaultAccess,
  tenantId: string,
): Promise<Uint8Array | null> {
  const record = await storage.record(tenantId, 'data-key', dataKeyId)
  if (record === null) return null
  for (const masterKey of [access.masterKey, ...access.otherKeys]) {
    const key = access.cipher.open(masterKey, record.body.sealed.wrapped ?? '', boundTo(tenantId, dataKeyId))
    if (key !== null) return key
  }
  throw vaultUnavailable()
}

export function boundTo(tenantId: string, id: string): string {
  return `colophon secret ${tenantId} ${id}`
}

export function vaultUnavailable(): ColophonError {
  return new ColophonError(
    'vault_unavailable',
    'The vault of this tenant cannot be opened, so nothing can be redacted or stored.',
  )
}
