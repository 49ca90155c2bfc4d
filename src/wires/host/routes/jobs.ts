import { ingestJobKind } from '../../../app/provenance/add.ts'
import { explainResult } from '../../../app/provenance/explain-result.ts'
import type { IngestResult } from '../../../app/provenance/ingest.ts'
import { toInstant } from '../../../core/check.ts'
import type { JobView } from '../../../core/jobs/job.ts'
import { route } from '../../../http/route.ts'
import { cancelUnlessRun, getJob, listJobs } from '../../../jobs/manage-jobs.ts'
import { jobsOf } from '../../../jobs/queue.ts'
import { page } from '../../page.ts'
import { toResultView } from '../../provenance/views/ingest-jobs.ts'
import { Job, JobPage, JobQuery } from '../schemas/jobs.ts'

const base = '/v1/host/colophon/jobs'
const common = { tag: 'jobs' } as const

/** Background work of the key's tenant. */
export const jobRoutes = [
  route('listJobs', `GET ${base}`, 'memory:admin', {
    ...common,
    summary: 'List jobs',
    description: 'Jobs of the tenant, newest first. `status=dead` lists those that failed for good.',
    query: JobQuery,
    responses: { 200: JobPage },
    async handler({ tenant, query }) {
      const { items, next } = await page(query, 'jobId', (range) =>
        listJobs(tenant, { status: query.status ?? null, ...range }),
      )
      return { jobs: items.map(toView), ...next }
    },
  }),
  route('getJob', `GET ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Get a job',
    description:
      'The state of a job: its attempts, its progress, and its result or its error. The result of an ingest job also says what became of each content.',
    responses: { 200: Job },
    async handler({ tenant, params }) {
      const job = await getJob(tenant, params.id)
      const view = toView(job)
      if (job.kind !== ingestJobKind || !job.result) return view
      return { ...view, result: toResultView(await explainResult(tenant, job.result as IngestResult)) }
    },
  }),
  route('retryJob', `POST ${base}/{id}:retry`, 'memory:admin', {
    ...common,
    summary: 'Retry a job',
    description: 'Queues a dead or cancelled job again, with all its attempts. Refused in any other state.',
    isUnkeyed: true,
    responses: { 200: Job },
    handler: async ({ tenant, params }) => toView(await jobsOf(tenant).retry(params.id)),
  }),
  route('cancelJob', `POST ${base}/{id}:cancel`, 'memory:admin', {
    ...common,
    summary: 'Cancel a job',
    description: 'Cancels a job that has not ended. A job that executes a run is refused: cancel the run instead.',
    isUnkeyed: true,
    responses: { 200: Job },
    handler: async ({ tenant, params }) => toView(await cancelUnlessRun(tenant, params.id)),
  }),
]

/** The id of the run that a job executes or reports. The rest of the payload can contain memory text and is not shown. */
function runOf(payload: unknown): { runId?: string } {
  const { runId } = (payload ?? {}) as { runId?: unknown }
  return typeof runId === 'string' ? { runId } : {}
}

/** The result of an ingest job has its counts here: what became of each content is read with the job itself. */
function countsOf({ decided: _explained, emptyReason: _why, ...counts }: IngestResult) {
  return toResultView(counts)
}

function toView({ jobId, worker: _worker, payload, dueAt, createdAt, startedAt, endedAt, ...job }: JobView) {
  return {
    id: jobId,
    ...job,
    ...runOf(payload),
    ...(job.kind === ingestJobKind && job.result ? { result: countsOf(job.result as IngestResult) } : {}),
    dueAt: toInstant(dueAt),
    createdAt: toInstant(createdAt),
    ...(startedAt === null ? {} : { startedAt: toInstant(startedAt) }),
    ...(endedAt === null ? {} : { endedAt: toInstant(endedAt) }),
  }
}
