import type { NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import type { RunStep } from '../../core/run/run.ts'
import {
  coalesce,
  coalescedJobId,
  type Delivery,
  deliveryJobKind,
  mergeDeliveries,
} from '../../core/webhooks/coalesced-delivery.ts'
import type { Host } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { isSubscribed, loadWebhooks, type Webhook } from './subscriptions.ts'

/**
 * The delivery jobs of the steps' events, one per event and subscribed webhook. They are stored with the events, so the job
 * queue is a transactional outbox. Events of a replay are not delivered again. When the backlog of a webhook is full,
 * further events are coalesced into one job.
 */
export async function deliveryJobsOf(tenant: Tenant, steps: readonly RunStep[]): Promise<NewJob[]> {
  const delivered = steps.filter(({ run, events }) => events.length > 0 && run.facts.fork?.mode !== 'replay')
  if (delivered.length === 0) return []
  const webhooks = await loadWebhooks(tenant)
  if (webhooks.length === 0) return []
  const wanted = delivered.flatMap((step) => eventsFor(webhooks, step))
  if (wanted.length === 0) return []
  const free = await reserveBacklog(tenant, wanted)
  const jobs: NewJob[] = []
  const coalesced = new Map<string, Delivery>()
  for (const delivery of wanted) {
    const { webhookId } = delivery
    const left = free.get(webhookId) ?? 0
    free.set(webhookId, left - 1)
    if (left > 0) jobs.push(toJob(tenant, tenant.system.newId('job'), delivery))
    else coalesced.set(webhookId, mergeDeliveries(coalesced.get(webhookId), coalesce(delivery, tenant.now())))
  }
  const joining = [...coalesced].map(([webhookId, delivery]): NewJob => {
    return { ...toJob(tenant, coalescedJobId(webhookId), delivery), joins: true }
  })
  return [...jobs, ...joining]
}

/** How often a delivery is tried. */
export function attemptsMaxOf({ webhooks }: Pick<Host, 'webhooks'>): number {
  return webhooks?.attemptsMax ?? limits.webhookAttemptsMax
}

function eventsFor(webhooks: readonly Webhook[], { run, firstSequence, events }: RunStep): Delivery[] {
  return events.flatMap(({ type }, index) =>
    webhooks
      .filter((webhook) => isSubscribed(webhook, type, run.text.tags))
      .map(({ webhookId }) => ({ webhookId, runId: run.runId, sequence: firstSequence + index, type })),
  )
}

function reserveBacklog(tenant: Tenant, deliveries: readonly Delivery[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { webhookId } of deliveries) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
  return tenant.host.webhookBacklog.reserve(counts, tenant.now(), (webhookIds, countMax) =>
    tenant.storage.jobs.waitingDeliveries(tenant.id, webhookIds, countMax),
  )
}

function toJob(tenant: Tenant, jobId: string, payload: Delivery): NewJob {
  return {
    jobId,
    kind: deliveryJobKind,
    payload,
    priority: 5,
    // While the circuit breaker is open, the delivery waits.
    dueAt: tenant.host.webhooks?.breaker.openUntil(payload.webhookId, tenant.now()) ?? null,
    attemptsMax: attemptsMaxOf(tenant.host),
  }
}
