import type { FastifyRequest } from 'fastify'
import { limits } from '../core/limits.ts'
import { quotaExceeded } from '../core/quotas/quota.ts'
import { FairSemaphore, type QueueLimits } from '../scheduling/fair-semaphore.ts'
import { principalOf } from './route-context.ts'

export type RequestQueueRules = {
  /** The number of requests that start in one turn of the event loop. */
  readonly slots?: number
  readonly limits?: QueueLimits
  /** The most requests of a tenant that this process may have begun and not answered. */
  readonly inFlightMax?: (tenantId: string) => number
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

/** The fair queue of the requests of this process. */
export type RequestQueue = {
  /** The number of requests that wait for a slot. */
  readonly waiting: () => number
  /** The number of requests of a tenant that wait or are being answered. */
  readonly inFlightOf: (tenantId: string) => number
  /** Whether requests wait, are being answered, or were a moment ago: many are answered together, and the next ones follow. */
  readonly isBusy: () => boolean
  /** Runs the handler of an authenticated request. */
  readonly handle: <T>(request: FastifyRequest, handler: () => Promise<T>) => Promise<T>
}

/**
 * Fair queueing of requests for the processor. Few handlers start in one turn of the event loop, and tenants take turns. Before the next
 * ones start, the process reads what has arrived meanwhile. So the request of a tenant with few requests waits for about one turn, however
 * many requests of another tenant wait. A handler that waits, for instance for the database or a model, uses no slot.
 */
export function createRequestQueue(rules: RequestQueueRules = {}): RequestQueue {
  const { slots = limits.requestsPerTurn, now = () => performance.now() } = rules
  const { inFlightMax = () => limits.quotaRequestsInFlight } = rules
  const inFlight = new Map<string, number>()
  const semaphore = new FairSemaphore('request', slots, rules.limits)
  /** When the handlers of this turn began to start; null before the first one. */
  let turnBeganAt: number | null = null
  /** When the last request of a tenant was answered that had no other. */
  let answeredAt = Number.NEGATIVE_INFINITY

  /** In the next turn. If the handlers of that turn take too long, then in the one after it. */
  function releaseNextTurn(tenantId: string): void {
    setImmediate(() => {
      // Scheduled first, so it runs before everything else of the next turn.
      if (turnBeganAt === null) setImmediate(() => (turnBeganAt = null))
      turnBeganAt ??= now()
      if (now() - turnBeganAt < limits.requestTurnMs) semaphore.release(tenantId)
      else releaseNextTurn(tenantId)
    })
  }

  return {
    waiting: () => semaphore.waiting,

    inFlightOf: (tenantId) => inFlight.get(tenantId) ?? 0,

    isBusy: () => inFlight.size > 0 || now() - answeredAt < limits.requestFollowsMs,

    async handle(request, handler) {
      const { tenantId } = principalOf(request)
      const own = inFlight.get(tenantId) ?? 0
      const quota = inFlightMax(tenantId)
      if (own >= quota) throw quotaExceeded('requestsInFlight', own, quota)
      inFlight.set(tenantId, own + 1)
      try {
        const queuedAt = now()
        await semaphore.acquire(tenantId)
        releaseNextTurn(tenantId)
        if (request.traceScope) request.traceScope.requestQueueMs += now() - queuedAt
        return await handler()
      } finally {
        const left = (inFlight.get(tenantId) ?? 1) - 1
        if (left > 0) inFlight.set(tenantId, left)
        else {
          inFlight.delete(tenantId)
          answeredAt = now()
        }
      }
    },
  }
}
