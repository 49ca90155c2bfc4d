import { embeddingsStatus, requestRebuild } from '../../../app/embeddings/manage-embeddings.ts'
import { respond, route } from '../../../http/route.ts'
import { JobStarted } from '../../schema-parts.ts'
import { EmbeddingsStatus } from '../schemas/embeddings.ts'

const base = '/v1/host/colophon/embeddings'
const common = { tag: 'embeddings' } as const

/** The vectors of the key's tenant. */
export const embeddingsRoutes = [
  route('getEmbeddingsStatus', `GET ${base}`, 'memory:admin', {
    ...common,
    summary: 'Get the state of embeddings',
    description: 'The model of this server, whether it works, and how many texts of the tenant have a vector.',
    responses: { 200: EmbeddingsStatus },
    handler: async ({ tenant }) => embeddingsStatus(tenant),
  }),
  route('rebuildEmbeddings', `POST ${base}:rebuild`, 'memory:admin', {
    ...common,
    summary: 'Rebuild embeddings',
    description: 'Starts a job that computes all vectors again. Until it is complete, searches use the old vectors.',
    responses: { 202: JobStarted },
    async handler({ tenant, write }) {
      const { jobId, repeated } = await requestRebuild(tenant, write)
      return respond({ jobId }, { repeated })
    },
  }),
]
