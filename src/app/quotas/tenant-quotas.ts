import { limits } from '../../core/limits.ts'
import {
  type CountedQuota,
  type Growth,
  pendingQuotas,
  positionsWithoutCount,
  storedQuotas,
} from '../../core/quotas/growth.ts'
import { type Quotas, quotaExceeded } from '../../core/quotas/quota.ts'
import type { Storage } from '../../ports/storage.ts'
import { pendingCounter, storedCounter } from './count-usage.ts'
import { UsageGauge } from './usage-gauge.ts'

/** Something that is being added to a tenant. The caller settles it once, with the position at which it was stored, or null. */
export type Admission = { settle(position: number | null): void }

type Refusal = { readonly name: CountedQuota; readonly used: number; readonly limit: number }

/** The counted quotas of one tenant in this process. */
export class TenantQuotas {
  readonly #storage: Storage
  readonly #tenantId: string
  readonly #stored: UsageGauge<(typeof storedQuotas)[number]>
  readonly #pending: UsageGauge<(typeof pendingQuotas)[number]>
  /** The newest position that this process has seen; null before the first. */
  #position: number | null = null
  #commitsInFlight = 0
  #limits: Quotas

  constructor(storage: Storage, tenantId: string, quotas: Quotas, now: () => number) {
    this.#storage = storage
    this.#tenantId = tenantId
    this.#limits = quotas
    this.#stored = new UsageGauge(storedQuotas, storedCounter(storage, tenantId), now)
    // One more than the quotas, so that a count shows that they are exceeded.
    const countMax = () => Math.max(this.#limits.runsPending, this.#limits.jobsPending) + 1
    this.#pending = new UsageGauge(pendingQuotas, pendingCounter(storage, tenantId, countMax), now)
  }

  get limits(): Quotas {
    return this.#limits
  }

  set limits(quotas: Quotas) {
    this.#limits = quotas
  }

  begin(growth: Growth): Admission {
    this.#stored.begin(growth)
    this.#pending.begin(growth)
    this.#commitsInFlight += 1
    return {
      settle: (position) => {
        this.#commitsInFlight -= 1
        this.#stored.settle(growth, position !== null)
        this.#pending.settle(growth, position !== null)
        if (position === null) return
        this.#position = Math.max(this.#position ?? 0, position)
        for (const gauge of [this.#stored, this.#pending]) {
          // A failure shows again when the count is needed.
          if (gauge.isOutdated(this.#limits)) gauge.recount(false).catch(() => {})
        }
      },
    }
  }

  /** Whether it fits by what this process knows. False also means: nothing is known yet. */
  hasRoom(growth: Growth): boolean {
    const isStoredKnown = !addsTo(growth, storedQuotas) || this.#isSmall() || this.#stored.isCounted
    const isPendingKnown = !addsTo(growth, pendingQuotas) || this.#pending.isCounted
    return isStoredKnown && isPendingKnown && !this.isExceededBy(growth)
  }

  /** Whether it would exceed a quota, by what this process knows. */
  isExceededBy(growth: Growth): boolean {
    const isStoredExceeded = !this.#isSmall() && this.#refusal(growth, storedQuotas) !== null
    return isStoredExceeded || this.#refusal(growth, pendingQuotas) !== null
  }

  /** Counts until it is certain that something fits, and refuses it otherwise. */
  async ensureRoom(growth: Growth): Promise<void> {
    if (addsTo(growth, storedQuotas)) {
      this.#position ??= (await this.#storage.clock(this.#tenantId))?.position ?? 0
      if (!this.#isSmall()) await this.#ensure(this.#stored, storedQuotas, growth)
    }
    if (addsTo(growth, pendingQuotas)) await this.#ensure(this.#pending, pendingQuotas, growth)
  }

  /**
   * What is used now, counted up to the newest commit, and without what was forgotten unless it was counted just now. A large tenant may
   * take longer than the caller wants to wait.
   */
  async usage(): Promise<Growth> {
    const counts = [this.#stored.recount(this.#stored.mayCountWhole), this.#pending.recount(true)]
    await Promise.all(counts.map(withinTime))
    return {
      entries: this.#stored.used('entries'),
      bytes: this.#stored.used('bytes'),
      runsPending: this.#pending.used('runsPending'),
      jobsPending: this.#pending.used('jobsPending'),
    }
  }

  /** Rows of earlier positions were stored or deleted, which only a whole count sees. */
  noteRewrite(): void {
    this.#stored.invalidate()
  }

  async #ensure<Name extends CountedQuota>(
    gauge: UsageGauge<Name>,
    names: readonly Name[],
    growth: Growth,
  ): Promise<void> {
    const refusal = () => this.#refusal(growth, names)
    if (!gauge.isCounted) await withinTime(gauge.recount(true))
    if (refusal() !== null) await withinTime(gauge.recount(false))
    // What was forgotten is missing only in a whole count.
    if (refusal() !== null && gauge.mayCountWhole) await withinTime(gauge.recount(true))
    const last = refusal()
    if (last !== null) throw quotaExceeded(last.name, last.used, last.limit)
  }

  #isSmall(): boolean {
    if (this.#position === null) return false
    return this.#position + this.#commitsInFlight < positionsWithoutCount(this.#limits)
  }

  #refusal(growth: Growth, names: readonly CountedQuota[]): Refusal | null {
    for (const name of names) {
      const used = this.#used(name)
      const limit = this.#limits[name]
      if (growth[name] > 0 && used + growth[name] > limit) return { name, used, limit }
    }
    return null
  }

  #used(name: CountedQuota): number {
    return name === 'entries' || name === 'bytes' ? this.#stored.used(name) : this.#pending.used(name)
  }
}

function addsTo(growth: Growth, names: readonly CountedQuota[]): boolean {
  return names.some((name) => growth[name] > 0)
}

/** Waits for a count, but not long: it goes on in the background, and until it is done the last one counts. */
async function withinTime(counting: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limits.quotaCountWaitMs)
  })
  try {
    await Promise.race([counting, time])
  } finally {
    clearTimeout(timer)
    // After that time its failure is not reported: the next count shows it.
    counting.catch(() => {})
  }
}
