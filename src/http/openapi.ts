import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DescribedRoute } from './openapi-document.ts'
import type { App } from './route-context.ts'
import type { Wire } from './wire.ts'

/** The document has its own path; the others are of the documentation page. */
const paths = ['/v1/openapi.json', '/docs', '/docs/json', '/docs/yaml', '/docs/static/*']

/** Headers of one connection: the connection to this client has its own. */
const connectionHeaders = ['connection', 'date', 'keep-alive', 'transfer-encoding']

/**
 * Serves the OpenAPI document, which is generated from the routes, and its documentation page. Both are made on first use: few servers are
 * asked for them, and the packages that make them are a tenth of a start.
 */
export function describeApi(app: App, version: string, wires: readonly Wire[]): void {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', (route) => {
    if (route.schema !== undefined && !route.schema.hide && route.method !== 'HEAD') routes.push(route)
  })
  const ownDocuments = wires.flatMap(({ owns, document }) => (document === undefined ? [] : [{ owns, document }]))
  const loadDocument = async (title: string, described: (path: string) => boolean) => {
    const { createDocument } = await import('./openapi-document.ts')
    return createDocument(
      { title, version },
      wires,
      routes.filter(({ url }) => described(url)),
    )
  }
  const loadPages = async () => {
    const isInMain = (path: string) => !ownDocuments.some(({ owns }) => owns(path))
    const [document, { createPages }] = await Promise.all([
      loadDocument('Colophon', isInMain),
      import('./openapi-pages.ts'),
    ])
    return createPages(document)
  }
  let pages: Promise<FastifyInstance> | undefined
  const options = { config: { access: 'public' }, schema: { hide: true } } as const
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    pages ??= loadPages()
    const { method, url, headers } = request
    const answer = await (await pages).inject({ method: method as 'GET' | 'HEAD', url, headers })
    if (answer.statusCode === 404) return reply.callNotFound()
    if (answer.statusCode >= 400) throw Object.assign(new Error('no page'), { statusCode: answer.statusCode })
    for (const name of connectionHeaders) delete answer.headers[name]
    // An empty body is sent as none: as bytes it would get a content type.
    const body = answer.rawPayload.length > 0 ? answer.rawPayload : undefined
    return reply.code(answer.statusCode).headers(answer.headers).send(body)
  }
  for (const path of paths) app.get(path, options, send)
  for (const { document } of ownDocuments) {
    let made: Promise<object> | undefined
    app.get(document.path, options, async () => {
      made ??= loadDocument(document.title, document.describes)
      return made
    })
  }
}
