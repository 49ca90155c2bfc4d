import { isColophonError } from '../core/errors.ts'
import type { JobFailure, JobLease } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'

/** A job while a worker runs it, as its handler gets it. */
export type RunningJob = {
  readonly tenantId: string
  readonly jobId: string
  readonly kind: string
  readonly payload: unknown
  /** A value that the process handed over when it stored the job and started it at once; otherwise undefined. */
  readonly input?: unknown
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Aborts when the lease is lost, the job is cancelled or the worker stops. Effects after that may be repeated by another worker. */
  readonly signal: AbortSignal
  /** Pass it as `completes` to the write that is the job's effect: write and completion are then one commit. */
  readonly lease: JobLease
  /** Sets the progress that `get` and `list` show. It is stored with the next heartbeat. */
  progress(note: unknown): void
}

/**
 * Runs one attempt of a job. The returned value becomes the job's result, unless a write has completed the job already.
 * A thrown error is a failed attempt: the job is retried with backoff, and after its last attempt it is a dead letter.
 *
 * @example
 * const sendMail: JobHandler = async ({ payload, signal }) => {
 *   const { to } = payload as { to: string }
 *   const response = await fetch(mailUrl, { method: 'POST', body: to, signal })
 *   if (!response.ok) throw new JobError('mail_refused', `The mail server answered ${response.status}.`)
 *   return { sent: true }
 * }
 */
export type JobHandler = (job: RunningJob) => Promise<unknown>

/**
 * An error whose code and message are stored with the job and shown. Put no memory text in it. Of any other error that a
 * handler throws only the class name is stored, because its message may quote anything.
 *
 * @example
 * throw new JobError('mail_refused', 'The mail server answered 550.')
 */
export class JobError extends Error {
  override readonly name = 'JobError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The failure that is stored for an error that an attempt threw. */
export function toFailure(error: unknown): JobFailure {
  if (isColophonError(error)) {
    const { code, message, details } = error
    const isAnswered = code === 'delivery_failed' && typeof details.status === 'number'
    return { code, message, ...(isAnswered ? { status: Number(details.status) } : {}) }
  }
  if (error instanceof JobError)
    return { code: error.code, message: error.message.slice(0, limits.jobErrorCharactersMax) }
  return {
    code: 'handler_failed',
    message: `The job's handler threw ${error instanceof Error ? error.name : 'something that is not an error'}.`,
  }
}
