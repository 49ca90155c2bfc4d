import { ColophonError } from '../../core/errors.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import type { RunEvent } from '../../core/run/run.ts'
import { type Delivery, endDelivery } from '../../core/webhooks/coalesced-delivery.ts'
import { withSpan } from '../../telemetry/span.ts'
import { traceHeaders } from '../../telemetry/trace-scope.ts'
import type { Tenant } from '../tenant.ts'
import { webhookAddress } from './subscriptions.ts'

/**
 * Delivers one event to one webhook. An error fails the attempt of the job, with a reason that holds nothing of the event. The
 * queue retries with backoff; after the last attempt the delivery is a dead letter.
 */
export async function deliverWebhook(
  tenant: Tenant,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<{ readonly delivered: boolean; readonly status?: number }> {
  const { webhookId, coalesced } = delivery
  const address = await webhookAddress(tenant, webhookId)
  const found = await findEvent(tenant, delivery)
  // The webhook was removed, or the event was erased.
  if (!address || found === null || tenant.host.webhooks === null) return { delivered: false }
  const { sender, toRequest } = tenant.host.webhooks
  const { url, ...signing } = address
  const content = { tenantId: tenant.id, ...found, ...(coalesced ? { coalesced } : {}) }
  const { headers, body } = toRequest({ ...content, webhookId, ...signing, now: tenant.now() })
  const outcome = await withSpan('webhook', {}, async (note) => {
    const sent = await sender.send({ url, headers: { ...headers, ...traceHeaders() }, body, signal })
    note({
      ...(sent.status === undefined ? {} : { status: sent.status }),
      ...(sent.ok ? {} : { outcome: sent.reason }),
    })
    return sent
  })
  tenant.host.webhooks.breaker.note(webhookId, outcome.ok, tenant.now())
  if (outcome.ok) return { delivered: true, status: outcome.status }
  const { reason, status } = outcome
  throw new ColophonError('delivery_failed', `The delivery to the webhook failed: ${reason}.`, {
    details: { reason, ...(status === undefined ? {} : { status }) },
  })
}

type FoundEvent = { readonly runId: string; readonly event: RunEvent }

/** The event to deliver. If the newest event of a coalesced delivery was erased, the newest remaining one is delivered. */
async function findEvent(tenant: Tenant, { runId, sequence, coalesced }: Delivery): Promise<FoundEvent | null> {
  const others = coalesced?.ranges.toReversed().map((range) => ({ runId: range.runId, sequence: range.toSequence }))
  for (const place of [{ runId, sequence }, ...(others ?? [])]) {
    const query = { tenantId: tenant.id, runId: place.runId, from: place.sequence, limit: 1 }
    const [event] = await tenant.storage.runs.events(query)
    if (event?.sequence === place.sequence) return { runId: place.runId, event }
  }
  return null
}

/** Delivers, and completes the job. A coalesced delivery is completed under the lock of its row, so that an event that joins it at that moment is not lost. */
export async function deliverJob(tenant: Tenant, delivery: Delivery, lease: JobLease, signal: AbortSignal) {
  const result = await deliverWebhook(tenant, delivery, signal)
  if (delivery.coalesced === undefined) return result
  const finish = { leaseToken: lease.leaseToken, result }
  await tenant.storage.jobs.update(tenant.id, lease.jobId, (job) => endDelivery(job, finish, tenant.now()))
  lease.spent = true
  return result
}
