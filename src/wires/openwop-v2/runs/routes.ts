import { scopesOfNamedRef } from '../../../app/runs/agent-workflow.ts'
import { getRun } from '../../../app/runs/control.ts'
import { createRun } from '../../../app/runs/create-run.ts'
import { describeRun } from '../../../app/runs/describe-run.ts'
import { forkRun } from '../../../app/runs/fork-run.ts'
import { listRuns } from '../../../app/runs/inspect-runs.ts'
import { isColophonError } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { isKnownTag } from '../../../http/etag.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope, checkScopes } from '../../../http/route-context.ts'
import { page } from '../../page.ts'
import { NoContent } from '../../schema-parts.ts'
import { bindErrorIds } from '../bound-details.ts'
import { invalidField, v2Error } from '../errors.ts'
import { writeOf } from '../idempotency.ts'
import { bindId, checkAuthoredId, openPathId, pathSegment } from '../ids.ts'
import { ForkDraft, RunDraft } from '../schemas/run-drafts.ts'
import { RunCreated, RunForked, RunList, RunListQuery, RunSnapshot } from '../schemas/runs.ts'
import { toFlatOptions } from './configurable.ts'
import { readSnapshots } from './read-snapshots.ts'
import { toSnapshot } from './snapshot.ts'

const tag = 'runs'

/** Create, list, read and fork runs. */
export const runRoutes = [
  route('createRun', 'POST /runs', 'runs:create', {
    summary: 'Start a run',
    description:
      'Starts a run of a workflow. The run reads a snapshot of the current memory, also while memory changes. With `OpenWOP-Dedup: enforce` the request is refused (409) while another run of the same `scopeId` is active. A run of an agent with the input `memoryRef` also needs `memory:read`, and `memory:write` if a tool of the agent writes.',
    tag,
    body: RunDraft,
    responses: { 201: RunCreated },
    async handler({ tenant, body, principal, request, reply }) {
      if (request.headers['openwop-force-engine-version'] !== undefined)
        throw v2Error('force_engine_version_forbidden', 'No key of this host may choose the version of the engine.')
      const write = writeOf(request, 'createRun', principal.actor)
      const { inputs, tags, metadata, scopeId } = body
      refuseUnsupported(body, tenant.id)
      const workflowId = checkAuthoredId('workflowId', body.workflowId)
      checkScopes(request, await scopesOfNamedRef(tenant, { workflowId, inputs }))
      const configurable = toFlatOptions(body.configurable ?? {})
      const isAloneInScope = request.headers['openwop-dedup'] === 'enforce'
      const draft = { workflowId, inputs, configurable, tags, metadata, scopeId }
      const created = createRun(tenant, draft, { ...write, isAloneInScope }).catch((error: unknown) => {
        if (isColophonError(error, 'run_already_active')) reply.header('retry-after', '1')
        return bindErrorIds(tenant.id)(error)
      })
      const { run, repeated } = await created
      const { runId, status } = run
      const segment = pathSegment(tenant.id, runId)
      const links = { eventsUrl: `/runs/${segment}/events`, statusUrl: `/runs/${segment}` }
      return respond({ runId: bindId(tenant.id, runId), status, ...links }, { repeated })
    },
  }),
  route('listRuns', 'GET /runs', 'runs:read', {
    summary: 'List runs',
    description:
      'The runs of the tenant, newest first, up to 100 in a page. Large runs make a page shorter: follow `nextCursor`.',
    tag,
    query: RunListQuery,
    responses: { 200: RunList },
    async handler({ tenant, query: { limit, cursor, status = null, workflowId = null } }) {
      // A cancelled run ends in the same commit, so none is ever being cancelled.
      const read = async (range: { after: string | null; limit: number }) =>
        status === 'cancelling' ? [] : listRuns(tenant, { status, workflowId, ...range })
      const { items, next } = await page({ limit, cursor }, 'runId', read, limits.runListPageMax)
      const { runs, stoppedAt } = await readSnapshots(tenant, items)
      const last = stoppedAt ?? next.cursor
      return { runs, ...(last === undefined ? {} : { nextCursor: last }) }
    },
  }),
  route('getRun', 'GET /runs/{runId}', 'runs:read', {
    summary: 'Get a run',
    description: 'Status, owner and variables of a run. Supports `If-None-Match`.',
    tag,
    responses: { 200: RunSnapshot, 304: NoContent },
    async handler({ tenant, params, request }) {
      const run = await getRun(tenant, openPathId('runId', tenant.id, params.runId))
      const etag = `"${run.runId}.${run.revision}.2"`
      if (isKnownTag(request.headers['if-none-match'], etag)) return respond(null, { status: 304, headers: { etag } })
      return respond(toSnapshot(await describeRun(tenant, run, { withTokens: false })), { headers: { etag } })
    },
  }),
  route('forkRun', 'POST /runs/{runId}:fork', 'runs:create', {
    summary: 'Replay or branch a run',
    description:
      'Creates a new run that inherits exactly the events before `fromSeq`; a node that was under way there is started again. Also needs the scope `runs:read`. Refused if the memory that the source read is no longer retained.',
    tag,
    body: ForkDraft,
    responses: { 201: RunForked },
    async handler({ tenant, params, body, principal, request }) {
      checkScope(request, 'runs:read')
      const write = writeOf(request, 'forkRun', principal.actor)
      const sourceRunId = openPathId('runId', tenant.id, params.runId)
      const { mode, fromSeq, runOptionsOverlay: overlay = {} } = body
      const { configurable, ...rest } = overlay
      const runOptionsOverlay = { ...rest, ...(configurable ? { configurable: toFlatOptions(configurable) } : {}) }
      const draft = { mode, fromSeq, runOptionsOverlay, boundary: 'event' } as const
      const { run, ...forked } = await forkRun(tenant, sourceRunId, draft, write).catch(bindErrorIds(tenant.id))
      const { runId, status } = run
      const response = {
        runId: bindId(tenant.id, runId),
        sourceRunId: bindId(tenant.id, sourceRunId),
        fromSeq: forked.fromSeq,
        mode,
        status,
        eventsUrl: `/runs/${pathSegment(tenant.id, runId)}/events`,
      }
      return respond(response, { repeated: forked.repeated })
    },
  }),
]

const unsupported = ['residency', 'callbackUrl', 'mode', 'evalSuiteRef', 'agentId'] as const

type Unsupported = { readonly [Name in (typeof unsupported)[number] | 'tenantId']?: unknown }

/** Members of the protocol that this host would ignore: the client would rely on them. */
function refuseUnsupported(body: Unsupported, tenantId: string): void {
  const given = unsupported.find((name) => body[name] !== undefined)
  if (given !== undefined) throw invalidField(given, 'is not supported by this host: omit it')
  if (body.tenantId === undefined || body.tenantId === tenantId) return
  throw v2Error('id_tenant_mismatch', 'The key belongs to another tenant.', { field: 'tenantId' })
}
