import { z } from 'zod'
import { checkCharacters } from '../../../core/check.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { bounded, instant, list, ruled } from '../../schema-parts.ts'
import { at } from './examples.ts'

const names = ruled(bounded(z.string(), limits, 'webhookEventsMax', 1), (field, given) => {
  for (const name of given) checkCharacters(field, name, 'runTagCharactersMax', limits.runTagCharactersMax)
})

const secret = ruled(z.string(), (field, given) => {
  checkCharacters(field, given, 'webhookSecretCharactersMax', limits.webhookSecretCharactersMax)
  const min = limits.webhookSecretCharactersMin
  if (given.length < min)
    throw invalid(field, `must be at least ${min} characters`, { limit: 'webhookSecretCharactersMin', min })
})

/** Of any type: what is not the tenant of the key is refused as another tenant (403), not as a malformed request. */
const tenantId = z.unknown().meta({ type: 'string', description: 'Only the tenant of the key is allowed' }).optional()

export const WebhookDraft = z
  .looseObject({
    url: z.string().describe('An https address that is reachable from the server'),
    events: names.describe('Types of run events; `*` is every type'),
    tags: names.optional().describe('Only runs that have one of these tags'),
    secret: secret.optional().describe('Signs each delivery; made by the server if it is not given'),
    tenantId,
  })
  .meta({
    id: 'WebhookDraft',
    description: 'Where to send which events.',
    examples: [{ url: 'https://hooks.example.com/colophon', events: ['run.completed', 'run.failed'] }],
  })

export const NewWebhook = z
  .strictObject({
    webhookId: z.string(),
    secret: z.string().optional().describe('Shown once, when the webhook is made'),
    secretFingerprint: z.string().describe('The first 8 hex digits of the SHA-256 of the secret'),
  })
  .meta({
    id: 'NewWebhook',
    description: 'The webhook that was registered, with its secret.',
    examples: [
      {
        webhookId: 'wh_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
        secret: 'the-secret-that-signs-each-delivery',
        secretFingerprint: '9b1e2f4a',
      },
    ],
  })

const webhook = {
  webhookId: 'wh_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
  events: ['run.completed', 'run.failed'],
  tags: [],
  secretFingerprint: '9b1e2f4a',
  createdAt: at,
}

const Webhook = z
  .strictObject({
    webhookId: z.string(),
    events: list(z.string()),
    tags: list(z.string()),
    secretFingerprint: z.string(),
    createdAt: instant,
  })
  .meta({ id: 'Webhook', description: 'A registered webhook.', examples: [webhook] })

export const WebhookList = z.strictObject({ webhooks: list(Webhook) }).meta({
  id: 'WebhookList',
  description: 'The webhooks of the tenant, without their addresses, which often hold a token.',
  examples: [{ webhooks: [webhook] }],
})

export const WebhookQuery = z.looseObject({ tenantId })
