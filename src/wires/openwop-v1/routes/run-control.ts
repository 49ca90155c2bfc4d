import { type CancelResult, cancelActiveRun, cancelRuns } from '../../../app/runs/cancel-runs.ts'
import { pauseRun, resumeRun } from '../../../app/runs/control.ts'
import { toInstant } from '../../../core/check.ts'
import { isColophonError } from '../../../core/errors.ts'
import { respond, route } from '../../../http/route.ts'
import { BulkCancel, PauseDraft, Reason } from '../schemas/run-drafts.ts'
import { BulkCancelResult, RunState } from '../schemas/runs.ts'

const tag = 'runs'

/** Cancel, pause and resume runs. */
export const runControlRoutes = [
  route('cancelRun', 'POST /v1/runs/{runId}/cancel', 'runs:cancel', {
    summary: 'Cancel a run',
    description: 'Ends a run and the runs that it started. A run that completed or failed is refused.',
    tag,
    body: Reason,
    responses: { 200: RunState },
    async handler({ tenant, params: { runId }, body, write }) {
      const { run, repeated } = await cancelActiveRun(tenant, runId, body?.reason, write)
      return respond({ runId, status: run.status }, { repeated })
    },
  }),
  route('cancelRuns', 'POST /v1/runs:bulk-cancel', 'runs:cancel', {
    summary: 'Cancel many runs',
    description: 'Cancels each run independently: one that cannot be cancelled does not affect the others.',
    tag,
    body: BulkCancel,
    responses: { 200: BulkCancelResult },
    async handler({ tenant, body, write }) {
      const { results, repeated } = await cancelRuns(tenant, body, write)
      return respond({ results: results.map(toCancelResult) }, { repeated })
    },
  }),
  route('pauseRun', 'POST /v1/runs/{runId}:pause', 'runs:cancel', {
    summary: 'Pause a run',
    description:
      'By default, the current node finishes first. Then `pausedAt` is missing in the response, because the pause is not in effect yet.',
    tag,
    body: PauseDraft,
    responses: { 202: RunState },
    async handler({ tenant, params: { runId }, body, write }) {
      const { run, repeated } = await pauseRun(tenant, runId, body ?? {}, write)
      const at = run.facts.pause?.at ?? null
      const pausedAt = at === null ? {} : { pausedAt: toInstant(at) }
      return respond({ runId, status: 'paused' as const, ...pausedAt }, { repeated })
    },
  }),
  route('resumeRun', 'POST /v1/runs/{runId}:resume', 'runs:cancel', {
    summary: 'Resume a paused run',
    description: 'The run continues where it was paused. A run that is not paused is refused.',
    tag,
    body: Reason,
    responses: { 202: RunState },
    async handler({ tenant, params: { runId }, body, write }) {
      const { repeated } = await resumeRun(tenant, runId, body ?? {}, write)
      return respond({ runId, status: 'running' as const, resumedAt: toInstant(tenant.now()) }, { repeated })
    },
  }),
]

function toCancelResult({ runId, result }: CancelResult) {
  if (isColophonError(result)) return { runId, ok: false, error: { code: result.code, message: result.message } }
  const { status } = result
  if (status === 'cancelled') return { runId, ok: true, status }
  return { runId, ok: false, status, error: { code: 'run_terminal', message: `The run is ${status}.` } }
}
