import { ColophonError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Redacted } from '../redaction/redaction.ts'
import type { TraceLink } from '../trace.ts'

/**
 * Durable background work. `dueAt` is when the job next needs attention: for a queued job when to run it, for a leased
 * one when its lease runs out. One column, one index, one question: what is due?
 */
export type JobStatus = 'queued' | 'leased' | 'completed' | 'dead' | 'cancelled'

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
  /** The trace that the job belongs to, while it is not over. */
  readonly trace: TraceLink | null
}

export type JobFailure = { readonly code: string; readonly message: string }

/** How far a running job says it is. */
export type JobNote = { readonly progress: unknown }

export type NewJob = {
  readonly jobId: string
  readonly kind: string
  readonly payload: unknown
  readonly priority: number
  readonly dueAt: number | null
  readonly attemptsMax: number
  /** A job that its maker starts at once is leased from the beginning: nobody has to find it first. */
  readonly lease?: Lease
  /** A delivery that becomes part of the job of this id, if that was not completed; see `joinDelivery`. */
  readonly joins?: true
  readonly trace?: TraceLink | null
}

export type Lease = { readonly leaseToken: string; readonly worker: string; readonly leaseUntil: number }

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

/** Takes a due job. A lease that ran out was lost to a crash, not a failed attempt; losing many means the job itself kills workers. */
export function claimJob(job: Job, lease: Lease, now: number): Job {
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

/** It may be what its workers died of. */
export function isSuspect({ lostLeases }: Job): boolean {
  return lostLeases >= limits.jobSuspectLeases
}

/** Another suspect is being tried: it waits, and nothing is counted but a lease that it lost. */
export function postponeJob(job: Job, now: number): Job {
  const lost = job.status === 'leased' ? 1 : 0
  const counted = { attempts: job.attempts - lost, lostLeases: job.lostLeases + lost }
  return { ...job, ...counted, status: 'queued', dueAt: now + limits.jobPostponeMs, leaseToken: null, worker: null }
}

/** A job that is to be given up stays held while what it stood for is ended; who loses it then begins with that again. */
export function holdToEnd(dead: Job, { leaseToken, worker, leaseUntil }: Lease): Job {
  return { ...dead, status: 'leased', leaseToken, worker, dueAt: leaseUntil, endedAt: null }
}

/** What it stood for is over: now the job is a dead letter. */
export function buryJob(job: Job, leaseToken: string, now: number): Job {
  checkLease(job, leaseToken)
  return endJob(job, 'dead', now, { error: job.error })
}

export function extendLease(job: Job, leaseToken: string, leaseUntil: number, note?: Redacted<JobNote>): Job {
  checkLease(job, leaseToken)
  return { ...job, dueAt: leaseUntil, progress: note === undefined ? job.progress : note.progress }
}

export function finishJob(job: Job, finish: { leaseToken: string; result: unknown }, now: number): Job {
  checkLease(job, finish.leaseToken)
  return endJob(job, 'completed', now, { result: finish.result, error: null })
}

/** A failed attempt waits longer each time; the last one goes to the dead letter, where a person can look and retry. */
export function failJob(job: Job, leaseToken: string, error: Redacted<JobFailure>, now: number): Job {
  checkLease(job, leaseToken)
  if (job.attempts >= job.attemptsMax) return endJob(job, 'dead', now, { error })
  return { ...job, status: 'queued', dueAt: now + retryDelayMs(job.attempts), leaseToken: null, worker: null, error }
}

/** Gives a job back untouched, as a worker does that shuts down. */
export function releaseJob(job: Job, leaseToken: string, now: number): Job {
  checkLease(job, leaseToken)
  return { ...job, status: 'queued', attempts: job.attempts - 1, dueAt: now, leaseToken: null, worker: null }
}

/** Puts a job aside until something happens or the instant comes. What it did so far went well, so its attempts count anew. */
export function parkJob(job: Job, { leaseToken, dueAt }: { leaseToken: string; dueAt: number }): Job {
  checkLease(job, leaseToken)
  return { ...job, status: 'queued', dueAt, attempts: 0, lostLeases: 0, leaseToken: null, worker: null }
}

/** What the job waits for may be there: it looks now. */
export function wakeJob(job: Job, now: number): Job {
  return { ...job, dueAt: Math.min(job.dueAt, now) }
}

export function retryJob(job: Job, now: number): Job {
  if (job.status !== 'dead' && job.status !== 'cancelled') throw jobState(job, 'retried')
  return { ...job, status: 'queued', attempts: 0, lostLeases: 0, dueAt: now, endedAt: null, error: null }
}

export function cancelJob(job: Job, now: number): Job {
  if (job.status !== 'queued' && job.status !== 'leased') throw jobState(job, 'cancelled')
  return endJob(job, 'cancelled', now, {})
}

export function retryDelayMs(attempts: number): number {
  return Math.min(limits.jobRetryDelayMs * 4 ** (attempts - 1), limits.jobRetryDelayMsMax)
}

export function isWaiting(job: Job): boolean {
  return job.status === 'queued' || job.status === 'leased'
}

function endJob(job: Job, status: JobStatus, now: number, change: Partial<Pick<Job, 'result' | 'error'>>): Job {
  return { ...job, ...change, status, leaseToken: null, worker: null, endedAt: now, trace: null }
}

export function checkLease(job: Job, leaseToken: string): void {
  if (job.status === 'leased' && job.leaseToken === leaseToken) return
  throw new ColophonError('job_lease_lost', 'This worker does not hold the lease of the job any more.')
}

function jobState(job: Job, verb: string): ColophonError {
  return new ColophonError('job_state', `A job that is ${job.status} cannot be ${verb}.`, {
    details: { status: job.status },
  })
}

/** A worker's hold on a job. Whatever is committed with it completes the job in the same transaction. */
export type JobLease = {
  readonly jobId: string
  readonly leaseToken: string
  /** Set once a commit has completed the job. */
  spent: boolean
}

/** A job as people see it: without the token that would let them complete it, and without whose trace it is part of. */
export type JobView = Omit<Job, 'leaseToken' | 'trace'>

export function toJobView({ leaseToken: _secret, trace: _trace, ...job }: Job): JobView {
  return job
}
