import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'

type Waiter = { readonly begin: () => void; readonly timer: NodeJS.Timeout }

/** The calls of one kind and tenant: how many run, and those that wait for a slot. */
type TenantQueue = {
  readonly tenant: string
  running: number
  readonly waiting: Waiter[]
  /** When the first of the running calls began. */
  since: number
  isPaused: boolean
}

export type QueueLimits = {
  /** Waiting calls of all tenants together. */
  readonly queueMax: number
  /** Waiting calls of one queue. */
  readonly queuePerTenantMax: number
  /** The longest that a call may wait. */
  readonly waitMs: number
}

/** By tenant: the number of other processes that receive calls of it. */
export type RemoteTenantActivity = ReadonlyMap<string, number>

/** What the slots are for. It is the prefix of the names of the queue limits. */
type Resource = 'database' | 'request'

export type FairQueueRules = {
  readonly resource: Resource
  /** The number of slots; with null, only `share` limits a tenant. */
  readonly slots: number | null
  /** The most slots that one tenant queue may use while other tenants are active. */
  readonly share: number
  /** After this time a call no longer occupies its slot: it waits for something else. */
  readonly holdMs?: number
  /**
   * While other tenants are active, the waiting calls of a queue start together, as many as its share. When all of them have ended, the
   * queue pauses for as long as they took. Calls that run together cost less, and during the pauses the machine is free for other
   * tenants. If calls of other tenants wait too, there is no pause: no tenant could use it.
   */
  readonly inBursts?: boolean
  readonly limits?: QueueLimits
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

/** The kind of database calls that are made before a request is authenticated. */
export const beforeAuth = 'keys'

/**
 * Fair queueing of tenants over a limited number of slots. A tenant that is alone may use all slots. While several tenants are active,
 * none uses more than its share, so that a slot is free for the next call of a tenant with few calls. A slot that becomes free goes to
 * the queue with the fewest running calls. A call that would wait too long, or behind too many calls of its tenant, is refused with
 * `overloaded` and the name of the limit.
 *
 * @example
 * const queue = new FairQueue({ resource: 'database', slots: 16, share: 2 })
 * const rows = await queue.run('acme', 'reads', () => pool.query(statement))
 */
export class FairQueue {
  readonly #queues = new Map<string, TenantQueue>()
  /** When each tenant made its last call, the latest at the end. */
  readonly #lastCallAt = new Map<string, number>()
  readonly #rules: FairQueueRules
  readonly #limits: QueueLimits
  readonly #now: () => number
  #elsewhere: RemoteTenantActivity = new Map()
  #elsewhereReadAt = 0
  #free: number
  #waiting = 0

  constructor(rules: FairQueueRules) {
    this.#rules = rules
    this.#free = rules.slots ?? Number.POSITIVE_INFINITY
    this.#limits = rules.limits ?? limitsOf(rules.resource)
    this.#now = rules.now ?? (() => performance.now())
  }

  /** The number of calls that wait for a slot. */
  get waiting(): number {
    return this.#waiting
  }

  /** The tenants of the last calls. Two are enough to know for any tenant whether another one is active. */
  activeTenants(): readonly string[] {
    this.#dropInactive()
    return [...this.#lastCallAt.keys()].slice(-2)
  }

  /** Sets which tenants are active in other processes. It expires after two exchange intervals. */
  setRemoteActivity(elsewhere: RemoteTenantActivity): void {
    this.#elsewhere = elsewhere
    this.#elsewhereReadAt = this.#now()
  }

  /**
   * Runs a call when a slot is free for it. Each tenant has one queue per kind; calls of the host itself have the tenant `''`. The call
   * may release its slot before it ends, when all that is left is to wait.
   */
  async run<T>(tenant: string, kind: string, work: (release: () => void) => Promise<T>): Promise<T> {
    const name = `${tenant} ${kind}`
    const queue = this.#queues.get(name) ?? { tenant, running: 0, waiting: [], since: 0, isPaused: false }
    this.#queues.set(name, queue)
    // Before authentication the tenant of a key may be invented, so it does not count as active.
    if (tenant !== '' && kind !== beforeAuth) this.#noteCall(tenant)
    if (this.#mayBegin(queue) && queue.waiting.length === 0) this.#begin(queue)
    else await this.#wait(name, queue)
    const { holdMs } = this.#rules
    let isHeld = true
    const release = () => {
      if (isHeld) this.#release(name, queue)
      isHeld = false
    }
    const timer = holdMs === undefined ? undefined : setTimeout(release, holdMs)
    try {
      return await work(release)
    } finally {
      clearTimeout(timer)
      // In the next iteration of the event loop, so that calls that arrived during the work are seen: it may have been synchronous.
      if (this.#rules.inBursts && this.#areOthersActive(tenant)) setImmediate(release)
      else release()
    }
  }

  #wait(name: string, queue: TenantQueue): Promise<void> {
    const { queueMax, queuePerTenantMax, waitMs } = this.#limits
    const isLong = queue.waiting.length >= queuePerTenantMax
    if (isLong || this.#waiting >= queueMax) {
      // Names of tenants may be invented: an empty queue is deleted.
      if (isEmpty(queue)) this.#queues.delete(name)
      const refusal = isLong
        ? this.#overloaded('QueuePerTenantMax', queuePerTenantMax)
        : this.#overloaded('QueueMax', queueMax)
      return Promise.reject(refusal)
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.waiting.splice(queue.waiting.indexOf(waiter), 1)
        this.#waiting -= 1
        if (isEmpty(queue)) this.#queues.delete(name)
        reject(this.#overloaded('WaitMs', waitMs))
      }, waitMs)
      const waiter: Waiter = { begin: resolve, timer }
      queue.waiting.push(waiter)
      this.#waiting += 1
    })
  }

  #release(name: string, queue: TenantQueue): void {
    this.#free += 1
    queue.running -= 1
    // Moved to the end: among queues with equally few running calls, the one that got no slot for longest is next.
    this.#queues.delete(name)
    if (!isEmpty(queue)) this.#queues.set(name, queue)
    const { inBursts = false } = this.#rules
    if (inBursts && queue.running > 0 && this.#areOthersActive(queue.tenant)) return
    const pauseMs = inBursts ? this.#pauseOf(queue) : 0
    if (pauseMs > 0) {
      queue.isPaused = true
      setTimeout(() => {
        queue.isPaused = false
        this.#startAll(queue)
      }, pauseMs)
    } else this.#startAll(queue)
  }

  /** At most `holdMs`: the queue may have been busy for hours before another tenant became active. */
  #pauseOf({ tenant, waiting, since }: TenantQueue): number {
    const othersWait = this.#waiting > waiting.length
    if (waiting.length === 0 || othersWait || !this.#areOthersActive(tenant)) return 0
    return Math.round(Math.min(this.#now() - since, this.#rules.holdMs ?? 0))
  }

  #startAll(queue: TenantQueue): void {
    // Without a number of slots, no call of another queue waits for this one.
    const queues = this.#rules.slots === null ? [queue] : this.#queues
    while (this.#waiting > 0 && this.#startNext(queues));
  }

  #startNext(queues: readonly TenantQueue[] | ReadonlyMap<string, TenantQueue>): boolean {
    let next: TenantQueue | null = null
    for (const queue of queues.values()) {
      const isBetter = next === null || queue.running < next.running
      if (queue.waiting.length > 0 && isBetter && this.#mayBegin(queue)) next = queue
    }
    const waiter = next?.waiting.shift()
    if (!next || !waiter) return false
    clearTimeout(waiter.timer)
    this.#waiting -= 1
    this.#begin(next)
    waiter.begin()
    return true
  }

  #begin(queue: TenantQueue): void {
    this.#free -= 1
    if (queue.running === 0) queue.since = this.#now()
    queue.running += 1
  }

  #mayBegin({ tenant, running, isPaused }: TenantQueue): boolean {
    if (this.#free === 0) return false
    if (tenant === '' || !this.#areOthersActive(tenant)) return true
    return !isPaused && running < this.#shareOf(tenant)
  }

  #areOthersActive(tenant: string): boolean {
    this.#dropInactive()
    if (this.#lastCallAt.size > (this.#lastCallAt.has(tenant) ? 1 : 0)) return true
    const elsewhere = this.#currentElsewhere()
    return elsewhere.size > (elsewhere.has(tenant) ? 1 : 0)
  }

  /** A tenant that is active in several processes divides its share among them, with at least one slot in each. */
  #shareOf(tenant: string): number {
    return Math.max(1, Math.floor(this.#rules.share / (1 + (this.#currentElsewhere().get(tenant) ?? 0))))
  }

  #currentElsewhere(): RemoteTenantActivity {
    if (this.#elsewhere.size > 0 && this.#now() - this.#elsewhereReadAt >= 2 * limits.tenantActivityShareMs)
      this.#elsewhere = new Map()
    return this.#elsewhere
  }

  #noteCall(tenant: string): void {
    this.#lastCallAt.delete(tenant)
    this.#lastCallAt.set(tenant, this.#now())
    this.#dropInactive()
  }

  /** Drops the tenants without a recent call. */
  #dropInactive(): void {
    const now = this.#now()
    for (const [other, at] of this.#lastCallAt) {
      if (now - at < limits.tenantActiveMs) return
      this.#lastCallAt.delete(other)
    }
  }

  #overloaded(limit: 'QueueMax' | 'QueuePerTenantMax' | 'WaitMs', max: number): ColophonError {
    const resource = this.#rules.resource
    const message = `Too many ${resource === 'database' ? 'calls are waiting for the database' : 'requests are waiting'}.`
    return new ColophonError('overloaded', message, { details: { limit: `${resource}${limit}`, max } })
  }
}

function limitsOf(resource: Resource): QueueLimits {
  return {
    queueMax: limits[`${resource}QueueMax`],
    queuePerTenantMax: limits[`${resource}QueuePerTenantMax`],
    waitMs: limits[`${resource}WaitMs`],
  }
}

function isEmpty({ running, waiting }: TenantQueue): boolean {
  return running === 0 && waiting.length === 0
}
