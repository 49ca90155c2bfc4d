import { getRun } from '../../../app/runs/control.ts'
import { diffRuns, listRuns, runReads } from '../../../app/runs/inspect-runs.ts'
import { toInstant } from '../../../core/check.ts'
import { ColophonError } from '../../../core/errors.ts'
import type { RunSummary } from '../../../core/run/run.ts'
import { route } from '../../../http/route.ts'
import { DiffQuery, RunDiff } from '../../openwop-v1/schemas/run-inspect.ts'
import { toRunDiff } from '../../openwop-v1/views/run-inspect.ts'
import { createToken } from '../../openwop-v2/interrupts/token.ts'
import { page } from '../../page.ts'
import { InterruptToken, RunListQuery, RunPage, RunReads } from '../schemas/runs.ts'

const base = '/v1/host/colophon/runs'
const common = { tag: 'runs' } as const

/** Lists of runs, their reads, and differences between two runs. */
export const runRoutes = [
  route('listRuns', `GET ${base}`, 'runs:read', {
    ...common,
    summary: 'List runs',
    description: 'The runs of the tenant, newest first, filtered by status or workflow.',
    query: RunListQuery,
    responses: { 200: RunPage },
    async handler({ tenant, query }) {
      const { status = null, workflowId = null } = query
      const { items, next } = await page(query, 'runId', (range) => listRuns(tenant, { status, workflowId, ...range }))
      return { runs: items.map(toListItem), ...next }
    },
  }),
  route('listRunReads', `GET ${base}/{runId}/reads`, 'runs:read', {
    ...common,
    summary: 'List what a run read',
    description: 'The snapshot that the run reads at, and every read with the ids it returned. No content.',
    responses: { 200: RunReads },
    handler: async ({ tenant, params }) => runReads(tenant, params.runId),
  }),
  route('getInterruptToken', `GET ${base}/{runId}/interrupts/{nodeId}/token`, 'approvals:respond', {
    ...common,
    summary: 'Get a token for an interrupt',
    needsKey: true,
    description:
      'A token of OpenWOP 2 that lets a person without an API key read and answer the open interrupt of a node, at `path`, for 30 minutes at most. Every bearer can answer. An approval that names its approvers has none (404).',
    responses: { 200: InterruptToken },
    async handler({ tenant, params }) {
      const token = await createToken(tenant, await getRun(tenant, params.runId), params.nodeId)
      if (token === null)
        throw new ColophonError('interrupt_not_found', 'The node has no open interrupt that a token can answer.')
      return { token, path: `/interrupts/${token}` }
    },
  }),
  route('diffHostRuns', `GET ${base}/{runId}:diff`, 'runs:read', {
    ...common,
    summary: 'Compare two runs',
    description: 'Compares the events of two runs and returns the first difference. Ids and times are not compared.',
    query: DiffQuery,
    responses: { 200: RunDiff },
    handler: async ({ tenant, params, query }) => toRunDiff(await diffRuns(tenant, params.runId, query.against)),
  }),
]

function toListItem({ createdAt, endedAt, parentRunId, sourceRunId, ...run }: RunSummary) {
  return {
    ...run,
    createdAt: toInstant(createdAt),
    ...(endedAt === null ? {} : { completedAt: toInstant(endedAt) }),
    ...(parentRunId === null ? {} : { parentRunId }),
    ...(sourceRunId === null ? {} : { sourceRunId }),
  }
}
