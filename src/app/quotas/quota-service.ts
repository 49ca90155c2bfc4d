import { limits } from '../../core/limits.ts'
import type { Growth } from '../../core/quotas/growth.ts'
import { defaultQuotas, type Quotas } from '../../core/quotas/quota.ts'
import type { Storage } from '../../ports/storage.ts'
import { type Admission, TenantQuotas } from './tenant-quotas.ts'

type Known = {
  readonly tenant: TenantQuotas
  readAt: number
  reading: Promise<void> | null
  /** The end of the last call that waits for a count; null when none does. */
  waiting: Promise<void> | null
}

const tenantsMax = 10_000

/** The record that has the quotas which the operator has set. It is not one of the settings that a tenant can change. */
export const quotaRecord = { kind: 'settings', id: 'quotas' } as const

/**
 * The quotas of all tenants in this process, and what they use. A write is admitted from memory: nothing is asked of the database unless a quota
 * may be exceeded. See decision 101.
 */
export class QuotaService {
  readonly #storage: Storage
  readonly #defaults: Quotas
  readonly #now: () => number
  readonly #maxAgeMs: number
  readonly #tenants = new Map<string, Known>()

  constructor(storage: Storage, defaults: Partial<Quotas> = {}, now: () => number = () => performance.now()) {
    this.#storage = storage
    this.#defaults = { ...defaultQuotas, ...defaults }
    this.#now = now
    this.#maxAgeMs = storage.traits.sharedAcrossProcesses ? limits.quotaReadMs : Number.POSITIVE_INFINITY
  }

  get defaults(): Quotas {
    return this.#defaults
  }

  /** The quotas as they were last read. Old ones are read again in the background. */
  known(tenantId: string): Quotas {
    const known = this.#knownOf(tenantId)
    if (this.#now() - known.readAt >= this.#maxAgeMs) this.#read(tenantId, known).catch(() => {})
    return known.tenant.limits
  }

  /** The quotas as they are stored now. */
  async current(tenantId: string): Promise<Quotas> {
    const known = this.#knownOf(tenantId)
    // A read under way may have begun before a change.
    await known.reading?.catch(() => {})
    await this.#read(tenantId, known)
    return known.tenant.limits
  }

  /** The quotas that the operator has set, without the defaults, and the revision of their record. */
  async stored(tenantId: string): Promise<{ readonly quotas: Partial<Quotas>; readonly revision: number }> {
    const record = await this.#storage.record(tenantId, quotaRecord.kind, quotaRecord.id)
    return { quotas: (record?.body.facts ?? {}) as Partial<Quotas>, revision: record?.revision ?? 0 }
  }

  /** Admits what a call adds, or refuses it. Work that was accepted before is counted and never refused. */
  admit(tenantId: string, growth: Growth, isRefusable: boolean): Admission | Promise<Admission> {
    const known = this.#knownOf(tenantId)
    if (!isRefusable) return known.tenant.begin(growth)
    this.known(tenantId)
    if (known.waiting === null && known.readAt !== never && known.tenant.hasRoom(growth))
      return known.tenant.begin(growth)
    const admitted = this.afterWaiting(tenantId, () => this.#admitCounted(tenantId, known, growth))
    if (!(admitted instanceof Promise)) return admitted
    const ended = admitted.then(
      () => {},
      () => {},
    )
    known.waiting = ended
    ended.then(() => {
      if (known.waiting === ended) known.waiting = null
    })
    return admitted
  }

  /** Runs it now, or after the calls of the tenant that wait for a count: calls are committed in the order in which they were made. */
  afterWaiting<T>(tenantId: string, run: () => T | Promise<T>): T | Promise<T> {
    const { waiting } = this.#knownOf(tenantId)
    return waiting === null ? run() : waiting.then(run)
  }

  /** Refuses what would exceed a quota. */
  async ensureRoom(tenantId: string, growth: Growth): Promise<void> {
    const known = this.#knownOf(tenantId)
    if (known.readAt === never || !known.tenant.hasRoom(growth)) await this.#read(tenantId, known)
    if (!known.tenant.hasRoom(growth)) await known.tenant.ensureRoom(growth)
  }

  async #admitCounted(tenantId: string, known: Known, growth: Growth): Promise<Admission> {
    for (;;) {
      await this.ensureRoom(tenantId, growth)
      // In the same turn as the check: another call may have taken the room since.
      if (!known.tenant.isExceededBy(growth)) return known.tenant.begin(growth)
    }
  }

  usage(tenantId: string): ReturnType<TenantQuotas['usage']> {
    return this.#knownOf(tenantId).tenant.usage()
  }

  /** After an import, whose rows have earlier positions, or a forget, which leaves no trace of the positions of its rows. */
  noteRewrite(tenantId: string): void {
    this.#knownOf(tenantId).tenant.noteRewrite()
  }

  /** After something without a position was removed: a record, messages, runs. */
  noteFreed(tenantId: string): void {
    this.#knownOf(tenantId).tenant.noteFreed()
  }

  #knownOf(tenantId: string): Known {
    const known = this.#tenants.get(tenantId)
    if (known) return known
    if (this.#tenants.size >= tenantsMax) this.#tenants.clear()
    const tenant = new TenantQuotas(this.#storage, tenantId, this.#defaults, this.#now)
    const fresh: Known = { tenant, readAt: never, reading: null, waiting: null }
    this.#tenants.set(tenantId, fresh)
    return fresh
  }

  #read(tenantId: string, known: Known): Promise<void> {
    const read = async () => {
      const readAt = this.#now()
      const { quotas } = await this.stored(tenantId)
      known.tenant.limits = { ...this.#defaults, ...quotas }
      known.readAt = readAt
    }
    known.reading ??= read().finally(() => {
      known.reading = null
    })
    return known.reading
  }
}

/** Before the first read. */
const never = Number.NEGATIVE_INFINITY
