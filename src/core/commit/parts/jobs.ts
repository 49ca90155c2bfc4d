import { ColophonError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { isHostJob, isHostPayload, isResultName } from '../../jobs/host-job.ts'
import {
  acquireLease,
  checkLease,
  completeJob,
  enqueueJob,
  type Job,
  type NewJob,
  parkJob,
  wakeJob,
} from '../../jobs/job.ts'
import { type RedactionContext, redactJson } from '../../redaction/redact-json.ts'
import { refuseSecrets } from '../../redaction/scanner.ts'
import type { RunHead } from '../../run/run.ts'
import { redactTrace } from '../../trace.ts'
import { joinDelivery } from '../../webhooks/coalesced-delivery.ts'
import { advanceFanOut, fanOutJobKind, joinFanOut } from '../../webhooks/fan-out.ts'
import type { BatchPart } from './part.ts'

export type JobPark = {
  readonly jobId: string
  readonly leaseToken: string
  readonly dueAt: number
  /** Runs it waits for: if one of them has ended by now, there is nothing to wait for. */
  readonly waitsFor: readonly string[]
}

export type JobMembers = {
  readonly jobs: readonly NewJob[]
  /** The job that this batch completes; if its lease is lost, nothing of the batch is stored. */
  readonly finish: { readonly jobId: string; readonly leaseToken: string; readonly result: unknown } | null
  /** The job that this batch is a part of; if its lease is lost, nothing of the batch is stored. `cursor` is where a fan-out goes on. */
  readonly holds: { readonly jobId: string; readonly leaseToken: string; readonly cursor?: number } | null
  /** The job that this batch puts aside until a later instant; if its lease is lost, nothing of the batch is stored. */
  readonly park: JobPark | null
  /** Jobs that are due at once, because this batch changes what they wait for. */
  readonly wakes: readonly string[]
}

export type JobRows = { readonly jobs: readonly Job[] }

export type JobPartState = {
  readonly job: (jobId: string) => Job | undefined
  readonly run: (runId: string) => RunHead | undefined
}

/** New jobs, and what becomes of the job that the batch belongs to. Jobs take no position. */
export const jobs: BatchPart<JobMembers, JobRows, JobPartState> = {
  members: ['jobs', 'finish', 'holds', 'park', 'wakes'],
  none: { jobs: [], finish: null, holds: null, park: null, wakes: [] },
  noRows: { jobs: [] },

  size(batch) {
    let characters = 0
    for (const job of batch.jobs) characters += JSON.stringify(job.payload).length
    return { rows: 0, characters }
  },

  redact: (batch, { structure, inField, scanNames }) => ({
    jobs: batch.jobs.map(({ trace = null, ...job }) => ({
      ...job,
      ...(isHostPayload(job.kind, job.payload) ? {} : { payload: structure('payload', job.payload) }),
      trace: redactTrace(trace, scanNames),
    })),
    finish: batch.finish && { ...batch.finish, result: redactResult(batch.finish.result, inField('result')) },
  }),

  refuseSecrets(batch, { scanNames }) {
    for (const { kind } of batch.jobs) if (!isHostJob(kind)) refuseSecrets({ kind }, scanNames)
  },

  seal(batch, { job: load, run }, { now }) {
    const sealed = batch.jobs.map((job) => sealNewJob(job, load, now))
    const known = (jobId: string): Job => {
      const job = load(jobId)
      if (job === undefined) throw new ColophonError('job_not_found', 'The job does not exist.')
      return job
    }
    const { finish, holds, park, wakes } = batch
    if (holds !== null) checkLease(known(holds.jobId), holds.leaseToken)
    if (holds?.cursor !== undefined) sealed.push(advanceFanOut(known(holds.jobId), holds.leaseToken, holds.cursor, now))
    invariant(finish === null || park === null, 'a batch completes its job or parks it, never both')
    if (finish !== null) sealed.push(completeJob(known(finish.jobId), finish, now))
    if (park !== null) {
      // A run may have ended since the worker decided to wait for it; the wake of that commit found the job still leased.
      const hasEnded = park.waitsFor.some((runId) => run(runId)?.endedAt != null)
      sealed.push(parkJob(known(park.jobId), { leaseToken: park.leaseToken, dueAt: hasEnded ? now : park.dueAt }))
    }
    for (const jobId of wakes) {
      const job = load(jobId)
      if (job?.status === 'queued') sealed.push(wakeJob(job, now))
    }
    return { jobs: sealed }
  },
}

function sealNewJob({ lease, joins, ...job }: NewJob, load: JobPartState['job'], now: number): Job {
  if (joins) return (job.kind === fanOutJobKind ? joinFanOut : joinDelivery)(load(job.jobId), job, now)
  const queued = enqueueJob(job, now)
  return lease === undefined ? queued : acquireLease(queued, lease, now)
}

/** Names of members that the host's own jobs give back are not redacted; other names come from the author of the job. */
function redactResult(result: unknown, redaction: RedactionContext): unknown {
  if (result === null || typeof result !== 'object' || Array.isArray(result)) return redactJson(result, redaction)
  const all = Object.entries(result)
  const hosts = all.filter(([name]) => isResultName(name)).map(([name, value]) => [name, redactJson(value, redaction)])
  const others = Object.fromEntries(all.filter(([name]) => !isResultName(name)))
  return { ...Object.fromEntries(hosts), ...(redactJson(others, redaction) as object) }
}
