import { createWebhook, loadWebhooks, removeWebhook } from '../../../app/webhooks.ts'
import { toInstant } from '../../../core/check.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { NoQuery, WebhookParams } from '../../params.ts'
import { NoContent } from '../../schema-parts.ts'
import { NewWebhook, WebhookDraft, WebhookList, WebhookQuery } from '../schemas/webhooks.ts'

const tags = ['webhooks']

/** Who is told of the tenant's runs. */
export function webhookRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    '/v1/webhooks',
    {
      config: { access: 'webhooks:manage' },
      schema: { tags, querystring: NoQuery, response: { 200: WebhookList } },
    },
    async (request) => {
      const webhooks = await loadWebhooks(engine.tenant(principalOf(request).tenantId))
      return {
        webhooks: webhooks.map(({ createdAt, ...webhook }) => ({ ...webhook, createdAt: toInstant(createdAt) })),
      }
    },
  )

  app.post(
    '/v1/webhooks',
    {
      config: { access: 'webhooks:manage' },
      schema: { tags, querystring: NoQuery, body: WebhookDraft, response: { 201: NewWebhook } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const made = await createWebhook(engine.tenant(tenantId), request.body, writeOptions(request))
      markReplay(request, reply, made.repeated)
      const { webhookId, secretFingerprint } = made.webhook
      const secret = made.secret === null ? {} : { secret: made.secret }
      return reply.code(201).send({ webhookId, ...secret, secretFingerprint })
    },
  )

  app.delete(
    '/v1/webhooks/:webhookId',
    {
      config: { access: 'webhooks:manage' },
      schema: {
        tags,
        params: WebhookParams,
        querystring: WebhookQuery,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { webhookId } = request.params
      const { repeated } = await removeWebhook(engine.tenant(tenantId), webhookId, request.query, writeOptions(request))
      markReplay(request, reply, repeated)
      return reply.code(204).send(null)
    },
  )
}
