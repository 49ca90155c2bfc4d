import type { FastifyRequest } from 'fastify'
import { readerForbidden } from '../../../core/entries/readers.ts'
import { ColophonError, invalid } from '../../../core/errors.ts'
import type { App, RouteParts } from '../../../http/route-context.ts'
import { traceHeaders } from '../../../telemetry/trace-scope.ts'
import { McpQuery } from '../schemas/entries.ts'

/** The Model Context Protocol, for the tenant of the key. Each tool needs the scope of the route that it calls. */
export function mcpRoutes(app: App, { version, corsOrigins }: RouteParts): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    exposeHeadRoute: false,
    // Its tools call routes with the same key.
    config: { access: 'key', isLongLived: true, needsKey: true, readerRule: 'filtered' },
    // The protocol defines the schemas of requests and responses.
    schema: { hide: true, querystring: McpQuery },
    async handler(request, reply) {
      checkOrigin(request, corsOrigins)
      const { ref, subject, readers, reader, service, tools } = request.query
      const bound = request.principal?.reader ?? undefined
      if (reader !== undefined && bound !== undefined && reader !== bound)
        throw readerForbidden('The request is bound to another reader.')
      if (ref !== undefined && subject !== undefined) throw invalid('subject', 'must not be used together with ref')
      if (subject !== undefined && tools === 'server-memory')
        throw invalid('tools', 'must not be server-memory together with subject')
      // Loaded by the first request, so that the server starts faster.
      const { handleMcpRequest: answerMcp } = await import('../../../mcp/http.ts')
      const { toBoundRef: toBound } = await import('../../../mcp/bound-ref.ts')
      return reply.send(
        await answerMcp(app, version, {
          method: request.method,
          headers: new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
          body: request.body,
          key: /(?<!\S)\S+$/.exec(request.headers.authorization ?? '')?.[0] ?? '',
          bound: toBound({ ref, subject, readers }),
          service,
          tools,
          reader: reader ?? bound,
          trace: traceHeaders(),
        }),
      )
    },
  })
}

/** The protocol requires this check: a web page of another origin is refused, whatever its key. */
function checkOrigin({ headers }: FastifyRequest, allowed: readonly string[]): void {
  const { origin, host } = headers
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return
  if (URL.canParse(origin) && new URL(origin).host === host) return
  throw new ColophonError('origin_not_allowed', 'Requests from web pages of this origin are not allowed.')
}
