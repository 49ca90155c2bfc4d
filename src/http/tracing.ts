import { startRequestSpan } from '../telemetry/request-span.ts'
import { inTraceScope, type TraceScope } from '../telemetry/trace-scope.ts'
import type { App } from './route-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace of the request, and the times that it waited. */
    traceScope: TraceScope | null
  }
}

/** Makes each request a span in the trace of its caller, and runs its handler in that context. */
export function traceRequests(app: App): void {
  app.decorateRequest('traceScope', null)
  app.addHook('onRequest', (request, reply, done) => {
    const { traceparent, tracestate } = request.headers
    const { method, id: requestId } = request
    const route = request.routeOptions.url ?? null
    const { scope, end } = startRequestSpan({ method, route, requestId, traceparent, tracestate })
    request.traceScope = scope
    // Not onResponse: an event stream ends with its connection, not with a response.
    if (end !== null) reply.raw.once('close', () => end(reply.raw.statusCode))
    done()
  })
  // Not earlier: the body is received in the async context of the connection, not of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.traceScope === null) done()
    else inTraceScope(request.traceScope, done)
  })
}
