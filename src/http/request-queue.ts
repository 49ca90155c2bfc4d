import type { FastifyRequest } from 'fastify'
import type { Principal } from '../app/access/authenticate.ts'
import { hashKey } from '../core/access/api-key.ts'
import { isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { Storage } from '../ports/storage.ts'
import { FairQueue, type FairQueueRules, type RemoteTenantActivity } from '../scheduling/fair-queue.ts'
import { type App, principalOf } from './route-context.ts'

const kind = 'requests'

/** Releases the slot as soon as the key is looked up: the handler of the same request needs it. */
const thenRelease =
  <T>(work: () => Promise<T>) =>
  (release: () => void) =>
    work().finally(release)

/** The parts of a request that the queue needs. */
type QueuedRequest = Pick<FastifyRequest, 'headers' | 'traceScope'>

export type RequestQueueRules = Pick<FairQueueRules, 'share'> &
  Partial<Pick<FairQueueRules, 'holdMs' | 'limits' | 'now'>>

/** The fair queue of the requests of this process. */
export type RequestQueue = {
  /** The number of requests that wait for a slot. */
  readonly waiting: () => number
  /** Up to two tenants with recent requests. */
  readonly activeTenants: () => readonly string[]
  /** Sets which tenants are active in other processes. */
  readonly setRemoteActivity: (elsewhere: RemoteTenantActivity) => void
  /**
   * Authenticates a request in the queue of the tenant that its key belongs to. The tenant of an unknown key may be invented, so a
   * request with one neither waits in the queue of that tenant nor fills it.
   */
  readonly authenticate: (request: QueuedRequest, authenticate: () => Promise<Principal>) => Promise<Principal>
  /** Runs the handler of an authenticated request. */
  readonly handle: <T>(request: FastifyRequest, handler: () => Promise<T>) => Promise<T>
}

/**
 * Fair queueing of requests. While several tenants are active, few requests of one tenant run at once, then none for as long as they
 * took; the others wait before they cost anything. A request holds a slot while its key is looked up and while its handler runs, not
 * while its body is received.
 */
export function createRequestQueue(rules: RequestQueueRules): RequestQueue {
  const queue = new FairQueue({
    resource: 'request',
    slots: null,
    holdMs: limits.requestHoldMs,
    inBursts: true,
    ...rules,
  })
  /** Tenants of recently used keys, by key hash. They only choose the queue: every key is authenticated all the same. */
  const tenants = new Map<string, string>()

  async function run<T>(
    tenant: string,
    scope: QueuedRequest['traceScope'],
    work: (release: () => void) => Promise<T>,
  ): Promise<T> {
    const queuedAt = performance.now()
    return queue.run(tenant, kind, async (release) => {
      if (scope) {
        scope.requestQueueMs += performance.now() - queuedAt
        scope.releaseRequestSlot = release
      }
      return work(release)
    })
  }

  return {
    waiting: () => queue.waiting,
    activeTenants: () => queue.activeTenants(),
    setRemoteActivity: (elsewhere) => queue.setRemoteActivity(elsewhere),

    async authenticate({ headers, traceScope }, authenticate) {
      const hash = hashKey(headers.authorization ?? '')
      const known = tenants.get(hash)
      try {
        const principal = await (known === undefined
          ? authenticate()
          : run(known, traceScope, thenRelease(authenticate)))
        remember(hash, principal.tenantId)
        return principal
      } catch (error) {
        if (isColophonError(error) && error.kind === 'unauthenticated') tenants.delete(hash)
        throw error
      }
    },

    handle: (request, handler) => run(principalOf(request).tenantId, request.traceScope, handler),
  }

  /** Keeps the most recently used keys: the latest is last, and the oldest is removed when there are too many. */
  function remember(hash: string, tenantId: string): void {
    tenants.delete(hash)
    tenants.set(hash, tenantId)
    const [oldest] = tenants.size > limits.requestKeysMax ? tenants.keys() : []
    if (oldest !== undefined) tenants.delete(oldest)
  }
}

/**
 * Shares the active tenants with the other processes on the same database. A tenant whose requests arrive at several processes is then
 * limited in all of them together. Runs only while this process has requests. If the database does not answer, the information expires
 * and no tenant stays limited.
 */
export function shareTenantActivity(app: App, storage: Storage, queue: RequestQueue): void {
  if (!storage.traits.sharedAcrossProcesses) return
  let isSharing = false
  const share = async () => {
    const active = queue.activeTenants()
    if (isSharing || active.length === 0) return
    isSharing = true
    await storage
      .shareTenantActivity(active)
      .then(queue.setRemoteActivity)
      .catch(() => {})
    isSharing = false
  }
  app.addHook('onListen', async () => {
    const timer = setInterval(() => void share(), limits.tenantActivityShareMs).unref()
    app.server.once('close', () => clearInterval(timer))
  })
}
