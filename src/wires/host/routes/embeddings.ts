import { embeddingsStatus, requestRebuild } from '../../../app/embeddings/manage.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { NoQuery } from '../../params.ts'
import { JobStarted } from '../../schema-parts.ts'
import { EmbeddingsStatus } from '../schemas/embeddings.ts'

const tags = ['embeddings']
const base = '/v1/host/colophon/embeddings'
const forAdmins = { access: 'memory:admin' } as const

/** The vectors of the key's tenant. */
export function embeddingsRoutes(app: App, { engine, wakeWorkers }: RouteParts): void {
  app.get(
    base,
    { config: forAdmins, schema: { tags, querystring: NoQuery, response: { 200: EmbeddingsStatus } } },
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
