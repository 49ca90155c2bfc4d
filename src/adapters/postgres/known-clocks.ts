import type { Clock } from '../../core/commit/batch.ts'

const tenantsMax = 10_000
const restMax = 64

/**
 * Where this process last saw the clocks of its tenants. A clock is taken out by whoever uses it and noted again when that
 * went well, so nobody goes on from one that is in doubt. After a miss, because another process writes for the same
 * tenant, the next commits do not try: twice as many with every miss.
 */
export class KnownClocks {
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

  note(tenantId: string, clock: Clock): void {
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
