import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'

type Waiter = { readonly begin: () => void; readonly timer: NodeJS.Timeout }
type Line = {
  readonly tenant: string
  running: number
  readonly waiting: Waiter[]
  /** When the first of those who run began. */
  since: number
  isResting: boolean
}

export type TurnLimits = {
  readonly queueMax: number
  readonly queuePerTenantMax: number
  readonly waitMs: number
}

/** Tenants that ask other processes, and how many of them. */
export type Elsewhere = ReadonlyMap<string, number>

/** What places are given for. The limits of their lines have its name. */
type Resource = 'database' | 'request'

export type TurnRules = {
  readonly of: Resource
  /** How many there are; none means that only the share bounds them. */
  readonly places: number | null
  /** How many of them one line may have while other tenants ask too. */
  readonly share: number
  /** Whoever holds one for longer waits for something else: it counts no more. */
  readonly holdMs?: number
  /**
   * While others ask, those who wait in a line begin together, as many as its share; when all of them have left, the line rests
   * for as long as that took. What is done together costs less, and in the rests the machine is free for the others. Where
   * others wait too, there is no rest: it would be free for nobody.
   */
  readonly inBursts?: boolean
  readonly limits?: TurnLimits
  /** No time of day: it is never set back. */
  readonly now?: () => number
}

/** The kind of calls that are made before anybody knows whether who asks may. */
export const atTheDoor = 'keys'

/**
 * Places to work in, given to tenants in turn. Whoever is alone may have them all. While several tenants ask, none has more
 * than its share, so that a place is free for the next call of a quiet one, and a place that becomes free goes to
 * whoever holds the fewest. Who would wait too long, or behind too many of its own, is refused by name.
 */
export class Turns {
  readonly #lines = new Map<string, Line>()
  /** When each tenant asked last, the latest at the end. */
  readonly #askedAt = new Map<string, number>()
  readonly #rules: TurnRules
  readonly #limits: TurnLimits
  readonly #now: () => number
  #elsewhere: Elsewhere = new Map()
  #heardAt = 0
  #free: number
  #waiting = 0

  constructor(rules: TurnRules) {
    this.#rules = rules
    this.#free = rules.places ?? Number.POSITIVE_INFINITY
    this.#limits = rules.limits ?? limitsOf(rules.of)
    this.#now = rules.now ?? (() => performance.now())
  }

  /** Those who wait for their turn. */
  get waiting(): number {
    return this.#waiting
  }

  /** The last who asked: two are enough to know for any tenant whether another asks. */
  asking(): readonly string[] {
    this.#forgetOldAsks()
    return [...this.#askedAt.keys()].slice(-2)
  }

  /** Who asks for places of the same kind in other processes. It holds for a moment. */
  hear(elsewhere: Elsewhere): void {
    this.#elsewhere = elsewhere
    this.#heardAt = this.#now()
  }

  /**
   * Runs the work when it is its turn. Lines of one tenant are apart; a host's own work has no tenant. The work may leave
   * its place before it ends, when all it has left to do is to wait.
   */
  async run<T>(tenant: string, kind: string, work: (leave: () => void) => Promise<T>): Promise<T> {
    const name = `${tenant} ${kind}`
    const line = this.#lines.get(name) ?? { tenant, running: 0, waiting: [], since: 0, isResting: false }
    this.#lines.set(name, line)
    // Whoever shows a key may have made up the tenant in it: that is no reason for others to hold back.
    if (tenant !== '' && kind !== atTheDoor) this.#noteAsk(tenant)
    if (this.#mayBegin(line) && line.waiting.length === 0) this.#begin(line)
    else await this.#wait(name, line)
    const { holdMs } = this.#rules
    let isHeld = true
    const leave = () => {
      if (isHeld) this.#release(name, line)
      isHeld = false
    }
    const timer = holdMs === undefined ? undefined : setTimeout(leave, holdMs)
    try {
      return await work(leave)
    } finally {
      clearTimeout(timer)
      // In the next turn of the event loop, so that what arrived meanwhile is seen: work may never have waited for anything.
      if (this.#rules.inBursts && this.#othersAsk(tenant)) setImmediate(leave)
      else leave()
    }
  }

  #wait(name: string, line: Line): Promise<void> {
    const { queueMax, queuePerTenantMax, waitMs } = this.#limits
    const isLong = line.waiting.length >= queuePerTenantMax
    if (isLong || this.#waiting >= queueMax) {
      // Names of tenants may be made up: a line that nobody stands in does not stay.
      if (isEmpty(line)) this.#lines.delete(name)
      const refusal = isLong
        ? this.#overloaded('QueuePerTenantMax', queuePerTenantMax)
        : this.#overloaded('QueueMax', queueMax)
      return Promise.reject(refusal)
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(waiter), 1)
        this.#waiting -= 1
        if (isEmpty(line)) this.#lines.delete(name)
        reject(this.#overloaded('WaitMs', waitMs))
      }, waitMs)
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
    const { inBursts = false } = this.#rules
    if (inBursts && line.running > 0 && this.#othersAsk(line.tenant)) return
    const restMs = inBursts ? this.#restOf(line) : 0
    if (restMs > 0) {
      line.isResting = true
      setTimeout(() => {
        line.isResting = false
        this.#startAll(line)
      }, restMs)
    } else this.#startAll(line)
  }

  /** Never longer than a place is held: it may have been busy all day before another tenant asked. */
  #restOf({ tenant, waiting, since }: Line): number {
    const othersWait = this.#waiting > waiting.length
    if (waiting.length === 0 || othersWait || !this.#othersAsk(tenant)) return 0
    return Math.round(Math.min(this.#now() - since, this.#rules.holdMs ?? 0))
  }

  #startAll(line: Line): void {
    // Where places are not counted, nobody else could wait for this one.
    const lines = this.#rules.places === null ? [line] : this.#lines
    while (this.#waiting > 0 && this.#startNext(lines));
  }

  #startNext(lines: readonly Line[] | ReadonlyMap<string, Line>): boolean {
    let next: Line | null = null
    for (const line of lines.values()) {
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
    if (line.running === 0) line.since = this.#now()
    line.running += 1
  }

  #mayBegin({ tenant, running, isResting }: Line): boolean {
    if (this.#free === 0) return false
    if (tenant === '' || !this.#othersAsk(tenant)) return true
    return !isResting && running < this.#shareOf(tenant)
  }

  #othersAsk(tenant: string): boolean {
    this.#forgetOldAsks()
    if (this.#askedAt.size > (this.#askedAt.has(tenant) ? 1 : 0)) return true
    const elsewhere = this.#heard()
    return elsewhere.size > (elsewhere.has(tenant) ? 1 : 0)
  }

  /** Whoever asks several processes has its share of all of them together, and one place in each. */
  #shareOf(tenant: string): number {
    return Math.max(1, Math.floor(this.#rules.share / (1 + (this.#heard().get(tenant) ?? 0))))
  }

  #heard(): Elsewhere {
    if (this.#elsewhere.size > 0 && this.#now() - this.#heardAt >= 2 * limits.askExchangeMs) this.#elsewhere = new Map()
    return this.#elsewhere
  }

  #noteAsk(tenant: string): void {
    this.#askedAt.delete(tenant)
    this.#askedAt.set(tenant, this.#now())
    this.#forgetOldAsks()
  }

  /** Keeps the tenants of the last moment, in order. */
  #forgetOldAsks(): void {
    const now = this.#now()
    for (const [other, at] of this.#askedAt) {
      if (now - at < limits.askedLatelyMs) return
      this.#askedAt.delete(other)
    }
  }

  #overloaded(limit: 'QueueMax' | 'QueuePerTenantMax' | 'WaitMs', max: number): ColophonError {
    const { of } = this.#rules
    const message = `Too many ${of === 'database' ? 'calls are waiting for the database' : 'requests are waiting for their turn'}.`
    return new ColophonError('overloaded', message, { details: { limit: `${of}${limit}`, max } })
  }
}

function limitsOf(of: Resource): TurnLimits {
  return {
    queueMax: limits[`${of}QueueMax`],
    queuePerTenantMax: limits[`${of}QueuePerTenantMax`],
    waitMs: limits[`${of}WaitMs`],
  }
}

function isEmpty({ running, waiting }: Line): boolean {
  return running === 0 && waiting.length === 0
}
