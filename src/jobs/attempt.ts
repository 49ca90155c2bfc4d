import { isHostJob } from '../core/jobs/host-job.ts'
import type { Job } from '../core/jobs/job.ts'
import { observed } from '../telemetry/observed.ts'
import { contextOf, inScope, newScope } from '../telemetry/scope.ts'

/**
 * One attempt of a job as a span. It goes on with the trace of whoever asked for the job, not with that of whoever
 * happens to wake the worker. `run` says how it ended, in words of the host.
 */
export function observeAttempt(job: Job, waitedMs: number, run: () => Promise<string>): Promise<void> {
  const scope = newScope(contextOf(job.trace?.parent, job.trace?.state))
  // Jobs of programs have names that somebody chose.
  const kind = isHostJob(job.kind) ? job.kind : 'other'
  return inScope(scope, () =>
    observed(
      'job',
      { kind },
      async (note) => {
        note({ attempt: job.attempts })
        note({ outcome: await run() })
      },
      waitedMs,
    ),
  )
}
