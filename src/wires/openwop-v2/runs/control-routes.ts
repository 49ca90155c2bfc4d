import { type CancelResult, cancelRuns } from '../../../app/runs/cancel-runs.ts'
import { cancelRun, pauseRun, resumeRun } from '../../../app/runs/control.ts'
import { toInstant } from '../../../core/check.ts'
import { isColophonError } from '../../../core/errors.ts'
import { respond, route } from '../../../http/route.ts'
import { WireError } from '../../../http/wire-error.ts'
import { toV2Code } from '../codes.ts'
import { writeOf } from '../idempotency.ts'
import { bindId, openId, openPathId } from '../ids.ts'
import { BulkCancel, PauseDraft, Reason } from '../schemas/run-drafts.ts'
import { BulkCancelResult, RunState } from '../schemas/runs.ts'

const tag = 'runs'

/** Cancel, pause and resume runs. */
export const runControlRoutes = [
  route('cancelRun', 'POST /runs/{runId}/cancel', 'runs:cancel', {
    summary: 'Cancel a run',
    description: 'Ends a run and the runs that it started. A run that has ended is refused.',
    tag,
    body: Reason,
    responses: { 200: RunState },
    async handler({ tenant, params, body, principal, request }) {
      const write = writeOf(request, 'cancelRun', principal.actor)
      const runId = openPathId('runId', tenant.id, params.runId)
      const { run, repeated } = await cancelRun(tenant, runId, body?.reason, { ...write, refusesEnded: true })
      return respond({ runId: bindId(tenant.id, runId), status: run.status }, { repeated })
    },
  }),
  route('bulkCancelRuns', 'POST /runs:bulk-cancel', 'runs:cancel', {
    summary: 'Cancel many runs',
    description: 'Cancels each run independently: one that cannot be cancelled does not affect the others.',
    tag,
    body: BulkCancel,
    responses: { 200: BulkCancelResult },
    async handler({ tenant, body, principal, request }) {
      const write = writeOf(request, 'bulkCancelRuns', principal.actor)
      const opened = body.runIds.map((id) => openOwn(tenant.id, id))
      const runIds = opened.filter((id) => typeof id === 'string')
      const draft = { runIds, reason: body.reason, given: body.runIds }
      const { results, repeated } = await cancelRuns(tenant, draft, { ...write, refusesEnded: true })
      const rest = [...results]
      const inOrder = opened.map((id, index) =>
        typeof id === 'string'
          ? toResult(tenant.id, rest.shift() as CancelResult)
          : { runId: body.runIds[index] as string, ok: false, error: toEnvelope(id) },
      )
      return respond({ results: inOrder }, { repeated })
    },
  }),
  route('pauseRun', 'POST /runs/{runId}:pause', 'runs:cancel', {
    summary: 'Pause a run',
    description:
      'By default, the current node finishes first. Then `pausedAt` is missing in the response, because the pause is not in effect yet.',
    tag,
    body: PauseDraft,
    responses: { 202: RunState },
    async handler({ tenant, params, body, principal, request }) {
      const write = writeOf(request, 'pauseRun', principal.actor)
      const runId = openPathId('runId', tenant.id, params.runId)
      const { run, repeated } = await pauseRun(tenant, runId, body ?? {}, write)
      const at = run.facts.pause?.at ?? null
      const pausedAt = at === null ? {} : { pausedAt: toInstant(at) }
      return respond({ runId: bindId(tenant.id, runId), status: 'paused' as const, ...pausedAt }, { repeated })
    },
  }),
  route('resumeRun', 'POST /runs/{runId}:resume', 'runs:cancel', {
    summary: 'Resume a paused run',
    description: 'The run continues where it was paused. A run that is not paused is refused.',
    tag,
    body: Reason,
    responses: { 202: RunState },
    async handler({ tenant, params, body, principal, request }) {
      const write = writeOf(request, 'resumeRun', principal.actor)
      const runId = openPathId('runId', tenant.id, params.runId)
      const { repeated } = await resumeRun(tenant, runId, body ?? {}, write)
      const resumed = { runId: bindId(tenant.id, runId), status: 'running' as const }
      // The instant of the first call is not stored with its key.
      return respond({ ...resumed, ...(repeated ? {} : { resumedAt: toInstant(tenant.now()) }) }, { repeated })
    },
  }),
]

/** The engine's id of a run, or why it is none of this tenant's. */
function openOwn(tenantId: string, id: string): string | WireError {
  try {
    return openId('runIds', tenantId, id)
  } catch (error) {
    if (error instanceof WireError) return error
    throw error
  }
}

function toResult(tenantId: string, { runId, result }: CancelResult) {
  const named = { runId: bindId(tenantId, runId) }
  if (isColophonError(result)) return { ...named, ok: false, error: toEnvelope(result) }
  return { ...named, ok: true, status: result.status }
}

type Refusal = { readonly code: string; readonly message: string; readonly details?: Readonly<Record<string, unknown>> }

function toEnvelope({ code, message, details = {} }: Refusal) {
  return { error: toV2Code(code, details), message, details: { ...details } }
}
