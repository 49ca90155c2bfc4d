import { invariant } from '../invariant.ts'
import { completeJob, enqueueJob, isUnfinished, type Job, type NewJob } from '../jobs/job.ts'

/** The kind of the jobs that make deliveries from a log of events, some at a time. */
export const fanOutJobKind = 'colophon.webhook-fan-out'

/** What is still to be made from the log of one run, in its order. */
export type FanOut = { readonly ranges: readonly FanOutRange[] }

export type FanOutRange = {
  readonly runId: string
  /** The cursor: deliveries of the events before it are stored. */
  readonly fromSequence: number
  readonly toSequence: number
  /** The webhooks that there were when the events were stored: one that is registered later does not get them. */
  readonly webhookIds: readonly string[]
}

/** The id of the job that makes deliveries from the log of a run. There is one per run, so its id is made from the run id. */
export function fanOutJobId(runId: string): string {
  return `job_events_${runId.replace(/^run_/, '')}`
}

/** Adds a range to the stored job. If it is running, it goes on with it. What a dead letter did not do comes first. */
export function joinFanOut(stored: Job | undefined, joining: Omit<NewJob, 'lease' | 'joins'>, now: number): Job {
  const queued = enqueueJob(joining, now)
  if (stored === undefined) return queued
  const isUndone = isUnfinished(stored) || stored.status === 'dead'
  const payload = isUndone ? mergeFanOuts(stored.payload as FanOut, joining.payload as FanOut) : joining.payload
  return isUnfinished(stored) ? { ...stored, payload } : { ...queued, payload, createdAt: stored.createdAt }
}

function mergeFanOuts(older: FanOut, newer: FanOut): FanOut {
  const ranges = [...older.ranges]
  for (const range of newer.ranges) {
    const last = ranges.at(-1)
    const continues = last && last.toSequence + 1 === range.fromSequence && haveSameWebhooks(last, range)
    if (continues) ranges[ranges.length - 1] = { ...last, toSequence: range.toSequence }
    else ranges.push(range)
  }
  return { ranges }
}

function haveSameWebhooks(a: FanOutRange, b: FanOutRange): boolean {
  return a.runId === b.runId && a.webhookIds.join() === b.webhookIds.join()
}

/** Moves the cursor, in the commit that stores the deliveries before it. The job completes at the end of its last range. */
export function advanceFanOut(job: Job, leaseToken: string, cursor: number, now: number): Job {
  const [first, ...rest] = (job.payload as FanOut).ranges
  invariant(first !== undefined && cursor > first.fromSequence, 'a cursor over a log only moves on')
  const ranges = cursor > first.toSequence ? rest : [{ ...first, fromSequence: cursor }, ...rest]
  // What is stored succeeded: failures far apart in a long log are not those of one attempt after the other.
  const advanced = { ...job, payload: { ranges }, attempts: 1, lostLeases: 0 }
  return ranges.length === 0 ? completeJob(advanced, { leaseToken, result: null }, now) : advanced
}
