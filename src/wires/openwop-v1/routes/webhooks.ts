import { createWebhook, loadWebhooks, removeWebhook } from '../../../app/webhooks/subscriptions.ts'
import { toInstant } from '../../../core/check.ts'
import { respond, route } from '../../../http/route.ts'
import { NoContent } from '../../schema-parts.ts'
import { NewWebhook, WebhookDraft, WebhookList, WebhookQuery } from '../schemas/webhooks.ts'

const tag = 'webhooks'

/** Webhooks, which receive the events of the tenant's runs. */
export const webhookRoutes = [
  route('listWebhooks', 'GET /v1/webhooks', 'webhooks:manage', {
    summary: 'List webhooks',
    description: 'All webhooks of the tenant, without URLs and secrets.',
    tag,
    responses: { 200: WebhookList },
    async handler({ tenant }) {
      const webhooks = await loadWebhooks(tenant)
      return {
        webhooks: webhooks.map(({ protocol: _protocol, ...webhook }) => {
          return { ...webhook, createdAt: toInstant(webhook.createdAt) }
        }),
      }
    },
  }),
  route('createWebhook', 'POST /v1/webhooks', 'webhooks:manage', {
    summary: 'Register a webhook',
    needsKey: true,
    description:
      'Sends the named events of all runs of the tenant to this URL, signed with the secret. URL and secret are stored encrypted.',
    tag,
    body: WebhookDraft,
    responses: { 201: NewWebhook },
    async handler({ tenant, body, write }) {
      const { webhook, secret, repeated } = await createWebhook(tenant, body, write)
      const { webhookId, secretFingerprint } = webhook
      return respond({ webhookId, ...(secret === null ? {} : { secret }), secretFingerprint }, { repeated })
    },
  }),
  route('deleteWebhook', 'DELETE /v1/webhooks/{webhookId}', 'webhooks:manage', {
    summary: 'Remove a webhook',
    description: 'Pending deliveries to this webhook are not sent.',
    tag,
    query: WebhookQuery,
    responses: { 204: NoContent },
    async handler({ tenant, params, query, write }) {
      const { repeated } = await removeWebhook(tenant, params.webhookId, query, write)
      return respond(null, { repeated })
    },
  }),
]
