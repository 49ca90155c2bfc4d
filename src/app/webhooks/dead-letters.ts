import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { type Delivery, deliveryJobKind } from '../../core/webhooks/coalesced-delivery.ts'
import type { Tenant } from '../tenant.ts'
import { noSuchWebhook } from './subscriptions.ts'

/** A delivery that failed too often, without content. */
export type DeadLetter = {
  readonly jobId: string
  readonly runId: string
  readonly sequence: number
  readonly type: string
  readonly attempts: number
  /** What the receiver answered last; null if it did not answer. */
  readonly status: number | null
  readonly at: number
  readonly expiresAt: number
}

const keptMs = limits.deadLetterDays * 24 * 60 * 60 * 1_000
/** Dead jobs that one request reads at most. */
const scanMax = 1_000
/** How many of them at once, whatever the page. */
const batch = 100

type PageRequest = { readonly limit?: number | undefined; readonly cursor?: string | undefined }

/**
 * The dead letters of a webhook, newest first. Dead jobs of all kinds are read to find them, a bounded number at once: a page can be short
 * and still have a next one.
 */
export async function deadLettersOf(
  tenant: Tenant,
  webhookId: string,
  { limit = 0, cursor }: PageRequest,
): Promise<{ readonly deliveries: readonly DeadLetter[]; readonly cursor: string | null }> {
  if ((await tenant.storage.record(tenant.id, 'webhook', webhookId)) === null) throw noSuchWebhook()
  const size = Math.min(limit > 0 ? limit : limits.deadLetterPageMax, limits.deadLetterPageMax)
  const since = tenant.now() - keptMs
  const deliveries: DeadLetter[] = []
  let after = cursor === undefined ? null : openCursor(webhookId, cursor)
  for (let scanned = 0; scanned < scanMax; ) {
    const jobs = await tenant.storage.jobs.list({ tenantId: tenant.id, status: 'dead', after, limit: batch })
    for (const { jobId, kind, payload, attempts, endedAt, error } of jobs) {
      after = jobId
      const delivery = payload as Delivery
      if (kind !== deliveryJobKind || delivery.webhookId !== webhookId || (endedAt ?? 0) < since) continue
      const { runId, sequence } = delivery
      const type = delivery.type ?? (await typeOf(tenant, delivery))
      if (type === null) continue
      const at = endedAt ?? 0
      const expiresAt = at + keptMs
      const last = { attempts: Math.max(attempts, 1), status: error?.status ?? null }
      deliveries.push({ jobId, runId, sequence, type, ...last, at, expiresAt })
      if (deliveries.length === size) return { deliveries, cursor: `${webhookId}.${jobId}` }
    }
    if (jobs.length < batch) return { deliveries, cursor: null }
    scanned += jobs.length
  }
  return { deliveries, cursor: `${webhookId}.${after}` }
}

/** The type of the event, from the log of its run; null if the run is gone. */
async function typeOf(tenant: Tenant, { runId, sequence }: Delivery): Promise<string | null> {
  const [event] = await tenant.storage.runs.events({ tenantId: tenant.id, runId, from: sequence, limit: 1 })
  return event?.sequence === sequence ? event.type : null
}

/** A cursor belongs to one webhook. */
function openCursor(webhookId: string, cursor: string): string {
  const [of, jobId = '', ...more] = cursor.split('.')
  if (of === webhookId && more.length === 0 && /^job_[\w-]{1,64}$/.test(jobId)) return jobId
  throw invalid('cursor', 'must be a cursor from an earlier page of this webhook')
}
