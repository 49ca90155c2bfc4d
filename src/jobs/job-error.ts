import { isColophonError } from '../core/errors.ts'
import type { JobFailure } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'

/** Why an attempt failed. Messages of unknown errors may quote anything, so only their class is kept. */
export function toFailure(error: unknown): JobFailure {
  if (isColophonError(error)) return { code: error.code, message: error.message }
  if (error instanceof JobError)
    return { code: error.code, message: error.message.slice(0, limits.jobErrorCharactersMax) }
  return {
    code: 'handler_failed',
    message: `The job's handler threw ${error instanceof Error ? error.name : 'something that is not an error'}.`,
  }
}

/** A handler's own failure with a message that is fit to be stored and shown: no memory text in it. */
export class JobError extends Error {
  override readonly name = 'JobError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
