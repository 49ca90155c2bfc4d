import { createHmac } from 'node:crypto'
import { invariant } from '../../core/invariant.ts'

/** The signature by which a receiver verifies that a delivery is from this host, unchanged and recent. */

const signatureAlgorithm = 'v1'

/** Signs the exact text that is sent: serialising a body twice can give different bytes. */
export function signWebhook(secret: string, timestampSeconds: number, rawBody: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestampSeconds}.${rawBody}`).digest('hex')}`
}

export type WebhookHeaders = {
  readonly webhookId: string
  readonly eventType: string
  readonly timestampSeconds: number
  readonly signature: string
  /** The version of this program. */
  readonly version: string
}

/** Every header is sent under its v1 and its v2 name, for receivers of both versions. */
export function webhookHeaders(delivery: WebhookHeaders): Readonly<Record<string, string>> {
  const facts = {
    'Webhook-Id': delivery.webhookId,
    'Event-Type': delivery.eventType,
    Timestamp: String(delivery.timestampSeconds),
    Signature: delivery.signature,
    'Signature-Algorithm': signatureAlgorithm,
  }
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': `openwop-webhook-dispatcher/${delivery.version}`,
  }
  for (const [name, value] of Object.entries(facts)) {
    invariant(
      /^[\x21-\x7e]+$/.test(value),
      `the webhook header ${name} has a character that is not allowed in a header`,
    )
    headers[`X-openwop-${name}`] = value
    headers[`OpenWOP-${name}`] = value
  }
  return headers
}
