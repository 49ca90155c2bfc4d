import type { Engine } from '../app/engine.ts'
import { linkAbort } from '../app/linked-abort.ts'
import { freshContext } from '../app/redaction/redaction-state.ts'
import { checkJson } from '../core/check.ts'
import { isColophonError } from '../core/errors.ts'
import { isHostJob } from '../core/jobs/host-job.ts'
import { extendLease, failJob, type Job, type JobLease, releaseJob } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'
import { type Redacted, redactFailure, redactValue } from '../core/redaction/redaction.ts'
import { outcomeOf, withSpan } from '../telemetry/span.ts'
import { contextOf, inTraceScope, newTraceScope } from '../telemetry/trace-scope.ts'
import { JobError, type JobHandler, type RunningJob, toFailure } from './job-handler.ts'

/** What every attempt of one worker shares. */
export type AttemptContext = {
  readonly engine: Engine
  readonly handlers: ReadonlyMap<string, JobHandler>
  readonly leaseMs: number
  /** Aborts when the worker stops. */
  readonly stopping: AbortSignal
  /** Called before a job becomes a dead letter. */
  readonly onDead: ((tenantId: string, job: Job) => Promise<void>) | undefined
}

type ProgressNote = { readonly progress: unknown }

/**
 * Runs one attempt of a leased job: calls its handler, extends the lease by heartbeats, then completes, retries or releases
 * the job. Gives the outcome for the metrics.
 */
export async function runAttempt(context: AttemptContext, tenantId: string, job: Job, input: unknown): Promise<string> {
  const { engine, handlers, leaseMs, stopping } = context
  const lease: JobLease = { jobId: job.jobId, leaseToken: job.leaseToken ?? '', spent: false }
  const { controller, unlink } = linkAbort(stopping)
  let note: ProgressNote | undefined
  const extend = async () => {
    const clean = note && (await redactNote(engine, tenantId, note))
    const until = engine.system.now() + leaseMs
    return engine.storage.jobs.update(tenantId, job.jobId, (job) => extendLease(job, lease.leaseToken, until, clean))
  }
  const heartbeat = setInterval(() => {
    extend().catch((error) => {
      if (isColophonError(error, 'job_lease_lost') || isColophonError(error, 'job_not_found')) controller.abort()
    })
  }, leaseMs / 3)
  try {
    const running: RunningJob = {
      tenantId,
      jobId: job.jobId,
      kind: job.kind,
      payload: job.payload,
      input,
      attempt: job.attempts,
      signal: controller.signal,
      lease,
      progress: (progress) => {
        checkJson('progress', progress, 'jobProgressBytesMax', limits.jobProgressBytesMax)
        note = { progress }
      },
    }
    const result = await handlers.get(job.kind)?.(running)
    if (!lease.spent) await complete(engine, tenantId, lease, result)
    return 'ok'
  } catch (error) {
    if (!lease.spent) await failOrRelease(context, tenantId, job, lease, error).catch(() => {})
    return stopping.aborted ? 'interrupted' : outcomeOf(error)
  } finally {
    clearInterval(heartbeat)
    unlink()
  }
}

/** No commit checks a progress note against the redaction version, so it is redacted by the newest secrets and rules. */
async function redactNote(engine: Engine, tenantId: string, note: ProgressNote): Promise<Redacted<ProgressNote>> {
  const { redaction } = await freshContext(engine.tenant(tenantId))
  return redaction.redact(({ scan }) => redactValue(note, scan))
}

async function complete(engine: Engine, tenantId: string, lease: JobLease, result: unknown): Promise<void> {
  checkJson('result', result ?? null, 'jobResultBytesMax', limits.jobResultBytesMax)
  await engine
    .tenant(tenantId)
    .commit({ kind: 'memory.written' }, { completes: lease, result, call: { operation: 'complete' } })
}

/** If the worker is stopping, the job is released and no attempt is counted. Any other error is a failed attempt. */
async function failOrRelease(
  { engine, stopping, onDead }: AttemptContext,
  tenantId: string,
  job: Job,
  lease: JobLease,
  error: unknown,
): Promise<void> {
  const { storage, system } = engine
  const { redaction } = await freshContext(engine.tenant(tenantId))
  const thrown = toFailure(error)
  // The host's own codes need no redaction; a handler may put any text into its code.
  const isHostCode = !(error instanceof JobError)
  const failure = await redaction.redact(({ scan }) => redactFailure(thrown, scan, isHostCode))
  const interrupted = stopping.aborted
  // Before the dead letter is stored: after a crash between the two the job is claimed again and this is repeated.
  if (!interrupted && job.attempts >= job.attemptsMax) await onDead?.(tenantId, job)
  await storage.jobs.update(tenantId, lease.jobId, (current) =>
    interrupted
      ? releaseJob(current, lease.leaseToken, system.now())
      : failJob(current, lease.leaseToken, failure, system.now()),
  )
}

/**
 * One attempt of a job as a span. It continues the trace of the request that enqueued the job, not the trace of the request
 * that woke the worker. `run` gives the outcome.
 */
export function observeAttempt(job: Job, waitedMs: number, run: () => Promise<string>): Promise<void> {
  const scope = newTraceScope(contextOf(job.trace?.parent, job.trace?.state))
  // A program chooses the kinds of its own jobs, so they would be labels without a bound.
  const kind = isHostJob(job.kind) ? job.kind : 'other'
  return inTraceScope(scope, () =>
    withSpan(
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
