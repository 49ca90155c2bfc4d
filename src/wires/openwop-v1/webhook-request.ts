import type { WebhookEvent } from '../../app/engine.ts'
import { toInstant } from '../../core/check.ts'
import type { Coalesced } from '../../core/webhooks/coalesced-delivery.ts'
import { toEventView } from './views/run-events.ts'
import { signWebhook, webhookHeaders } from './webhook-signature.ts'

/** The HTTP request of one delivery: the event document, signed over the exact text of the body. */
export function toWebhookRequest(delivery: WebhookEvent, version: string) {
  const { tenantId, runId, event, coalesced, webhookId, secret, now } = delivery
  const about = { runId, type: event.type, workspaceId: tenantId, event: toEventView(runId, event) }
  const body = JSON.stringify(coalesced ? { ...about, coalesced: toCoalescedView(coalesced) } : about)
  const timestampSeconds = Math.floor(now / 1_000)
  const signature = signWebhook(secret, timestampSeconds, body)
  return { headers: webhookHeaders({ webhookId, eventType: event.type, timestampSeconds, signature, version }), body }
}

/** The events of a coalesced delivery: their number, their time range, and where to read them. */
function toCoalescedView({ since, until, ...coalesced }: Coalesced) {
  return { ...coalesced, since: toInstant(since), until: toInstant(until) }
}
