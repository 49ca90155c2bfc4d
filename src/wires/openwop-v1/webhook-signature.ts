import { createHmac } from 'node:crypto'
import { assert } from '../../core/errors.ts'

/** How a receiver knows that a delivery comes from this host, is unchanged and is recent. */

const signatureAlgorithm = 'v1'

/** Over the exact text that is sent: a body serialised a second time may differ by a byte. */
export function signWebhook(secret: string, timestampSeconds: number, rawBody: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestampSeconds}.${rawBody}`).digest('hex')}`
}

export type WebhookHeaders = {
  readonly webhookId: string
  readonly eventType: string
  readonly timestampSeconds: number
  readonly signature: string
  /** Of this program. */
  readonly version: string
}

/** Each fact goes out under its v1 and its v2 name: receivers of both ages read the same values. */
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
    assert(/^[\x21-\x7e]+$/.test(value), `the webhook header ${name} has characters that no header may have`)
    headers[`X-openwop-${name}`] = value
    headers[`OpenWOP-${name}`] = value
  }
  return headers
}
