import { ColophonError } from '../../core/errors.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { deliveryJobKind } from '../../core/webhooks/coalesced-delivery.ts'
import type { FanOut, FanOutRange } from '../../core/webhooks/fan-out.ts'
import { createPausingSlice } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { toDeliveryJobs, wantedOf } from './delivery-jobs.ts'
import { loadWebhooks } from './subscriptions.ts'

/**
 * Makes deliveries from the log of a run, some at a time. A commit stores them and moves the cursor behind their events, so a worker that
 * crashes loses none and the next one makes none twice. Events that join meanwhile come after those that are there.
 */
export async function fanOut(tenant: Tenant, { ranges }: FanOut, lease: JobLease, signal: AbortSignal): Promise<void> {
  const pauseBetween = createPausingSlice()
  for (let [next] = ranges; next !== undefined; ) {
    if (signal.aborted) throw new ColophonError('closed', 'The worker is stopping; another worker will go on.')
    next = await advance(tenant, next, lease)
    await pauseBetween()
  }
  lease.spent = true
}

/** One step. Returns what comes next, if anything does. */
async function advance(tenant: Tenant, range: FanOutRange, lease: JobLease): Promise<FanOutRange | undefined> {
  const { runId, fromSequence, toSequence } = range
  const known = new Set(range.webhookIds)
  const webhooks = (await loadWebhooks(tenant)).filter(({ webhookId }) => known.has(webhookId))
  const limit = Math.floor(limits.webhookDeliveriesPerCommitMax / Math.max(webhooks.length, 1))
  const query = { tenantId: tenant.id, runId, from: fromSequence, limit }
  const page = webhooks.length === 0 ? [] : await tenant.storage.runs.events(query)
  const events = page.filter(({ sequence }) => sequence <= toSequence)
  // Without events: the webhooks were removed, or the run was deleted.
  const cursor = (events.at(-1)?.sequence ?? toSequence) + 1
  const jobs = await toDeliveryJobs(tenant, wantedOf(webhooks, runId, events))
  const { jobId, leaseToken } = lease
  const committed = await tenant.commit(
    { kind: 'memory.written', jobs, holds: { jobId, leaseToken, cursor } },
    { actor: `run:${runId}`, call: { operation: 'webhook.fan-out' } },
  )
  if (jobs.length > 0) tenant.engine.workers.wake(deliveryJobKind)
  return (committed.jobs.find((job) => job.jobId === jobId)?.payload as FanOut | undefined)?.ranges[0]
}
