import { limits } from '../../core/limits.ts'
import {
  type Growth,
  otherCounts,
  pendingCounts,
  positionsWithoutCount,
  type QuotaCount,
  storedCounts,
} from '../../core/quotas/growth.ts'
import { type QuotaName, type Quotas, quotaExceeded } from '../../core/quotas/quota.ts'
import type { Storage } from '../../ports/storage.ts'
import { otherCounter, pendingCounter, storedCounter } from './count-usage.ts'
import { UsageGauge } from './usage-gauge.ts'

/** Something that is being added to a tenant. The caller settles it once, with the position at which it was stored, or null. */
export type Admission = { settle(position: number | null): void }

type Refusal = { readonly name: QuotaName; readonly used: number; readonly limit: number }

/** The counted quotas of one tenant in this process. */
export class TenantQuotas {
  readonly #storage: Storage
  readonly #tenantId: string
  readonly #stored: UsageGauge<(typeof storedCounts)[number]>
  readonly #other: UsageGauge<(typeof otherCounts)[number]>
  readonly #pending: UsageGauge<(typeof pendingCounts)[number]>
  /** The newest position that this process has seen; null before the first. */
  #position: number | null = null
  #commitsInFlight = 0
  /** The counts that took longer than a call waits. */
  readonly #hasWaited = new Set<unknown>()
  #limits: Quotas

  constructor(storage: Storage, tenantId: string, quotas: Quotas, now: () => number) {
    this.#storage = storage
    this.#tenantId = tenantId
    this.#limits = quotas
    this.#stored = new UsageGauge(storedCounts, storedCounter(storage, tenantId), now)
    this.#other = new UsageGauge(otherCounts, otherCounter(storage, tenantId), now)
    // One more than the quotas, so that a count shows that they are exceeded.
    const countMax = () => Math.max(this.#limits.runsPending, this.#limits.jobsPending) + 1
    this.#pending = new UsageGauge(pendingCounts, pendingCounter(storage, tenantId, countMax), now)
  }

  get limits(): Quotas {
    return this.#limits
  }

  set limits(quotas: Quotas) {
    this.#limits = quotas
  }

  begin(growth: Growth): Admission {
    const gauges = [this.#stored, this.#other, this.#pending]
    for (const gauge of gauges) gauge.begin(growth)
    this.#commitsInFlight += 1
    return {
      settle: (position) => {
        this.#commitsInFlight -= 1
        for (const gauge of gauges) gauge.settle(growth, position !== null)
        if (position === null) return
        this.#position = Math.max(this.#position ?? 0, position)
        const quotas = { ...this.#limits, otherBytes: this.#limits.bytes, rewrittenBytes: this.#limits.bytes }
        for (const gauge of gauges) {
          // Of what has no position every count is a whole one. A failure shows again when the count is needed.
          const isWhole = gauge === this.#other
          if (gauge.isOutdated(quotas) && (!isWhole || gauge.mayCountWhole)) gauge.recount(isWhole).catch(() => {})
        }
      },
    }
  }

  /** Whether it fits by what this process knows. False also means: nothing is known yet. */
  hasRoom(growth: Growth): boolean {
    const isStoredKnown = this.#isOtherKnown(growth) && (this.#isSmall(growth) || this.#stored.isCounted)
    const isPendingKnown = !addsTo(growth, pendingCounts) || this.#pending.isCounted
    return (isStoredKnown || !addsToStored(growth)) && isPendingKnown && !this.isExceededBy(growth)
  }

  /** Whether it would exceed a quota, by what this process knows. */
  isExceededBy(growth: Growth): boolean {
    const isStoredExceeded = !this.#isSmall(growth) && this.#storedRefusal(growth) !== null
    return isStoredExceeded || this.#pendingRefusal(growth) !== null
  }

  /** Counts until it is certain that something fits, and refuses it otherwise. */
  async ensureRoom(growth: Growth): Promise<void> {
    if (addsToStored(growth)) {
      this.#position ??= (await this.#storage.clock(this.#tenantId))?.position ?? 0
      await this.#countFirst([
        ...(this.#isOtherKnown(growth) ? [] : [this.#other]),
        ...(this.#isSmall(growth) ? [] : [this.#stored]),
      ])
      if (!this.#isSmall(growth)) await this.#ensureStored(growth)
    }
    if (!addsTo(growth, pendingCounts)) return
    if (!this.#pending.isCounted) await withinTime(this.#pending.recount(true))
    if (this.#pendingRefusal(growth) !== null) await withinTime(this.#pending.recount(true))
    refuse(this.#pendingRefusal(growth))
  }

  /**
   * What is used now, counted up to the newest commit, and without what was forgotten unless it was counted just now. A large tenant may
   * take longer than the caller wants to wait.
   */
  async usage(): Promise<Readonly<Pick<Quotas, 'entries' | 'bytes' | 'runsPending' | 'jobsPending'>>> {
    const others = this.#other.mayCountWhole ? [this.#other.recount(true)] : []
    const counts = [this.#stored.recount(this.#stored.mayCountWhole), this.#pending.recount(true), ...others]
    await Promise.all(counts.map(withinTime))
    return {
      entries: this.#stored.used('entries'),
      bytes: this.#bytes,
      runsPending: this.#pending.used('runsPending'),
      jobsPending: this.#pending.used('jobsPending'),
    }
  }

  /** Rows of earlier positions were stored or deleted, which only a whole count sees. */
  noteRewrite(): void {
    this.#stored.invalidate()
    this.noteFreed()
  }

  /** Rows without a position were deleted, which only a whole count sees. */
  noteFreed(): void {
    this.#other.noteFreed()
  }

  /** Begins the counts that were never made. The calls until they are done wait for them once only, not each of them. */
  async #countFirst(gauges: readonly Pick<UsageGauge<QuotaCount>, 'isCounted' | 'recount'>[]): Promise<void> {
    const missing = gauges.filter(({ isCounted }) => !isCounted)
    const counting = Promise.all(missing.map((gauge) => gauge.recount(true)))
    if (missing.every((gauge) => this.#hasWaited.has(gauge))) return void counting.catch(() => {})
    await withinTime(counting.then(() => {}))
    for (const gauge of missing) if (!gauge.isCounted) this.#hasWaited.add(gauge)
  }

  async #ensureStored(growth: Growth): Promise<void> {
    const isRefused = () => this.#storedRefusal(growth) !== null
    await this.#countFirst([this.#stored])
    if (isRefused()) await withinTime(this.#stored.recount(false))
    // What was forgotten, and what was removed of other things, is missing only in a whole count.
    const whole = [this.#stored, this.#other].filter((gauge) => isRefused() && gauge.mayCountWhole)
    await Promise.all(whole.map((gauge) => withinTime(gauge.recount(true))))
    refuse(this.#storedRefusal(growth))
  }

  /** Whether entries cannot exceed a quota yet, with everything else that is stored. */
  #isSmall({ otherBytes }: Growth): boolean {
    if (this.#position === null) return false
    const max = positionsWithoutCount(this.#limits, this.#other.used('otherBytes') + otherBytes)
    return this.#position + this.#commitsInFlight < max
  }

  /** Whether the bytes of everything else are counted, or need not be: few commits cannot have stored much. */
  #isOtherKnown(growth: Growth): boolean {
    if (this.#other.isCounted) return true
    const added = this.#other.used('otherBytes') + this.#other.used('rewrittenBytes')
    return this.#isSmall(growth) && added < this.#limits.bytes * limits.quotaRecountShare
  }

  get #bytes(): number {
    return this.#stored.used('bytes') + this.#other.used('otherBytes')
  }

  #storedRefusal({ entries, bytes, otherBytes }: Growth): Refusal | null {
    return (
      this.#refusal('entries', this.#stored.used('entries'), entries) ??
      this.#refusal('bytes', this.#bytes, bytes + otherBytes)
    )
  }

  #pendingRefusal(growth: Growth): Refusal | null {
    const refusals = pendingCounts.map((name) => this.#refusal(name, this.#pending.used(name), growth[name]))
    return refusals.find((refusal) => refusal !== null) ?? null
  }

  #refusal(name: QuotaName, used: number, added: number): Refusal | null {
    const limit = this.#limits[name]
    return added > 0 && used + added > limit ? { name, used, limit } : null
  }
}

function refuse(refusal: Refusal | null): void {
  if (refusal !== null) throw quotaExceeded(refusal.name, refusal.used, refusal.limit)
}

function addsToStored({ entries, bytes, otherBytes }: Growth): boolean {
  return entries + bytes + otherBytes > 0
}

function addsTo(growth: Growth, names: readonly QuotaCount[]): boolean {
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
