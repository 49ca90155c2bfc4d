import { beginRequest } from '../telemetry/request.ts'
import { inScope, type Scope } from '../telemetry/scope.ts'
import type { App } from './context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    scope: Scope | null
  }
}

/** Makes each request a span in its caller's trace, and lets its handler know of it. */
export function traceRequests(app: App): void {
  app.decorateRequest('scope', null)
  app.addHook('onRequest', (request, reply, done) => {
    const { traceparent, tracestate } = request.headers
    const { method, id: requestId } = request
    const route = request.routeOptions.url ?? null
    const { scope, end } = beginRequest({ method, route, requestId, traceparent, tracestate })
    request.scope = scope
    // Not onResponse: an event stream has no response that ends, only a connection.
    if (end !== null) reply.raw.once('close', () => end(reply.raw.statusCode))
    done()
  })
  // Not before: a body comes in on the connection, which knows nothing of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.scope === null) done()
    else inScope(request.scope, done)
  })
}
