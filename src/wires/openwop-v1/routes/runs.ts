import { scopesOfNamedRef } from '../../../app/runs/agent-workflow.ts'
import { getRun } from '../../../app/runs/control.ts'
import { createRun } from '../../../app/runs/create-run.ts'
import { describeRun } from '../../../app/runs/describe-run.ts'
import { forkRun } from '../../../app/runs/fork-run.ts'
import { isColophonError } from '../../../core/errors.ts'
import { isKnownTag } from '../../../http/etag.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope, checkScopes } from '../../../http/route-context.ts'
import { NoContent } from '../../schema-parts.ts'
import { ForkDraft, RunDraft } from '../schemas/run-drafts.ts'
import { RunCreated, RunForked, RunView } from '../schemas/runs.ts'
import { toRunView } from '../views/runs.ts'

const tag = 'runs'

/** Create, read and fork runs. */
export const runRoutes = [
  route('createRun', 'POST /v1/runs', 'runs:create', {
    summary: 'Start a run',
    description:
      'Starts a run of a workflow. The run reads a snapshot of the current memory, also while memory changes. With `X-Dedup: enforce` the request is refused (409) while another run of the same `scopeId` is active. A run of an agent with the input `memoryRef` also needs `memory:read`, and `memory:write` if a tool of the agent writes.',
    tag,
    body: RunDraft,
    responses: { 201: RunCreated },
    async handler({ tenant, body, write, request, reply }) {
      checkScopes(request, await scopesOfNamedRef(tenant, body))
      const isAloneInScope = request.headers['x-dedup'] === 'enforce'
      const created = createRun(tenant, body, { ...write, isAloneInScope }).catch((error: unknown) => {
        if (isColophonError(error, 'run_already_active')) reply.header('retry-after', '1')
        throw error
      })
      const { run, repeated } = await created
      const { runId, status } = run
      return respond({ runId, status, eventsUrl: eventsUrl(runId), statusUrl: `/v1/runs/${runId}` }, { repeated })
    },
  }),
  route('getRun', 'GET /v1/runs/{runId}', 'runs:read', {
    summary: 'Get a run',
    description:
      'Status, nodes, variables and the open interrupt of a run. Supports `If-None-Match`. The token of the interrupt is shown to keys with the scope `approvals:respond`.',
    tag,
    responses: { 200: RunView, 304: NoContent },
    async handler({ tenant, params, principal, request }) {
      const run = await getRun(tenant, params.runId)
      const etag = `"${run.runId}.${run.revision}"`
      if (isKnownTag(request.headers['if-none-match'], etag)) return respond(null, { status: 304, headers: { etag } })
      const withTokens = principal.scopes.includes('approvals:respond')
      const withFiles = principal.scopes.includes('workspace:read') && principal.reader === null
      return respond(toRunView(await describeRun(tenant, run, { withTokens, withFiles })), { headers: { etag } })
    },
  }),
  route('forkRun', 'POST /v1/runs/{runId}:fork', 'runs:create', {
    summary: 'Replay or branch a run',
    description:
      'Creates a new run from the record of another, on the memory that it read. Also needs the scope `runs:read`. Refused if that memory is no longer retained.',
    tag,
    body: ForkDraft,
    responses: { 201: RunForked },
    async handler({ tenant, params, body, write, request }) {
      checkScope(request, 'runs:read')
      const { run, fromSeq, mode, repeated } = await forkRun(tenant, params.runId, body, write)
      const { runId, status } = run
      const forked = { runId, sourceRunId: params.runId, fromSeq, mode, status, eventsUrl: eventsUrl(runId) }
      return respond(forked, { repeated })
    },
  }),
]

function eventsUrl(runId: string): string {
  return `/v1/runs/${runId}/events`
}
