import { ColophonError } from '../core/errors.ts'
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
  signal: AbortSignal,
): Promise<{ readonly delivered: boolean; readonly status?: number }> {
  const { webhookId, runId, sequence } = delivery
  const address = await webhookAddress(tenant, webhookId)
  const [event] = await tenant.storage.runs.events({ tenantId: tenant.id, runId, from: sequence, limit: 1 })
  // Removed since, or forgotten: there is nobody to tell, or nothing to tell.
  if (!address || event?.sequence !== sequence || tenant.host.webhooks === null) return { delivered: false }
  const { sender, toRequest } = tenant.host.webhooks
  const { secret, url } = address
  const { headers, body } = toRequest({ tenantId: tenant.id, runId, event, webhookId, secret, now: tenant.now() })
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
