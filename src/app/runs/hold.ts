import { ColophonError } from '../../core/errors.ts'
import { holdsSnapshot } from '../../core/retention.ts'
import { isEnded, type Run } from '../../core/run/run.ts'

/** A run that has been under way for too long no longer holds its snapshot: what it would read may be incomplete. */
export function checkHeld(run: Pick<Run, 'createdAt'>, now: number): void {
  if (!holdsSnapshot(run, now)) throw snapshotExpired()
}

/** The same for whoever looks through a run's eyes from outside; of a run that is over, what is kept decides. */
export function checkSeen(run: Run, now: number): void {
  if (run.facts.expired) throw snapshotExpired()
  if (!isEnded(run.status)) checkHeld(run, now)
}

function snapshotExpired(): ColophonError {
  return new ColophonError('snapshot_expired', 'What this run saw is no longer kept.')
}
