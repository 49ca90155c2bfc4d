import type { FastifyRequest } from 'fastify'
import type { Principal, StaticKey } from '../app/access/authenticate.ts'
import type { Engine } from '../app/engine.ts'
import { hashKey } from '../core/access/api-key.ts'
import { ColophonError } from '../core/errors.ts'
import type { App } from './context.ts'
import { createRateLimit } from './rate-limit.ts'
import type { RequestTurns } from './request-turns.ts'

type Authenticate = (authorization: string | undefined) => Promise<Principal>

export type AccessOptions = {
  readonly staticKeys: readonly StaticKey[]
  readonly operatorKey: string | null
  readonly rateLimitPerMin: number
  readonly turns: RequestTurns
}

/** Before any handler and before any look for what exists: who is it, not too often, and may they? */
export function guardRoutes(app: App, engine: Engine, authenticate: Authenticate, options: AccessOptions): void {
  const operatorHash = options.operatorKey === null ? null : hashKey(options.operatorKey)
  const countCall = createRateLimit(options.rateLimitPerMin, engine.system.now)

  const { turns } = options

  app.decorateRequest('principal', null)
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      // Looked at now: hooks that come after this one may say who may call a route.
      const { access, waits } = request.routeOptions.config
      const work = () => handler.call(this, request, reply) as Promise<unknown>
      return access === 'public' || access === 'operator' || waits ? work() : turns.work(request, work)
    }
  })
  app.addHook('onRequest', async (request, reply) => {
    // A path without a route has no access rule: it needs a key too, so that nobody can map the server without one.
    const access = request.routeOptions.config.access
    if (access === 'public') return
    if (access === 'operator') return checkOperator(request)
    const principal = await turns.knock(request, () => authenticate(request.headers.authorization))
    request.principal = principal
    const waitMs = countCall(principal.keyId)
    if (waitMs > 0) {
      reply.header('retry-after', String(Math.ceil(waitMs / 1_000)))
      throw new ColophonError('rate_limited', 'This key makes too many calls.', {
        details: { retryAfterMs: waitMs, scope: 'key', limit: options.rateLimitPerMin },
      })
    }
    if (access !== undefined && access !== 'key' && !principal.scopes.includes(access)) {
      throw new ColophonError('forbidden', 'The key may not do this.', { details: { requiredScope: access } })
    }
  })

  function checkOperator(request: FastifyRequest): void {
    const key = /^(?:Bearer|ApiKey) +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const given = hashKey(key ?? '')
    if (operatorHash !== null && engine.system.isSame(operatorHash, given)) return
    throw new ColophonError('unauthenticated', 'Only the operator key opens this.')
  }
}
