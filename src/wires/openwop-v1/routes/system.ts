import { advertise } from '../../../app/capabilities.ts'
import { sha256 } from '../../../core/digest.ts'
import type { App, RouteParts } from '../../../http/context.ts'
import { isKnownTag } from '../../../http/etag.ts'

const open = { access: 'public' } as const

/** Health, readiness and discovery: what anybody may ask. */
export function systemRoutes(app: App, { engine, facts }: RouteParts): void {
  app.get('/healthz', { config: open, schema: { tags: ['system'] } }, async () => ({ status: 'ok' }))

  app.get('/readyz', { config: open, schema: { tags: ['system'] } }, async (request, reply) => {
    try {
      await engine.storage.clocks(['default'])
      return { status: 'ready' }
    } catch {
      request.log.warn('not ready: the database does not answer')
      return reply.code(503).send({ status: 'unavailable' })
    }
  })

  app.get('/.well-known/openwop', { config: open, schema: { tags: ['system'] } }, async (request, reply) => {
    const document = JSON.stringify(advertise(await facts()))
    const etag = `"${sha256(document)}"`
    reply.header('etag', etag).header('cache-control', 'public, max-age=300')
    if (isKnownTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json').send(document)
  })
}
