import type { ApiKey } from '../../core/access/api-key.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import type { TenantSettings } from '../../core/settings.ts'
import type { Storage } from '../../ports/storage.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import { toApiKey } from './keys.ts'

/** A value from the database, and when its read began. */
type Cached<T> = { readonly value: T; readonly readAt: number }

/** The settings that reads and writes ask for. */
type CachedSettings = Pick<TenantSettings, 'trustFloorRead' | 'commitmentInference'>

type TenantCredentials = {
  isEnabled: Cached<boolean> | null
  settings: Cached<CachedSettings> | null
  readonly keys: Map<string, Cached<ApiKey>>
}

const tenantsMax = 10_000

/**
 * API keys, the status of tenants and a few of their settings, from memory: every request needs them. A commit of this process that
 * changes one of them invalidates its tenant. Where other processes can change them too, a value is read again after `credentialCacheMs`, so every process
 * refuses a revoked key, and applies another floor, within that time.
 */
export class CredentialCache {
  readonly #storage: Storage
  readonly #now: () => number
  readonly #maxAgeMs: number
  readonly #tenants = new Map<string, TenantCredentials>()

  /** The clock is monotonic: a system clock that is set back must not keep a revoked key valid. */
  constructor(storage: Storage, now: () => number = () => performance.now()) {
    this.#storage = storage
    this.#now = now
    this.#maxAgeMs = storage.traits.sharedAcrossProcesses ? limits.credentialCacheMs : Number.POSITIVE_INFINITY
  }

  /** The key; null when there is none, or when its tenant is disabled. Only keys that exist are cached: any other id may be invented. */
  async findKey(tenantId: string, keyId: string): Promise<ApiKey | null> {
    const credentials = this.#credentialsOf(tenantId)
    const known = credentials.keys.get(keyId)
    if (known && this.#isFresh(known)) return known.value
    const readAt = this.#now()
    const record = await this.#storage.activeKey(tenantId, keyId)
    if (record === null) {
      credentials.keys.delete(keyId)
      if (credentials.keys.size === 0 && credentials.isEnabled === null && credentials.settings === null)
        this.#drop(tenantId, credentials)
      return null
    }
    if (credentials.keys.size >= limits.keysPerTenantMax) credentials.keys.clear()
    const value = toApiKey(record)
    credentials.keys.set(keyId, { value, readAt })
    return value
  }

  /** Whether a tenant is enabled. A tenant without a row is: its configured key may make the first write. */
  async isEnabled(tenantId: string): Promise<boolean> {
    const credentials = this.#credentialsOf(tenantId)
    if (credentials.isEnabled && this.#isFresh(credentials.isEnabled)) return credentials.isEnabled.value
    const readAt = this.#now()
    const value = (await this.#storage.tenant(tenantId))?.status !== 'disabled'
    credentials.isEnabled = { value, readAt }
    return value
  }

  /** The class that reads of a tenant return by default. */
  async trustFloor(tenantId: string): Promise<Trust> {
    return (await this.#settings(tenantId)).trustFloorRead
  }

  /** Whether commitments are inferred from new entries. */
  async infersCommitments(tenantId: string): Promise<boolean> {
    return (await this.#settings(tenantId)).commitmentInference
  }

  async #settings(tenantId: string): Promise<CachedSettings> {
    const credentials = this.#credentialsOf(tenantId)
    if (credentials.settings && this.#isFresh(credentials.settings)) return credentials.settings.value
    const readAt = this.#now()
    const { trustFloorRead, commitmentInference } = await loadSettings(this.#storage, tenantId)
    const value = { trustFloorRead, commitmentInference }
    credentials.settings = { value, readAt }
    return value
  }

  /** Keys or the status of the tenant may have changed. A read under way fills what is dropped here, so its result is not kept. */
  invalidate(tenantId: string): void {
    this.#tenants.delete(tenantId)
  }

  #credentialsOf(tenantId: string): TenantCredentials {
    const known = this.#tenants.get(tenantId)
    if (known) return known
    if (this.#tenants.size >= tenantsMax) this.#tenants.clear()
    const fresh: TenantCredentials = { isEnabled: null, settings: null, keys: new Map() }
    this.#tenants.set(tenantId, fresh)
    return fresh
  }

  #drop(tenantId: string, credentials: TenantCredentials): void {
    if (this.#tenants.get(tenantId) === credentials) this.#tenants.delete(tenantId)
  }

  #isFresh({ readAt }: Cached<unknown>): boolean {
    return this.#now() - readAt < this.#maxAgeMs
  }
}
