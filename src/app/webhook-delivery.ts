import { ColophonError } from '../core/errors.ts'
import { toEventDoc } from '../core/run/event-doc.ts'
import { signWebhook, webhookHeaders } from '../core/webhook-signature.ts'
import { observed } from '../telemetry/observed.ts'
import { traceHeaders } from '../telemetry/scope.ts'
import type { Tenant } from './tenant.ts'
import { webhookAddress } from './webhooks.ts'

export type Delivery = { readonly webhookId: string; readonly runId: string; readonly sequence: number }

/**
 * Tells one event to one webhook. What goes wrong fails the attempt, with a reason that says nothing of the event; the
 * queue tries again later and in the end keeps the delivery as a dead letter.
 */
export async function deliver(
  tenant: Tenant,
  delivery: Delivery,
  version: string,
  signal: AbortSignal,
): Promise<{ readonly delivered: boolean; readonly status?: number }> {
  const { webhookId, runId, sequence } = delivery
  const address = await webhookAddress(tenant, webhookId)
  const [event] = await tenant.storage.runs.events({ tenantId: tenant.id, runId, from: sequence, limit: 1 })
  // Removed since, or forgotten: there is nobody to tell, or nothing to tell.
  if (!address || event?.sequence !== sequence || tenant.host.webhooks === null) return { delivered: false }
  const doc = toEventDoc(runId, event)
  const body = JSON.stringify({ runId, type: doc.type, workspaceId: tenant.id, event: doc })
  const timestampSeconds = Math.floor(tenant.now() / 1_000)
  const signature = signWebhook(address.secret, timestampSeconds, body)
  const headers = webhookHeaders({ webhookId, eventType: doc.type, timestampSeconds, signature, version })
  const { sender } = tenant.host.webhooks
  const outcome = await observed('webhook', {}, async (note) => {
    const sent = await sender.send({ url: address.url, headers: { ...headers, ...traceHeaders() }, body, signal })
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
