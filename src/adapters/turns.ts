import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'

type Waiter = { readonly begin: () => void; readonly timer: NodeJS.Timeout }
type Line = { readonly tenant: string; running: number; readonly waiting: Waiter[] }

export type TurnLimits = {
  readonly databaseQueueMax: number
  readonly databaseQueuePerTenantMax: number
  readonly databaseWaitMs: number
}

/** The kind of calls that are made before anybody knows whether who asks may. */
export const atTheDoor = 'keys'

/** For so long after a tenant asked, others hold back for it. */
const recentMs = 1_000

/**
 * Places for calls to the database, given to tenants in turn. Whoever is alone may have them all. While several tenants
 * ask, none has more than its share, so that a place is free for the next call of a quiet one, and a place that
 * becomes free goes to whoever holds the fewest. Who would wait too long, or behind too many of its own, is refused by name.
 */
export class Turns {
  readonly #lines = new Map<string, Line>()
  /** When each tenant asked last, the latest at the end. */
  readonly #askedAt = new Map<string, number>()
  readonly #share: number
  readonly #limits: TurnLimits
  readonly #now: () => number
  #free: number
  #waiting = 0

  /** `share` is how many places one line may have while other tenants ask too. `now` is no time of day: it is never set back. */
  constructor(places: number, share: number, turnLimits: TurnLimits = limits, now = () => performance.now()) {
    this.#share = share
    this.#free = places
    this.#limits = turnLimits
    this.#now = now
  }

  /** Runs the work when it is its turn. Lines of one tenant are apart; a host's own work has no tenant. */
  async run<T>(tenant: string, kind: string, work: () => Promise<T>): Promise<T> {
    const name = `${tenant} ${kind}`
    const line = this.#lines.get(name) ?? { tenant, running: 0, waiting: [] }
    this.#lines.set(name, line)
    // Whoever shows a key may have made up the tenant in it: that is no reason for others to hold back.
    if (tenant !== '' && kind !== atTheDoor) this.#noteAsk(tenant)
    if (this.#mayBegin(line) && line.waiting.length === 0) this.#begin(line)
    else await this.#wait(name, line)
    try {
      return await work()
    } finally {
      this.#release(name, line)
    }
  }

  #wait(name: string, line: Line): Promise<void> {
    const { databaseQueueMax, databaseQueuePerTenantMax, databaseWaitMs } = this.#limits
    if (line.waiting.length >= databaseQueuePerTenantMax)
      return Promise.reject(overloaded('databaseQueuePerTenantMax', databaseQueuePerTenantMax))
    if (this.#waiting >= databaseQueueMax) return Promise.reject(overloaded('databaseQueueMax', databaseQueueMax))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(waiter), 1)
        this.#waiting -= 1
        if (isEmpty(line)) this.#lines.delete(name)
        reject(overloaded('databaseWaitMs', databaseWaitMs))
      }, databaseWaitMs)
      const waiter: Waiter = { begin: resolve, timer }
      line.waiting.push(waiter)
      this.#waiting += 1
    })
  }

  #release(name: string, line: Line): void {
    this.#free += 1
    line.running -= 1
    // To the end: among those with equally few, who had no turn for longest comes first.
    this.#lines.delete(name)
    if (!isEmpty(line)) this.#lines.set(name, line)
    while (this.#waiting > 0 && this.#startNext());
  }

  #startNext(): boolean {
    let next: Line | null = null
    for (const line of this.#lines.values()) {
      const isBetter = next === null || line.running < next.running
      if (line.waiting.length > 0 && isBetter && this.#mayBegin(line)) next = line
    }
    const waiter = next?.waiting.shift()
    if (!next || !waiter) return false
    clearTimeout(waiter.timer)
    this.#waiting -= 1
    this.#begin(next)
    waiter.begin()
    return true
  }

  #begin(line: Line): void {
    this.#free -= 1
    line.running += 1
  }

  #mayBegin({ tenant, running }: Line): boolean {
    if (this.#free === 0) return false
    if (tenant === '') return true
    const others = this.#askedAt.size - (this.#askedAt.has(tenant) ? 1 : 0)
    return others === 0 || running < this.#share
  }

  /** Keeps the tenants of the last moment, in order. */
  #noteAsk(tenant: string): void {
    const now = this.#now()
    this.#askedAt.delete(tenant)
    this.#askedAt.set(tenant, now)
    for (const [other, at] of this.#askedAt) {
      if (now - at < recentMs) return
      this.#askedAt.delete(other)
    }
  }
}

function isEmpty({ running, waiting }: Line): boolean {
  return running === 0 && waiting.length === 0
}

function overloaded(limit: keyof TurnLimits, max: number): ColophonError {
  return new ColophonError('overloaded', 'Too many calls are waiting for the database.', { details: { limit, max } })
}
