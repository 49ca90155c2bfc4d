import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'

export const WebhookDraft = z
  .looseObject({
    url: z.unknown(),
    events: z.unknown(),
    tenantId: z.unknown().optional(),
    tags: z.unknown().optional(),
    secret: z.unknown().optional(),
  })
  .meta({ id: 'WebhookDraft' })

export const NewWebhook = z
  .strictObject({
    webhookId: z.string(),
    secret: z.string().optional().describe('Shown once, when the webhook is made'),
    secretFingerprint: z.string(),
  })
  .meta({ id: 'NewWebhook' })

export const WebhookList = z
  .strictObject({
    webhooks: list(
      z.strictObject({
        webhookId: z.string(),
        events: list(z.string()),
        tags: list(z.string()),
        secretFingerprint: z.string(),
        createdAt: instant,
      }),
    ),
  })
  .meta({ id: 'WebhookList', description: 'Without their addresses, which often hold a token.' })

export const WebhookQuery = z.looseObject({ tenantId: z.string().optional() })
