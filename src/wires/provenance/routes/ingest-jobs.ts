import { getIngestJob, retryIngestJob } from '../../../app/provenance/ingest-jobs.ts'
import { route } from '../../../http/route.ts'
import { IngestJob } from '../schemas/add.ts'
import { ReaderQuery } from '../schemas/memories.ts'
import { toIngestJobView } from '../views/ingest-jobs.ts'

const tag = 'memories'
const one = '/v1/memories/jobs/{id}'

/** Ingest jobs, which extract memories from source events. */
export const ingestJobRoutes = [
  route('getIngestJob', `GET ${one}`, 'memory:read', {
    summary: 'Get an ingest job',
    description: 'The state of an ingest job, and how many memories it created.',
    tag,
    query: ReaderQuery,
    responses: { 200: IngestJob },
    handler: async ({ tenant, params }) => toIngestJobView(await getIngestJob(tenant, params.id)),
  }),
  route('retryIngestJob', `POST ${one}:retry`, 'memory:write', {
    isUnkeyed: true,
    summary: 'Retry a dead ingest job',
    description: 'Queues a dead job again, with all its attempts.',
    tag,
    responses: { 200: IngestJob },
    handler: async ({ tenant, params }) => toIngestJobView(await retryIngestJob(tenant, params.id)),
  }),
]
