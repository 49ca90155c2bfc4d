import { ColophonError } from '../core/errors.ts'
import { FairQueue } from '../core/fair-queue.ts'
import { limits } from '../core/limits.ts'

type Waiter = { readonly begin: () => void; readonly timer: NodeJS.Timeout | undefined }

export type QueueLimits = {
  /** Waiting calls of all tenants together. */
  readonly queueMax: number
  /** Waiting calls of one tenant. */
  readonly queuePerTenantMax: number
  /** The longest that a call may wait. */
  readonly waitMs: number
}

/** What the slots are for. It is the prefix of the names of the queue limits. */
type Resource = 'database' | 'request'

const refusals = { database: 'Too many calls are waiting for the database.', request: 'Too many requests are waiting.' }

/**
 * A semaphore whose slots are given out by a fair queue. A call that would wait too long, or behind too many calls of its tenant, is
 * refused with `overloaded` and the name of the limit.
 *
 * @example
 * const semaphore = new FairSemaphore('database', 16)
 * const rows = await semaphore.run('acme', () => pool.query(statement))
 */
export class FairSemaphore {
  readonly #queue: FairQueue<Waiter>
  readonly #resource: Resource
  readonly #limits: QueueLimits

  constructor(resource: Resource, slots: number, given: QueueLimits = limitsOf(resource)) {
    this.#queue = new FairQueue(slots)
    this.#resource = resource
    this.#limits = given
  }

  /** The number of calls that wait for a slot. */
  get waiting(): number {
    return this.#queue.waiting
  }

  /** Runs a call of a tenant as soon as a slot is free for it. */
  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    await this.acquire(tenant)
    try {
      return await work()
    } finally {
      this.release(tenant)
    }
  }

  /** Waits for a slot. The caller releases it once. */
  acquire(tenant: string): Promise<void> {
    const { queueMax, queuePerTenantMax, waitMs } = this.#limits
    const queue = this.#queue
    const isFree = queue.free > 0
    if (!isFree && queue.waitingOf(tenant) >= queuePerTenantMax)
      return Promise.reject(this.#overloaded('QueuePerTenantMax', queuePerTenantMax))
    if (!isFree && queue.waiting >= queueMax) return Promise.reject(this.#overloaded('QueueMax', queueMax))
    return new Promise((begin, reject) => {
      const refuse = () => {
        if (queue.remove(tenant, waiter)) reject(this.#overloaded('WaitMs', waitMs))
      }
      const waiter: Waiter = { begin, timer: isFree ? undefined : setTimeout(refuse, waitMs) }
      queue.enqueue(tenant, waiter)
      this.#start()
    })
  }

  release(tenant: string): void {
    this.#queue.release(tenant)
    this.#start()
  }

  #start(): void {
    for (let next = this.#queue.start(); next !== null; next = this.#queue.start()) {
      clearTimeout(next.item.timer)
      next.item.begin()
    }
  }

  #overloaded(limit: 'QueueMax' | 'QueuePerTenantMax' | 'WaitMs', max: number): ColophonError {
    const details = { limit: `${this.#resource}${limit}`, max }
    return new ColophonError('overloaded', refusals[this.#resource], { details })
  }
}

function limitsOf(resource: Resource): QueueLimits {
  return {
    queueMax: limits[`${resource}QueueMax`],
    queuePerTenantMax: limits[`${resource}QueuePerTenantMax`],
    waitMs: limits[`${resource}WaitMs`],
  }
}
