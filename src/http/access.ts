import type { FastifyRequest } from 'fastify'
import type { Principal, StaticKey } from '../app/access/authenticate.ts'
import type { Engine } from '../app/engine.ts'
import { hashKey } from '../core/access/api-key.ts'
import { checkReader, readerForbidden } from '../core/entries/readers.ts'
import { ColophonError, invalid } from '../core/errors.ts'
import { createRateLimit } from './rate-limit.ts'
import type { RequestQueue } from './request-queue.ts'
import type { App, Authenticate } from './route-context.ts'
import { checkSessionUse, sessionOf } from './session-cookie.ts'

export type AccessOptions = {
  readonly staticKeys: readonly StaticKey[]
  readonly operatorKey: string | null
  readonly rateLimitPerMin: number
  readonly requestQueue: RequestQueue
}

/** Names the reader of a request, percent-encoded: the key is bound to it for this request. */
const readerHeader = 'colophon-reader'

function asNamedReader(principal: Principal, header: string | string[] | undefined): Principal {
  if (header === undefined) return principal
  const reader = decodeReader(header)
  if (principal.reader !== null && principal.reader !== reader)
    throw readerForbidden('The key is bound to another reader.')
  return { ...principal, reader }
}

function decodeReader(header: string | string[]): string {
  try {
    const reader = decodeURIComponent(String(header))
    checkReader('Colophon-Reader', reader)
    return reader
  } catch (error) {
    throw error instanceof URIError ? invalid('Colophon-Reader', 'must be percent-encoded') : error
  }
}

/** Guards every route: authenticates the caller, applies the rate limit, and checks the scope, before any handler runs. */
export function guardRoutes(app: App, engine: Engine, authenticate: Authenticate, options: AccessOptions): void {
  const operatorHash = options.operatorKey === null ? null : hashKey(options.operatorKey)
  const countCall = createRateLimit(options.rateLimitPerMin, engine.system.now)

  const requestQueue = options.requestQueue

  app.decorateRequest('principal', null)
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      // Read per request: hooks that run after this one may set the access of a route.
      const { config } = request.routeOptions
      const handle = () => handler.call(this, request, reply) as Promise<unknown>
      const isUnqueued = config.access === 'public' || config.access === 'operator' || config.isLongLived
      return isUnqueued ? handle() : requestQueue.handle(request, handle)
    }
  })
  app.addHook('onRequest', async (request, reply) => {
    // A path without a route needs a key too, so that the routes cannot be enumerated without one.
    const access = request.routeOptions.config.access
    if (access === 'public') return
    if (access === 'operator') return checkOperator(request)
    const authenticated = await authenticate(request.headers.authorization, sessionOf(request))
    if (authenticated.sessionId !== undefined) checkSessionUse(request)
    const principal = asNamedReader(authenticated, request.headers[readerHeader])
    request.principal = principal
    const waitMs = countCall(principal.keyId)
    if (waitMs > 0) {
      reply.header('retry-after', String(Math.ceil(waitMs / 1_000)))
      throw new ColophonError('rate_limited', 'This key has made too many requests.', {
        details: { retryAfterMs: waitMs, scope: 'key', limit: options.rateLimitPerMin },
      })
    }
    if (access !== undefined && access !== 'key' && !principal.scopes.includes(access)) {
      throw new ColophonError('forbidden', `The key lacks the scope ${access}.`, { details: { requiredScope: access } })
    }
    const { readerRule = 'refused' } = request.routeOptions.config
    if (principal.reader !== null && readerRule === 'refused' && !request.is404)
      throw readerForbidden('This operation is for the whole tenant, and the key is bound to a reader.')
  })

  function checkOperator(request: FastifyRequest): void {
    const key = /^(?:Bearer|ApiKey) +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const given = hashKey(key ?? '')
    if (operatorHash !== null && engine.system.isSame(operatorHash, given)) return
    throw new ColophonError('unauthenticated', 'This path needs the operator key.')
  }
}
