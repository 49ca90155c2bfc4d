import { ColophonError } from '../../core/errors.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import type { RunEvent } from '../../core/run/run.ts'
import { type Delivery, endDelivery } from '../../core/webhooks/coalesced-delivery.ts'
import { observed } from '../../telemetry/observed.ts'
import { traceHeaders } from '../../telemetry/scope.ts'
import type { Tenant } from '../tenant.ts'
import { webhookAddress } from './webhooks.ts'

/**
 * Tells one event to one webhook. What goes wrong fails the attempt, with a reason that says nothing of the event; the
 * queue tries again later and in the end keeps the delivery as a dead letter.
 */
export async function deliver(
  tenant: Tenant,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<{ readonly delivered: boolean; readonly status?: number }> {
  const { webhookId, coalesced } = delivery
  const address = await webhookAddress(tenant, webhookId)
  const found = await findEvent(tenant, delivery)
  // Removed since, or forgotten: there is nobody to tell, or nothing to tell.
  if (!address || found === null || tenant.host.webhooks === null) return { delivered: false }
  const { sender, toRequest } = tenant.host.webhooks
  const { secret, url } = address
  const about = { tenantId: tenant.id, ...found, ...(coalesced ? { coalesced } : {}) }
  const { headers, body } = toRequest({ ...about, webhookId, secret, now: tenant.now() })
  const outcome = await observed('webhook', {}, async (note) => {
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
  throw new ColophonError('delivery_failed', `The webhook could not be told: ${reason}.`, {
    details: { reason, ...(status === undefined ? {} : { status }) },
  })
}

type FoundEvent = { readonly runId: string; readonly event: RunEvent }

/** The event to deliver. When the one that stands for others is gone, the newest that is left of them takes its place. */
async function findEvent(tenant: Tenant, { runId, sequence, coalesced }: Delivery): Promise<FoundEvent | null> {
  const others = coalesced?.ranges.toReversed().map((range) => ({ runId: range.runId, sequence: range.toSequence }))
  for (const place of [{ runId, sequence }, ...(others ?? [])]) {
    const query = { tenantId: tenant.id, runId: place.runId, from: place.sequence, limit: 1 }
    const [event] = await tenant.storage.runs.events(query)
    if (event?.sequence === place.sequence) return { runId: place.runId, event }
  }
  return null
}

/** Delivers, and ends the job. One that others may join ends under the lock of its row, so that none of them is lost. */
export async function deliverJob(tenant: Tenant, delivery: Delivery, lease: JobLease, signal: AbortSignal) {
  const result = await deliver(tenant, delivery, signal)
  if (delivery.coalesced === undefined) return result
  const finish = { leaseToken: lease.leaseToken, result }
  await tenant.storage.jobs.update(tenant.id, lease.jobId, (job) => endDelivery(job, finish, tenant.now()))
  lease.spent = true
  return result
}
