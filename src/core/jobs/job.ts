import { ColophonError } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { limits } from '../limits.ts'
import type { Redacted } from '../redaction/redaction.ts'
import type { TraceLink } from '../trace.ts'

/**
 * The states of a job. `dueAt` of a job is when a worker must look at it next: for a queued job when to run it, for a leased one when
 * its lease expires. One column with one index answers which jobs are due.
 */
export type JobStatus = 'queued' | 'leased' | 'completed' | 'dead' | 'cancelled'

/** Durable background work, as it is stored. */
export type Job = {
  readonly jobId: string
  readonly kind: string
  readonly status: JobStatus
  readonly priority: number
  readonly dueAt: number
  readonly payload: unknown
  readonly attempts: number
  readonly attemptsMax: number
  readonly lostLeases: number
  readonly leaseToken: string | null
  readonly worker: string | null
  readonly progress: unknown
  readonly error: JobFailure | null
  readonly result: unknown
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** The trace that the job belongs to; null once it has ended. */
  readonly trace: TraceLink | null
}

/** Why the last attempt of a job failed. */
export type JobFailure = {
  readonly code: string
  readonly message: string
  /** The HTTP status that a receiver answered a delivery with. */
  readonly status?: number
}

/** The progress that a running job reports. */
export type JobProgress = { readonly progress: unknown }

/** A job as part of a batch, before it is stored. */
export type NewJob = {
  readonly jobId: string
  readonly kind: string
  readonly payload: unknown
  readonly priority: number
  readonly dueAt: number | null
  readonly attemptsMax: number
  /** The lease of a job that a worker of the same process starts at once: no worker has to poll for it. */
  readonly lease?: Lease
  /** The delivery or fan-out is merged into the job of this id, unless that has completed; see `joinDelivery` and `joinFanOut`. */
  readonly joins?: true
  readonly trace?: TraceLink | null
}

/** The right of one worker to run a job until an instant. The token proves it. */
export type Lease = { readonly leaseToken: string; readonly worker: string; readonly leaseUntil: number }

/** A new job in the queue. */
export function enqueueJob(job: Omit<NewJob, 'lease' | 'joins'>, now: number): Job {
  return {
    ...job,
    status: 'queued',
    dueAt: job.dueAt ?? now,
    attempts: 0,
    lostLeases: 0,
    leaseToken: null,
    worker: null,
    progress: null,
    error: null,
    result: null,
    createdAt: now,
    startedAt: null,
    endedAt: null,
    trace: job.trace ?? null,
  }
}

/**
 * Leases a due job to a worker. An expired lease means that its worker crashed; this is not a failed attempt. A job with many lost
 * leases is a poison pill and becomes a dead letter.
 */
export function acquireLease(job: Job, lease: Lease, now: number): Job {
  invariant(isUnfinished(job), 'a job that has ended is not leased')
  invariant(job.status !== 'leased' || job.dueAt <= now, 'a lease is held by one worker until it expires')
  const lost = job.status === 'leased'
  const lostLeases = job.lostLeases + (lost ? 1 : 0)
  if (lostLeases >= limits.jobLostLeasesMax) {
    return endJob({ ...job, lostLeases }, 'dead', now, {
      error: { code: 'poisoned', message: `${lostLeases} workers were lost while they held this job.` },
    })
  }
  return {
    ...job,
    lostLeases,
    status: 'leased',
    attempts: job.attempts + (lost ? 0 : 1),
    leaseToken: lease.leaseToken,
    worker: lease.worker,
    dueAt: lease.leaseUntil,
    startedAt: job.startedAt ?? now,
  }
}

/** Whether the job may be a poison pill: several of its workers crashed. */
export function isSuspectedPoisonPill({ lostLeases }: Job): boolean {
  return lostLeases >= limits.jobSuspectLeases
}

/** Puts a suspected poison pill back while another one is running. It counts as no attempt; a lost lease is counted. */
export function postponeJob(job: Job, now: number): Job {
  const lost = job.status === 'leased' ? 1 : 0
  const counted = { attempts: job.attempts - lost, lostLeases: job.lostLeases + lost }
  return { ...job, ...counted, status: 'queued', dueAt: now + limits.jobPostponeMs, leaseToken: null, worker: null }
}

/**
 * Leases a job on its way to the dead letter, while a handler ends what the job stood for (such as its run). If that worker crashes, the
 * next one runs the handler again.
 */
export function leaseForDeadLetter(dead: Job, { leaseToken, worker, leaseUntil }: Lease): Job {
  return { ...dead, status: 'leased', leaseToken, worker, dueAt: leaseUntil, endedAt: null }
}

/** Makes the job a dead letter, after what it stood for was ended. */
export function deadLetter(job: Job, leaseToken: string, now: number): Job {
  checkLease(job, leaseToken)
  return endJob(job, 'dead', now, { error: job.error })
}

/** Extends the lease of a running job, and stores its progress if it reports any. */
export function extendLease(job: Job, leaseToken: string, leaseUntil: number, note?: Redacted<JobProgress>): Job {
  checkLease(job, leaseToken)
  return { ...job, dueAt: leaseUntil, progress: note === undefined ? job.progress : note.progress }
}

/** Completes a job with its result. */
export function completeJob(job: Job, finish: { leaseToken: string; result: unknown }, now: number): Job {
  checkLease(job, finish.leaseToken)
  return endJob(job, 'completed', now, { result: finish.result, error: null })
}

/** Records a failed attempt: the job waits longer after each one, and is a dead letter after the last, which a person can retry. */
export function failJob(job: Job, leaseToken: string, error: Redacted<JobFailure>, now: number): Job {
  checkLease(job, leaseToken)
  if (job.attempts >= job.attemptsMax) return endJob(job, 'dead', now, { error })
  return { ...job, status: 'queued', dueAt: now + retryDelayMs(job.attempts), leaseToken: null, worker: null, error }
}

/** Puts a leased job back into the queue without counting an attempt: its worker shuts down. */
export function releaseJob(job: Job, leaseToken: string, now: number): Job {
  checkLease(job, leaseToken)
  invariant(job.attempts > 0, 'a leased job has an attempt that its release takes back')
  return { ...job, status: 'queued', attempts: job.attempts - 1, dueAt: now, leaseToken: null, worker: null }
}

/** Parks a job until `dueAt` or until it is woken. Its work so far succeeded, so its attempts start again at 0. */
export function parkJob(job: Job, { leaseToken, dueAt }: { leaseToken: string; dueAt: number }): Job {
  checkLease(job, leaseToken)
  return { ...job, status: 'queued', dueAt, attempts: 0, lostLeases: 0, leaseToken: null, worker: null }
}

/** Makes a parked job due now: what it waits for may have happened. */
export function wakeJob(job: Job, now: number): Job {
  invariant(job.status === 'queued', 'only a queued job is woken: the due time of a leased job is the end of its lease')
  return { ...job, dueAt: Math.min(job.dueAt, now) }
}

/** Puts a dead or cancelled job back into the queue. */
export function retryJob(job: Job, now: number): Job {
  if (job.status !== 'dead' && job.status !== 'cancelled') throw jobState(job, 'retried')
  invariant(job.leaseToken === null, 'a job that has ended has no lease')
  return { ...job, status: 'queued', attempts: 0, lostLeases: 0, dueAt: now, endedAt: null, error: null }
}

/** Cancels a job that has not ended. */
export function cancelJob(job: Job, now: number): Job {
  if (job.status !== 'queued' && job.status !== 'leased') throw jobState(job, 'cancelled')
  return endJob(job, 'cancelled', now, {})
}

/** The delay after a failed attempt: it grows by a factor of 4, up to `jobRetryDelayMsMax`. */
export function retryDelayMs(attempts: number): number {
  return Math.min(limits.jobRetryDelayMs * 4 ** (attempts - 1), limits.jobRetryDelayMsMax)
}

/** Whether the job has not ended: it is queued or leased. */
export function isUnfinished(job: Job): boolean {
  return job.status === 'queued' || job.status === 'leased'
}

function endJob(job: Job, status: JobStatus, now: number, change: Partial<Pick<Job, 'result' | 'error'>>): Job {
  return { ...job, ...change, status, leaseToken: null, worker: null, endedAt: now, trace: null }
}

/** Refuses a worker whose lease has expired or was given to another worker. */
export function checkLease(job: Job, leaseToken: string): void {
  if (job.status === 'leased' && job.leaseToken === leaseToken) return
  throw new ColophonError('job_lease_lost', 'The lease of this worker has expired or was given to another worker.')
}

function jobState(job: Job, verb: string): ColophonError {
  return new ColophonError('job_state', `A job that is ${job.status} cannot be ${verb}.`, {
    details: { status: job.status },
  })
}

/** The lease of a running job. A commit with it completes the job in the same transaction. */
export type JobLease = {
  readonly jobId: string
  readonly leaseToken: string
  /** Set once a commit has completed the job. */
  spent: boolean
}

/** A job as clients see it: without the lease token, which would let them complete it, and without its trace. */
export type JobView = Omit<Job, 'leaseToken' | 'trace'>

export function toJobView({ leaseToken: _secret, trace: _trace, ...job }: Job): JobView {
  return job
}
