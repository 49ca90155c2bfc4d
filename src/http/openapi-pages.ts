import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance } from 'fastify'

/** A server of the document and its documentation page, for calls within this process: the public server passes requests on. */
export async function createPages(document: object): Promise<FastifyInstance> {
  const pages = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await pages.register(swagger, { mode: 'static', specification: { document: document as never } })
  await pages.register(swaggerUi, { routePrefix: '/docs', staticCSP: false })
  pages.get('/v1/openapi.json', async () => document)
  await pages.ready()
  return pages
}
