import type { ApiKey } from '../../core/access/api-key.ts'
import type { ConsoleSession } from '../../core/access/session.ts'
import type { AdminRecord } from '../../core/admin.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import type { TenantSettings } from '../../core/settings.ts'
import type { Storage } from '../../ports/storage.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import { toApiKey } from './keys.ts'
import { toSession } from './sessions.ts'

/** A value from the database, and when its read began. */
type Cached<T> = { readonly value: T; readonly readAt: number }

/** The settings that reads and writes ask for. */
type CachedSettings = Pick<TenantSettings, 'trustFloorRead' | 'commitmentInference'>

type TenantCredentials = {
  isEnabled: Cached<boolean> | null
  settings: Cached<CachedSettings> | null
  readonly keys: Map<string, Cached<ApiKey>>
  readonly sessions: Map<string, Cached<ConsoleSession>>
}

const tenantsMax = 10_000

/**
 * API keys, sessions, the status of tenants and a few of their settings, from memory: every request needs them. A commit of this process that
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
    return this.#find(tenantId, credentials, credentials.keys, 'key', keyId, toApiKey)
  }

  /** The session, in the same way. */
  async findSession(tenantId: string, sessionId: string): Promise<ConsoleSession | null> {
    const credentials = this.#credentialsOf(tenantId)
    return this.#find(tenantId, credentials, credentials.sessions, 'session', sessionId, toSession)
  }

  async #find<T>(
    tenantId: string,
    credentials: TenantCredentials,
    cached: Map<string, Cached<T>>,
    kind: 'key' | 'session',
    id: string,
    toValue: (record: AdminRecord) => T,
  ): Promise<T | null> {
    const known = cached.get(id)
    if (known && this.#isFresh(known)) return known.value
    const readAt = this.#now()
    const record = await this.#storage.activeCredential(tenantId, kind, id)
    if (record === null) {
      cached.delete(id)
      if (isEmpty(credentials)) this.#drop(tenantId, credentials)
      return null
    }
    if (cached.size >= limits.keysPerTenantMax) cached.clear()
    const value = toValue(record)
    cached.set(id, { value, readAt })
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
    const fresh: TenantCredentials = { isEnabled: null, settings: null, keys: new Map(), sessions: new Map() }
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

function isEmpty({ isEnabled, settings, keys, sessions }: TenantCredentials): boolean {
  return isEnabled === null && settings === null && keys.size === 0 && sessions.size === 0
}
