import { isUnfinished, type NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import type { RunEvent, RunStep } from '../../core/run/run.ts'
import {
  coalesce,
  coalescedJobId,
  type Delivery,
  deliveryJobKind,
  mergeDeliveries,
} from '../../core/webhooks/coalesced-delivery.ts'
import { type FanOut, fanOutJobId, fanOutJobKind } from '../../core/webhooks/fan-out.ts'
import type { Host } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { isForRun, isWanted, loadWebhooks, type Webhook } from './subscriptions.ts'

/** A delivery, and when its event was stored. */
type Wanted = { readonly delivery: Delivery; readonly at: number }

/**
 * The jobs by which the steps' events are delivered, one per event and subscribed webhook. They are stored with the events, so the job
 * queue is a transactional outbox. A step with many deliveries stores one job instead, which makes them from the log. Events of a replay
 * are not delivered again.
 */
export async function deliveryJobsOf(tenant: Tenant, steps: readonly RunStep[]): Promise<NewJob[]> {
  const delivered = steps.filter(({ run, events }) => events.length > 0 && run.facts.fork?.mode !== 'replay')
  if (delivered.length === 0) return []
  const all = await loadWebhooks(tenant)
  if (all.length === 0) return []
  const now = tenant.now()
  const wanted: Wanted[] = []
  const fanOuts: NewJob[] = []
  for (const { run, firstSequence, events } of delivered) {
    const webhooks = all.filter((webhook) => isForRun(webhook, run.text.tags))
    const stored = events.map(({ type }, index) => ({ type, sequence: firstSequence + index, at: now }))
    const own = wantedOf(webhooks, run.runId, stored)
    if (own.length === 0) continue
    const isMany = wanted.length + own.length > limits.webhookDeliveriesPerCommitMax
    if (isMany || (await isFannedOut(tenant, run.runId, firstSequence * webhooks.length))) {
      const webhookIds = webhooks.map(({ webhookId }) => webhookId)
      const [fromSequence, toSequence] = [firstSequence, firstSequence + events.length - 1]
      fanOuts.push(toFanOutJob({ ranges: [{ runId: run.runId, fromSequence, toSequence, webhookIds }] }, run.runId))
    } else wanted.push(...own)
  }
  return [...(await toDeliveryJobs(tenant, wanted)), ...fanOuts]
}

/** Whether earlier events of the run are still to be made deliveries of: then later ones wait for their turn. */
async function isFannedOut(tenant: Tenant, runId: string, earlier: number): Promise<boolean> {
  // So few were stored with their events.
  if (earlier <= limits.webhookDeliveriesPerCommitMax) return false
  const job = await tenant.storage.jobs.get(tenant.id, fanOutJobId(runId))
  return job !== null && (isUnfinished(job) || job.status === 'dead')
}

function toFanOutJob(payload: FanOut, runId: string): NewJob {
  const job = { jobId: fanOutJobId(runId), kind: fanOutJobKind, payload, priority: 5, dueAt: null }
  return { ...job, attemptsMax: limits.runAttemptsMax, joins: true }
}

/** The deliveries of events of a run to webhooks that are for this run. */
export function wantedOf(
  webhooks: readonly Webhook[],
  runId: string,
  events: readonly Pick<RunEvent, 'type' | 'sequence' | 'at'>[],
): Wanted[] {
  return events.flatMap(({ type, sequence, at }) =>
    webhooks
      .filter((webhook) => isWanted(webhook, type))
      .map(({ webhookId }) => ({ delivery: { webhookId, runId, sequence, type }, at })),
  )
}

/** Their jobs. When the backlog of a webhook is full, further events are coalesced into one job. */
export async function toDeliveryJobs(tenant: Tenant, wanted: readonly Wanted[]): Promise<NewJob[]> {
  if (wanted.length === 0) return []
  const free = await reserveBacklog(tenant, wanted)
  const jobs: NewJob[] = []
  const coalesced = new Map<string, Delivery>()
  for (const { delivery, at } of wanted) {
    const { webhookId } = delivery
    const left = free.get(webhookId) ?? 0
    free.set(webhookId, left - 1)
    if (left > 0) jobs.push(toJob(tenant, tenant.system.newId('job'), delivery))
    else coalesced.set(webhookId, mergeDeliveries(coalesced.get(webhookId), coalesce(delivery, at)))
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

function reserveBacklog(tenant: Tenant, wanted: readonly Wanted[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { delivery } of wanted) counts.set(delivery.webhookId, (counts.get(delivery.webhookId) ?? 0) + 1)
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
