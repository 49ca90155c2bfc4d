import type { Clock } from '../../core/commit/batch.ts'

const tenantsMax = 10_000
const restMax = 64

/**
 * The clocks of tenants as this process last saw them. A commit takes the clock out and puts the next one in when it succeeds, so
 * no commit starts from a clock that may be wrong. After a miss, because another process writes for the same
 * tenant, the next commits use the lock: twice as many with every miss.
 */
export class CachedClocks {
  readonly #clocks = new Map<string, Clock>()
  readonly #misses = new Map<string, { rest: number; next: number }>()

  take(tenantId: string): Clock | null {
    const clock = this.#clocks.get(tenantId)
    if (clock === undefined) return null
    this.#clocks.delete(tenantId)
    const missed = this.#misses.get(tenantId)
    if (missed === undefined || missed.rest === 0) return clock
    missed.rest -= 1
    return null
  }

  put(tenantId: string, clock: Clock): void {
    this.#clocks.set(tenantId, clock)
    if (this.#clocks.size > tenantsMax) dropOldest(this.#clocks)
  }

  noteHit(tenantId: string): void {
    this.#misses.delete(tenantId)
  }

  noteMiss(tenantId: string): void {
    const rest = this.#misses.get(tenantId)?.next ?? 1
    this.#misses.set(tenantId, { rest, next: Math.min(rest * 2, restMax) })
    if (this.#misses.size > tenantsMax) dropOldest(this.#misses)
  }
}

function dropOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
