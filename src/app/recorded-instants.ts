import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { dayMs } from '../core/retention.ts'
import type { Storage } from '../ports/storage.ts'

/**
 * The last recorded instants of the tenants, as far as this process has seen them: with every commit, and with every credential that it reads. A clock
 * can be set back, and several servers can have different ones; recorded instants never go back. So what has expired by them stays expired, and a clock
 * that is far ahead of all of them is not believed.
 */
export class RecordedInstants {
  readonly #storage: Storage
  readonly #clock: () => number
  readonly #isClockTrusted: boolean
  readonly #tenants = new Map<string, number>()
  /** The latest of all tenants. Null until one is known. */
  #latest: number | null = null
  /** Where the clock was when the whole database was last searched in vain for a late record, and whether it was ahead of what was found. */
  #searched = { at: Number.NEGATIVE_INFINITY, isAhead: false }
  #search: Promise<boolean> | null = null

  /** With a trusted clock, the instants of records count for nothing: the operator says that the records are wrong, or that the server was off for long. */
  constructor(storage: Storage, clock: () => number, isClockTrusted = false) {
    this.#storage = storage
    this.#clock = clock
    this.#isClockTrusted = isClockTrusted
  }

  /** The tenant has a record of this instant. */
  note(tenantId: string, at: number): void {
    this.#noteLatest(at)
    const latest = Math.max(at, this.#tenants.get(tenantId) ?? 0)
    // The tenants that were noted last are at the end, and the first one is dropped: its credentials are cached no longer.
    this.#tenants.delete(tenantId)
    this.#tenants.set(tenantId, latest)
    if (this.#tenants.size <= limits.recordedInstantsMax) return
    const [oldest] = this.#tenants.keys()
    if (oldest !== undefined) this.#tenants.delete(oldest)
  }

  /** What has expired is compared with this: the later of now and the tenant's last recorded instant. */
  expiryNow(tenantId: string): number {
    const now = this.#clock()
    return this.#isClockTrusted ? now : Math.max(now, this.#tenants.get(tenantId) ?? 0)
  }

  /** How far the clock is behind the latest record that this process knows; 0 when it is not. */
  get behindMs(): number {
    return Math.max(0, (this.#latest ?? 0) - this.#clock())
  }

  /**
   * Whether the clock is more than `clockAheadMsMax` after every record of the database. What is recorded by such a clock would be the last instant of the
   * tenant for years. The database is read only if this process knows no record that is late enough.
   */
  isAhead(): boolean | Promise<boolean> {
    if (this.#isClockTrusted || !this.#isAheadOf(this.#latest)) return false
    if (Math.abs(this.#clock() - this.#searched.at) < limits.clockSearchPauseMs) return this.#searched.isAhead
    this.#search ??= this.#searchLatest().finally(() => {
      this.#search = null
    })
    return this.#search
  }

  /** A record from before there was this program was made by a clock that was not set, or imported: it says nothing about the clock of today. */
  #noteLatest(at: number): void {
    if (at >= limits.recordedInstantMin) this.#latest = Math.max(this.#latest ?? 0, at)
  }

  #isAheadOf(instant: number | null): boolean {
    return instant === null || this.#clock() - instant > limits.clockAheadMsMax
  }

  /** Looks for a record that is late enough. With a database that says nothing about the clock, any clock is believed. */
  async #searchLatest(): Promise<boolean> {
    for (let after: string | null = null; ; ) {
      const page = await this.#storage.tenants({ after, limit: tenantsPerPage })
      for (const { tenantId, createdAt } of page) {
        // A tenant whose history was imported was created later than its records.
        this.#noteLatest(createdAt)
        this.note(tenantId, (await this.#storage.clock(tenantId))?.lastCreatedAt ?? 0)
        if (!this.#isAheadOf(this.#latest)) return false
      }
      after = page.at(-1)?.tenantId ?? null
      if (after === null) break
    }
    this.#searched = { at: this.#clock(), isAhead: this.#latest !== null }
    return this.#searched.isAhead
  }
}

const tenantsPerPage = 100

/** The same storage, whose commits are refused while the clock is far ahead. The instants that it reads and records are noted. */
export function noteInstants(storage: Storage, instants: RecordedInstants): Storage {
  function refuse(): never {
    throw new ColophonError(
      'clock_ahead',
      `The clock of the server is more than ${limits.clockAheadMsMax / dayMs} days ahead of every record of the database.`,
    )
  }
  return {
    ...storage,
    async tenant(tenantId) {
      const found = await storage.tenant(tenantId)
      if (found !== null) instants.note(tenantId, found.lastCreatedAt)
      return found
    },
    async activeCredential(tenantId, kind, id) {
      const found = await storage.activeCredential(tenantId, kind, id)
      if (found !== null) instants.note(tenantId, found.lastCreatedAt)
      return found
    },
    async clock(tenantId) {
      const found = await storage.clock(tenantId)
      if (found !== null) instants.note(tenantId, found.lastCreatedAt)
      return found
    },
    async ensureTenant(tenantId, fresh, now) {
      // A tenant that is there already is only read.
      if ((await instants.isAhead()) && (await storage.tenant(tenantId)) === null) refuse()
      return storage.ensureTenant(tenantId, fresh, now)
    },
    async noteKeyUse(tenantId, keyId, at) {
      // The latest use is kept: a wrong one would stay.
      if (!(await instants.isAhead())) await storage.noteKeyUse(tenantId, keyId, at)
    },
    async commit(batch) {
      const isAhead = instants.isAhead()
      if (isAhead instanceof Promise ? await isAhead : isAhead) refuse()
      const committed = await storage.commit(batch)
      if (committed.clock !== null) instants.note(batch.tenantId, committed.clock.lastCreatedAt)
      return committed
    },
  }
}
