import { invariant } from '../invariant.ts'
import { completeJob, enqueueJob, isUnfinished, type Job, type NewJob, parkJob } from '../jobs/job.ts'
import { limits } from '../limits.ts'

/** The kind of the jobs that deliver events to webhooks. */
export const deliveryJobKind = 'colophon.webhook'

/** One event for one webhook. If the delivery stands for several events, `coalesced` says which. */
export type Delivery = {
  readonly webhookId: string
  readonly runId: string
  readonly sequence: number
  /** The type of the event, so that a dead letter can name it when the run is gone. Absent in deliveries of earlier versions. */
  readonly type?: string
  readonly coalesced?: Coalesced
  /** Events that were coalesced while this delivery was being sent: they are sent next. */
  readonly later?: Omit<Delivery, 'later'>
}

/** The events that share one delivery, including the delivered one. */
export type Coalesced = {
  readonly count: number
  /** Instants of the first and the last of them. */
  readonly since: number
  readonly until: number
  /** Their sequences in the logs of their runs. */
  readonly ranges: readonly EventRange[]
  /** Whether there are more runs than `ranges` names. */
  readonly hasMoreRuns: boolean
}

export type EventRange = { readonly runId: string; readonly fromSequence: number; readonly toSequence: number }

/** The id of the job that coalesces the deliveries of a webhook. There is one per webhook, so its id is made from the webhook id. */
export function coalescedJobId(webhookId: string): string {
  return webhookId.replace(/^wh_/, 'job_')
}

/** A coalesced delivery of one event. */
export function coalesce(delivery: Omit<Delivery, 'coalesced' | 'later'>, at: number): Delivery {
  const { runId, sequence } = delivery
  const ranges = [{ runId, fromSequence: sequence, toSequence: sequence }]
  return { ...delivery, coalesced: { count: 1, since: at, until: at, ranges, hasMoreRuns: false } }
}

/** Merges two deliveries. The result has the event of the newer one. */
export function mergeDeliveries(older: Delivery | undefined, newer: Delivery): Delivery {
  const [first, last] = [older?.coalesced, newer.coalesced]
  if (first === undefined || last === undefined) return newer
  invariant(older?.webhookId === newer.webhookId, 'a coalesced delivery goes to one webhook')
  const ranges = new Map(first.ranges.map((range) => [range.runId, range]))
  let { hasMoreRuns } = first
  for (const { runId, fromSequence, toSequence } of last.ranges) {
    const known = ranges.get(runId)
    if (known) {
      const [from, to] = [Math.min(known.fromSequence, fromSequence), Math.max(known.toSequence, toSequence)]
      ranges.set(runId, { runId, fromSequence: from, toSequence: to })
    } else if (ranges.size < limits.webhookCoalescedRunsMax) ranges.set(runId, { runId, fromSequence, toSequence })
    else hasMoreRuns = true
  }
  const coalesced = {
    count: first.count + last.count,
    since: Math.min(first.since, last.since),
    until: Math.max(first.until, last.until),
    ranges: [...ranges.values()],
    hasMoreRuns: hasMoreRuns || last.hasMoreRuns,
  }
  const { later: _sent, ...event } = newer
  return { ...event, coalesced }
}

/** Merges a delivery into the stored job. The events of a dead letter were not delivered, so they are part of the next attempt. */
export function joinDelivery(stored: Job | undefined, joining: Omit<NewJob, 'lease' | 'joins'>, now: number): Job {
  const queued = enqueueJob(joining, now)
  if (stored === undefined) return queued
  const added = joining.payload as Delivery
  const { later, ...sent } = stored.payload as Delivery
  if (stored.status === 'leased') return { ...stored, payload: { ...sent, later: mergeDeliveries(later, added) } }
  const undelivered = isUnfinished(stored) || stored.status === 'dead'
  const payload = undelivered ? mergeDeliveries(later ? mergeDeliveries(sent, later) : sent, added) : added
  return isUnfinished(stored) ? { ...stored, payload } : { ...queued, payload, createdAt: stored.createdAt }
}

/** Completes a delivery, or puts it back into the queue with the events that joined while it was being sent. */
export function endDelivery(job: Job, finish: { leaseToken: string; result: unknown }, now: number): Job {
  const { later } = job.payload as Delivery
  if (later === undefined) return completeJob(job, finish, now)
  return { ...parkJob(job, { leaseToken: finish.leaseToken, dueAt: now }), payload: later, error: null }
}
