import type { Commitment } from '../../core/commitments/commitment.ts'
import type { NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'

/** The kind of the job that fires a commitment. It is due at the instant of the commitment, or looks for the statement that it waits for. */
export const fireJobKind = 'colophon.fire-commitment'

/** The job of a commitment. It is stored in the commit that stores the commitment, or changes its condition. */
export function fireJobOf({ commitmentId, condition, jobId }: Commitment): NewJob {
  return {
    jobId,
    kind: fireJobKind,
    payload: { commitmentId },
    priority: 0,
    dueAt: condition.kind === 'time' ? condition.dueAt : null,
    attemptsMax: limits.runAttemptsMax,
  }
}
