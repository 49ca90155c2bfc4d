import type { WebhookEvent } from '../../app/engine.ts'
import { toEventView } from './views/event.ts'
import { signWebhook, webhookHeaders } from './webhook-signature.ts'

/** The request that carries one event to a webhook: the event document, signed over the exact text of the body. */
export function toWebhookRequest({ tenantId, runId, event, webhookId, secret, now }: WebhookEvent, version: string) {
  const view = toEventView(runId, event)
  const body = JSON.stringify({ runId, type: event.type, workspaceId: tenantId, event: view })
  const timestampSeconds = Math.floor(now / 1_000)
  const signature = signWebhook(secret, timestampSeconds, body)
  return { headers: webhookHeaders({ webhookId, eventType: event.type, timestampSeconds, signature, version }), body }
}
