import { cancelRun, getRun, noteBulkCancel, pauseRun, resumeRun } from '../../../app/runs/control.ts'
import { createRun } from '../../../app/runs/create.ts'
import { forkRun } from '../../../app/runs/fork.ts'
import { toRunView } from '../../../app/runs/snapshot.ts'
import { toInstant } from '../../../core/check.ts'
import { ColophonError, invalid, isColophonError } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import type { Run, RunSummary } from '../../../core/run/run.ts'
import { type App, checkScope, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { isKnownTag } from '../../../http/etag.ts'
import { markReplay } from '../../../http/replay.ts'
import { RunListQuery, RunPage } from '../../host/schemas/runs.ts'
import { NoQuery, RunParams } from '../../params.ts'
import {
  BulkCancel,
  BulkCancelResult,
  ForkDraft,
  PauseDraft,
  Reason,
  RunCreated,
  RunDraft,
  RunForked,
  RunState,
  RunView,
} from '../schemas/runs.ts'

const tags = ['runs']
const one = '/v1/runs/:runId(^[^:]+$)'

/** Runs: made, looked at, stopped, paused, forked. */
export function runRoutes(app: App, parts: RouteParts): void {
  lifeRoutes(app, parts)
  controlRoutes(app, parts)
}

function lifeRoutes(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/runs',
    {
      config: { access: 'runs:create' },
      schema: { tags, querystring: NoQuery, body: RunDraft, response: { 201: RunCreated } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const isAloneInScope = request.headers['x-dedup'] === 'enforce'
      const { run, repeated } = await createRun(engine.tenant(tenantId), request.body, {
        ...writeOptions(request),
        isAloneInScope,
      }).catch((error: unknown) => {
        if (isColophonError(error, 'run_already_active')) reply.header('retry-after', '1')
        throw error
      })
      markReplay(request, reply, repeated)
      return reply.code(201).send({ runId: run.runId, status: run.status, ...urlsOf(run) })
    },
  )

  app.get(
    '/v1/runs/:runId',
    {
      config: { access: 'runs:read' },
      schema: { tags, params: RunParams, querystring: NoQuery, response: { 200: RunView } },
    },
    async (request, reply) => {
      const { tenantId, scopes } = principalOf(request)
      const run = await getRun(engine.tenant(tenantId), request.params.runId)
      const etag = `"${run.runId}.${run.revision}"`
      reply.header('etag', etag)
      if (isKnownTag(request.headers['if-none-match'], etag)) return reply.code(304 as 200).send(undefined as never)
      return (await toRunView(engine.tenant(tenantId), run, {
        withTokens: scopes.includes('approvals:respond'),
      })) as never
    },
  )

  app.get(
    '/v1/host/colophon/runs',
    {
      config: { access: 'runs:read' },
      schema: { tags, querystring: RunListQuery, response: { 200: RunPage } },
    },
    async (request) => {
      const { limit = 0, cursor = null, status = null, workflowId = null } = request.query
      const size = Math.min(limit || limits.pageEntriesDefault, limits.pageEntriesMax)
      const { tenantId } = principalOf(request)
      const found = await engine.storage.runs.list({ tenantId, status, workflowId, after: cursor, limit: size + 1 })
      const runs = found.slice(0, size)
      const last = runs.at(-1)
      return { runs: runs.map(toListItem), ...(found.length > size && last ? { cursor: last.runId } : {}) }
    },
  )

  app.post(
    `${one}::fork`,
    {
      config: { access: 'runs:create' },
      schema: {
        tags,
        params: RunParams,
        querystring: NoQuery,
        body: ForkDraft,
        response: { 201: RunForked },
      },
    },
    async (request, reply) => {
      checkScope(request, 'runs:read')
      const { tenantId } = principalOf(request)
      const { runId } = request.params
      const { mode, fromSeq, runOptionsOverlay } = request.body
      const draft = { mode, fromSeq, runOptionsOverlay }
      const fork = await forkRun(engine.tenant(tenantId), runId, draft, writeOptions(request))
      markReplay(request, reply, fork.repeated)
      const { run } = fork
      return reply.code(201).send({
        runId: run.runId,
        sourceRunId: runId,
        fromSeq: fork.fromSeq,
        mode: fork.mode,
        status: run.status,
        eventsUrl: urlsOf(run).eventsUrl,
      })
    },
  )
}

function controlRoutes(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/runs/:runId/cancel',
    {
      config: { access: 'runs:cancel' },
      schema: {
        tags,
        params: RunParams,
        querystring: NoQuery,
        body: Reason,
        response: { 200: RunState },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { runId } = request.params
      const { run, repeated } = await cancelRun(
        engine.tenant(tenantId),
        runId,
        request.body?.reason,
        writeOptions(request),
      )
      if (run.status !== 'cancelled') {
        throw new ColophonError('run_state', `A run that is ${run.status} cannot be cancelled.`, {
          details: { runStatus: run.status },
        })
      }
      markReplay(request, reply, repeated)
      return { runId, status: run.status }
    },
  )

  app.post(
    '/v1/runs::bulk-cancel',
    {
      config: { access: 'runs:cancel' },
      schema: { tags, querystring: NoQuery, body: BulkCancel, response: { 200: BulkCancelResult } },
    },
    async (request, reply) => {
      const { tenantId, actor } = principalOf(request)
      const runIds = parseRunIds(request.body.runIds)
      const { reason } = request.body
      markReplay(
        request,
        reply,
        await noteBulkCancel(engine.tenant(tenantId), { runIds, reason }, writeOptions(request)),
      )
      return { results: await Promise.all(runIds.map((runId) => cancelOne(runId))) }

      async function cancelOne(runId: string) {
        try {
          const { run } = await cancelRun(engine.tenant(tenantId), runId, reason, { actor })
          if (run.status === 'cancelled') return { runId, ok: true, status: run.status }
          const error = { code: 'run_terminal', message: `The run is ${run.status}.` }
          return { runId, ok: false, status: run.status, error }
        } catch (error) {
          if (!isColophonError(error) || error.code === 'validation_error') throw error
          return { runId, ok: false, error: { code: error.code, message: error.message } }
        }
      }
    },
  )

  app.post(
    `${one}::pause`,
    {
      config: { access: 'runs:cancel' },
      schema: {
        tags,
        params: RunParams,
        querystring: NoQuery,
        body: PauseDraft,
        response: { 202: RunState },
      },
    },
    async (request, reply) => {
      const { runId } = request.params
      const { tenantId } = principalOf(request)
      const { run, repeated } = await pauseRun(
        engine.tenant(tenantId),
        runId,
        request.body ?? {},
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      // A pause that lets the current node finish is not in force yet; then there is no instant to tell.
      const at = run.facts.pause?.at ?? null
      return reply.code(202).send({ runId, status: 'paused', ...(at === null ? {} : { pausedAt: toInstant(at) }) })
    },
  )

  app.post(
    `${one}::resume`,
    {
      config: { access: 'runs:cancel' },
      schema: {
        tags,
        params: RunParams,
        querystring: NoQuery,
        body: Reason,
        response: { 202: RunState },
      },
    },
    async (request, reply) => {
      const { runId } = request.params
      const { tenantId } = principalOf(request)
      const { repeated } = await resumeRun(engine.tenant(tenantId), runId, request.body ?? {}, writeOptions(request))
      markReplay(request, reply, repeated)
      return reply.code(202).send({ runId, status: 'running', resumedAt: toInstant(engine.system.now()) })
    },
  )
}

function parseRunIds(value: unknown): string[] {
  const max = limits.bulkCancelRunsMax
  const isList =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= max &&
    value.every((id) => typeof id === 'string' && id.length <= limits.runIdCharactersMax)
  if (isList) return value as string[]
  throw invalid('runIds', `must be a list of 1 to ${max} run ids`, { maxRunIds: max, limit: 'bulkCancelRunsMax' })
}

function urlsOf({ runId }: Run) {
  return { eventsUrl: `/v1/runs/${runId}/events`, statusUrl: `/v1/runs/${runId}` }
}

function toListItem({ createdAt, endedAt, parentRunId, sourceRunId, ...run }: RunSummary) {
  return {
    ...run,
    createdAt: toInstant(createdAt),
    ...(endedAt === null ? {} : { completedAt: toInstant(endedAt) }),
    ...(parentRunId === null ? {} : { parentRunId }),
    ...(sourceRunId === null ? {} : { sourceRunId }),
  }
}
