import { type ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { RunError } from '../../core/run/run.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import { isStale } from '../decide-and-commit.ts'
import { ReplaySourceMissing } from './recorded-run.ts'
import type { RunExecution } from './run-execution.ts'

/** Undoes values and events that make the run too large, so that the failure can be stored. */
export function undoIfTooLarge(
  progress: RunProgress,
  before: RunProgress['text'],
  eventsBefore: number,
): RunError | null {
  if (!isTooLarge(progress)) return null
  progress.set({ text: before })
  progress.events.splice(eventsBefore)
  return failure(
    'state_too_large',
    `Variables, outputs, interrupts and scratchpads of a run may have ${limits.runStateBytesMax} characters together.`,
  )
}

/** Refuses what a client adds to a run that is full. */
export function refuseTooLarge(progress: RunProgress): void {
  const max = limits.runStateBytesMax
  if (!isTooLarge(progress)) return
  throw invalid('resumeValue.turn.content', `must leave the values of the run at ${max} characters or fewer together`, {
    limit: 'runStateBytesMax',
    max,
  })
}

function isTooLarge({ text }: RunProgress): boolean {
  const { variables, outputs, ephemeral, interrupts, channels } = text
  return JSON.stringify([variables, outputs, ephemeral, interrupts, channels]).length > limits.runStateBytesMax
}

export function failure(code: string, message: string): RunError {
  return { code, message }
}

/** A node type stopped because its signal aborted: the run is not failed, and another worker executes the node again. */
export function isAbort({ signal }: RunExecution, error: unknown): boolean {
  return signal.aborted && !isColophonError(error)
}

/** The failure of a node for an error that it caused. Errors of the store and lost races are thrown again: the job retries. */
export function toRunError(error: unknown): RunError {
  if (error instanceof ReplaySourceMissing) return failure('replay_source_missing', error.message)
  // A bug in a node type would repeat on every retry, so the node fails. The message is dropped: it may quote content.
  if (!isColophonError(error)) return failure('internal_error', 'The node failed with an unexpected error.')
  const isTransient = ['busy', 'unavailable', 'corrupt', 'internal', 'limited'].includes(error.kind)
  const isSuperseded = isStale(error) || ['job_lease_lost', 'job_not_found', 'redaction_stale'].includes(error.code)
  if (isTransient || isSuperseded) throw error
  const { code, message, details } = error as ColophonError
  // Other details may name what a reader of the log must not see.
  return { code, message, ...(details.missing === 'workflow' ? { details: { missing: 'workflow' } } : {}) }
}
