import { runJobKind } from '../../../app/runs/new-run.ts'
import { toInstant } from '../../../core/check.ts'
import { ColophonError } from '../../../core/errors.ts'
import type { JobView } from '../../../core/job.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { enqueue, jobsOf } from '../../../jobs/queue.ts'
import { IdParams, NoQuery } from '../../params.ts'
import { JobStarted } from '../../schema-parts.ts'
import { Job, JobPage, JobQuery } from '../schemas/jobs.ts'
import { RedactionRequest } from '../schemas/rules.ts'

const host = '/v1/host/colophon'
const forAdmins = { access: 'memory:admin' } as const

/** Background work of the key's tenant, and the passes that one can ask for. */
export function jobRoutes(app: App, { engine, wakeWorkers }: RouteParts): void {
  app.post(
    `${host}/redactions`,
    {
      config: forAdmins,
      schema: {
        tags: ['rules'],
        querystring: NoQuery,
        body: RedactionRequest,
        response: { 202: JobStarted },
      },
    },
    async (request, reply) => {
      const draft = { kind: 'colophon.re-redact', payload: { dryRun: request.body.dryRun === true } }
      const { jobId, repeated } = await enqueue(
        engine.tenant(principalOf(request).tenantId),
        draft,
        writeOptions(request),
      )
      wakeWorkers()
      markReplay(request, reply, repeated)
      return reply.code(202).send({ jobId })
    },
  )

  app.get(
    `${host}/jobs`,
    { config: forAdmins, schema: { tags: ['jobs'], querystring: JobQuery, response: { 200: JobPage } } },
    async (request) => {
      const { status, cursor, limit } = request.query
      const found = await jobsOf(engine.tenant(principalOf(request).tenantId), wakeWorkers).list({
        limit: limit || 100,
        ...(status === undefined ? {} : { status }),
        ...(cursor === undefined ? {} : { after: cursor }),
      })
      const last = found.at(-1)
      return { jobs: found.map(toView), ...(found.length === (limit || 100) && last ? { cursor: last.jobId } : {}) }
    },
  )

  app.get(
    `${host}/jobs/:id`,
    {
      config: forAdmins,
      schema: { tags: ['jobs'], params: IdParams, querystring: NoQuery, response: { 200: Job } },
    },
    async (request) => {
      const job = await jobsOf(engine.tenant(principalOf(request).tenantId), wakeWorkers).get(request.params.id)
      if (job === null) throw new ColophonError('job_not_found', 'There is no such job.')
      return toView(job)
    },
  )

  for (const verb of ['retry', 'cancel'] as const) {
    app.post(
      `${host}/jobs/:id(^[^:]+$)::${verb}`,
      {
        config: forAdmins,
        schema: { tags: ['jobs'], params: IdParams, querystring: NoQuery, response: { 200: Job } },
      },
      async (request) => {
        const jobs = jobsOf(engine.tenant(principalOf(request).tenantId), wakeWorkers)
        const job = await jobs.get(request.params.id)
        if (verb === 'cancel' && job?.kind === runJobKind)
          throw new ColophonError('job_state', 'This job drives a run: cancel the run instead.')
        return toView(await jobs[verb](request.params.id))
      },
    )
  }
}

/** The run that a job drives or tells of is named; the rest of what a job carries is nobody's business here. */
function runOf(payload: unknown): { runId?: string } {
  const { runId } = (payload ?? {}) as { runId?: unknown }
  return typeof runId === 'string' ? { runId } : {}
}

function toView({ jobId, worker: _worker, payload, dueAt, createdAt, startedAt, endedAt, ...job }: JobView) {
  return {
    id: jobId,
    ...job,
    ...runOf(payload),
    dueAt: toInstant(dueAt),
    createdAt: toInstant(createdAt),
    ...(startedAt === null ? {} : { startedAt: toInstant(startedAt) }),
    ...(endedAt === null ? {} : { endedAt: toInstant(endedAt) }),
  }
}
