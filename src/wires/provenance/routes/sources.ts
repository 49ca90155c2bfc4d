import { ingestJobKind } from '../../../app/provenance/add.ts'
import { getSource, toSourceView, verifySource } from '../../../app/provenance/sources.ts'
import { toInstant } from '../../../core/check.ts'
import { ColophonError } from '../../../core/errors.ts'
import { type Job, retryJob } from '../../../core/job.ts'
import { limits } from '../../../core/limits.ts'
import { type App, principalOf, type RouteParts } from '../../../http/context.ts'
import { IdParams, NoQuery } from '../../params.ts'
import { IngestJob } from '../schemas/memories.ts'
import { SourceEvent, SourceEventPage, SourceEventQuery, Verified, VerifyDraft } from '../schemas/sources.ts'

const base = '/v1/tenant/source-events'

/** What services told, event by event, and the jobs that make memories of it. */
export function sourceRoutes(app: App, { engine, wakeWorkers }: RouteParts): void {
  const tags = ['sources']
  const forAuditors = { access: 'audit:read' } as const
  app.get(
    base,
    {
      config: forAuditors,
      schema: { tags, querystring: SourceEventQuery, response: { 200: SourceEventPage } },
    },
    async (request) => {
      const {
        external_user_id: subject = null,
        source_service: service = null,
        limit = 0,
        cursor = null,
      } = request.query
      const size = Math.min(limit > 0 ? limit : limits.pageEntriesDefault, limits.pageEntriesMax)
      const { tenantId } = principalOf(request)
      const query = { tenantId, subject, service, after: cursor, limit: size + 1 }
      const found = await engine.storage.provenance.sourceEvents(query)
      const shown = found.slice(0, size)
      const last = shown.at(-1)
      return { data: shown.map(toSourceView), ...(found.length > size && last ? { cursor: last.sourceEventId } : {}) }
    },
  )
  app.get(
    `${base}/:id(^[^:]+$)`,
    {
      config: forAuditors,
      schema: { tags, params: IdParams, querystring: NoQuery, response: { 200: SourceEvent } },
    },
    async (request) => getSource(engine.tenant(principalOf(request).tenantId), request.params.id),
  )
  app.post(
    `${base}/:id(^[^:]+$)::verify`,
    {
      config: forAuditors,
      schema: {
        tags,
        params: IdParams,
        querystring: NoQuery,
        body: VerifyDraft,
        response: { 200: Verified },
      },
    },
    async (request) => verifySource(engine.tenant(principalOf(request).tenantId), request.params.id, request.body),
  )

  const jobTags = ['memories']
  app.get(
    '/v1/memories/jobs/:id(^[^:]+$)',
    {
      config: { access: 'memory:read' },
      schema: { tags: jobTags, params: IdParams, querystring: NoQuery, response: { 200: IngestJob } },
    },
    async (request) => {
      const { tenantId } = principalOf(request)
      return jobView(tenantId, await ingestJob(tenantId, request.params.id))
    },
  )
  app.post(
    '/v1/memories/jobs/:id(^[^:]+$)::retry',
    {
      config: { access: 'memory:write' },
      schema: { tags: jobTags, params: IdParams, querystring: NoQuery, response: { 200: IngestJob } },
    },
    async (request) => {
      const { tenantId } = principalOf(request)
      const { jobId } = await ingestJob(tenantId, request.params.id)
      const job = await engine.storage.jobs.update(tenantId, jobId, (current) => retryJob(current, engine.system.now()))
      wakeWorkers()
      return jobView(tenantId, job)
    },
  )

  async function ingestJob(tenantId: string, jobId: string): Promise<Job> {
    const job = await engine.storage.jobs.get(tenantId, jobId)
    if (job?.kind !== ingestJobKind) throw new ColophonError('job_not_found', 'There is no such job.')
    return job
  }

  async function jobView(tenantId: string, job: Job) {
    const { sourceEventId } = job.payload as { sourceEventId: string }
    const event = await engine.storage.provenance.sourceEvent(tenantId, sourceEventId)
    return { ...toJobView(job), ...(event ? { memory_ref: `subject:${event.subject}` } : {}) }
  }
}

/** Waiting after a failed attempt is told as a failure that will be tried again. */
function statusOf({ status, error }: Job): 'queued' | 'processing' | 'completed' | 'failed' | 'dead' {
  if (status === 'leased') return 'processing'
  if (status === 'completed') return 'completed'
  if (status === 'dead' || status === 'cancelled') return 'dead'
  return error === null ? 'queued' : 'failed'
}

function toJobView(job: Job) {
  const result = (job.result ?? {}) as Record<string, never>
  const { memories_created = 0, memories_superseded = 0, memories_rejected = 0, extractor, usage } = result
  const status = statusOf(job)
  return {
    job_id: job.jobId,
    status,
    attempts: job.attempts,
    memories_created,
    memories_superseded,
    memories_rejected,
    ...(extractor === undefined ? {} : { extractor }),
    ...(usage === undefined ? {} : { usage }),
    ...(job.error === null ? {} : { error: job.error }),
    queued_at: toInstant(job.createdAt),
    ...(job.startedAt === null ? {} : { started_at: toInstant(job.startedAt) }),
    ...(status === 'completed' && job.endedAt !== null ? { completed_at: toInstant(job.endedAt) } : {}),
    ...(status === 'dead' && job.endedAt !== null ? { dead_lettered_at: toInstant(job.endedAt) } : {}),
  }
}
