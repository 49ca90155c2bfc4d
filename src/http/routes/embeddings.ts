import { embeddingsStatus, requestRebuild } from '../../app/embeddings/manage.ts'
import * as wire from '../../wire/embeddings.ts'
import { JobStarted, NoQuery } from '../../wire/schemas.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../context.ts'
import { markReplay } from '../replay.ts'

const tags = ['embeddings']
const base = '/v1/host/colophon/embeddings'
const forAdmins = { access: 'memory:admin' } as const

/** The vectors of the key's tenant. */
export function embeddingsRoutes(app: App, { engine, wakeWorkers }: RouteParts): void {
  app.get(
    base,
    { config: forAdmins, schema: { tags, querystring: NoQuery, response: { 200: wire.EmbeddingsStatus } } },
    async (request) => embeddingsStatus(engine.tenant(principalOf(request).tenantId)),
  )
  app.post(
    `${base}::rebuild`,
    { config: forAdmins, schema: { tags, querystring: NoQuery, response: { 202: JobStarted } } },
    async (request, reply) => {
      const { jobId, repeated } = await requestRebuild(
        engine.tenant(principalOf(request).tenantId),
        writeOptions(request),
      )
      wakeWorkers()
      markReplay(request, reply, repeated)
      return reply.code(202).send({ jobId })
    },
  )
}
