import { deadLettersOf } from '../../../app/webhooks/dead-letters.ts'
import { rotateWebhookSecret } from '../../../app/webhooks/rotate-secret.ts'
import { createWebhook, removeWebhook } from '../../../app/webhooks/subscriptions.ts'
import { toInstant } from '../../../core/check.ts'
import { respond, route } from '../../../http/route.ts'
import { toEventId } from '../../openwop-v1/views/run-events.ts'
import { NoContent } from '../../schema-parts.ts'
import { invalidField } from '../errors.ts'
import { toShownType, toStoredType } from '../events/code-map.ts'
import { writeOf } from '../idempotency.ts'
import { bindId, openPathId } from '../ids.ts'
import { DeadLetterQuery, DeadLetters, NewWebhook, SecretRotation, WebhookDraft } from '../schemas/webhooks.ts'

const tag = 'webhooks'

/** Webhooks, which receive the events of the tenant's runs in the form of version 2. */
export const webhookRoutes = [
  route('registerWebhook', 'POST /webhooks', 'webhooks:manage', {
    summary: 'Register a webhook',
    description:
      'Sends the named events of all runs of the tenant to this URL, signed with the secret. Each event is delivered at least once; a delivery that fails too often becomes a dead letter.',
    tag,
    body: WebhookDraft,
    responses: { 201: NewWebhook },
    async handler({ tenant, body, principal, request }) {
      const write = writeOf(request, 'registerWebhook', principal.actor)
      const { url, tags, secret: given } = body
      const events = body.events.map(toStoredEvent)
      const draft = { url, events, tags, secret: given, protocol: 2 }
      const { webhook, secret, repeated } = await createWebhook(tenant, draft, write)
      const generated = given === undefined && secret !== null ? { secret } : {}
      return respond({ webhookId: bindId(tenant.id, webhook.webhookId), ...generated }, { repeated })
    },
  }),
  route('unregisterWebhook', 'DELETE /webhooks/{webhookId}', 'webhooks:manage', {
    summary: 'Remove a webhook',
    description: 'Pending deliveries to this webhook are not sent, and its dead letters are no longer listed.',
    tag,
    isUnkeyed: true,
    responses: { 204: NoContent },
    async handler({ tenant, params, principal }) {
      const webhookId = openPathId('webhookId', tenant.id, params.webhookId)
      await removeWebhook(tenant, webhookId, {}, { actor: principal.actor })
      return null
    },
  }),
  route('rotateWebhookSecret', 'POST /webhooks/{webhookId}/rotate-secret', 'webhooks:manage', {
    summary: 'Give a webhook another secret',
    description:
      'The secret before still signs for `overlapSeconds` of the discovery document (24 hours), then the new one does. Accept both in between. If the secret was stolen, remove the webhook and register it again instead.',
    tag,
    body: SecretRotation,
    responses: { 200: NewWebhook },
    async handler({ tenant, params, body, principal, request }) {
      // Not the operation's own name: before a random key, `Secret:` looks like a secret, which no key may hold.
      const write = writeOf(request, 'rotateWebhook', principal.actor)
      const webhookId = openPathId('webhookId', tenant.id, params.webhookId)
      const { secret, repeated } = await rotateWebhookSecret(tenant, webhookId, body ?? {}, write)
      const generated = body?.secret === undefined && secret !== null ? { secret } : {}
      return respond({ webhookId: bindId(tenant.id, webhookId), ...generated }, { repeated })
    },
  }),
  route('listWebhookDeadLetters', 'GET /webhooks/{webhookId}/dead-letters', 'webhooks:manage', {
    summary: 'List the dead letters of a webhook',
    description: 'Deliveries that failed too often, newest first, without content. They are kept for 14 days.',
    tag,
    query: DeadLetterQuery,
    responses: { 200: DeadLetters },
    async handler({ tenant, params, query }) {
      const webhookId = openPathId('webhookId', tenant.id, params.webhookId)
      const { deliveries, cursor } = await deadLettersOf(tenant, webhookId, query)
      return {
        deliveries: deliveries.map(({ jobId, runId, sequence, type, attempts, status, at, expiresAt }) => ({
          deliveryId: bindId(tenant.id, jobId),
          webhookId: bindId(tenant.id, webhookId),
          runId: bindId(tenant.id, runId),
          eventId: toEventId(runId, sequence),
          eventType: toShownType(type),
          attempts,
          deadLetteredAt: toInstant(at),
          expiresAt: toInstant(expiresAt),
          reason: 'retries_exhausted' as const,
          ...(status === null ? {} : { lastStatus: status }),
        })),
        ...(cursor === null ? {} : { nextCursor: cursor }),
      }
    },
  }),
]

function toStoredEvent(type: string, index: number): string {
  const stored = toStoredType(type)
  if (stored !== undefined) return stored
  const problem =
    type === '*' ? 'must name each event type: version 2 has no `*`' : 'must be an event type of version 2'
  throw invalidField(`events[${index}]`, problem)
}
