import type { WebhookEvent } from '../../app/engine.ts'
import { toInstant } from '../../core/check.ts'
import { cloudEventMediaType, toCloudEvent } from '../../core/cloud-event.ts'
import type { Coalesced } from '../../core/webhooks/coalesced-delivery.ts'
import { toEventView } from './views/run-events.ts'
import { signWebhook, webhookHeaders } from './webhook-signature.ts'

type DeliveredDocument = {
  readonly runId: string
  readonly type: string
  readonly event: ReturnType<typeof toEventView>
}

/** The HTTP request of one delivery: the event document, signed over the exact text of the body. */
export function toWebhookRequest(delivery: WebhookEvent, version: string) {
  const { tenantId, runId, event, coalesced, webhookId, secret, now } = delivery
  const about = { runId, type: event.type, workspaceId: tenantId, event: toEventView(runId, event) }
  const data = coalesced ? { ...about, coalesced: toCoalescedView(coalesced) } : about
  const isCloudEvent = delivery.format === 'cloudevents'
  const body = JSON.stringify(isCloudEvent ? toDeliveredEvent(tenantId, data) : data)
  const timestampSeconds = Math.floor(now / 1_000)
  const signature = signWebhook(secret, timestampSeconds, body)
  const headers = webhookHeaders({ webhookId, eventType: event.type, timestampSeconds, signature, version })
  return { headers: isCloudEvent ? { ...headers, 'Content-Type': cloudEventMediaType } : headers, body }
}

/** A delivery as an event of CloudEvents. A repeated delivery has the same id. */
function toDeliveredEvent(tenantId: string, data: DeliveredDocument) {
  const { eventId: id, timestamp: time } = data.event
  return toCloudEvent(tenantId, { id, type: `openwop.${data.type}`, subject: data.runId, time, data })
}

/** The events of a coalesced delivery: their number, their time range, and where to read them. */
function toCoalescedView({ since, until, ...coalesced }: Coalesced) {
  return { ...coalesced, since: toInstant(since), until: toInstant(until) }
}
