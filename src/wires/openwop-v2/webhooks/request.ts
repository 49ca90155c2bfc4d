import type { WebhookEvent } from '../../../app/engine.ts'
import { signWebhook, webhookHeaders } from '../../openwop-v1/webhook-signature.ts'
import { toEventDocument } from '../events/event-document.ts'
import { bindId } from '../ids.ts'

/** The HTTP request of one delivery to a webhook of version 2. */
export function toWebhookRequestV2(delivery: WebhookEvent, version: string) {
  const { tenantId, runId, event, secret, now } = delivery
  const document = toEventDocument(tenantId, runId, event)
  const body = JSON.stringify({ runId: bindId(tenantId, runId), event: document })
  const timestampSeconds = Math.floor(now / 1_000)
  const signature = signWebhook(secret, timestampSeconds, body)
  const webhookId = bindId(tenantId, delivery.webhookId)
  return {
    headers: webhookHeaders({ webhookId, eventType: document.type, timestampSeconds, signature, version }),
    body,
  }
}
