import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'

export const SessionView = z
  .strictObject({
    tenant: z.string(),
    keyId: z.string(),
    name: z.string().nullable().describe('The name of the key; null for a key from the configuration'),
    scopes: list(z.string()),
    reader: z.string().optional().describe('The reader that the key is bound to'),
    endsAt: instant.optional().describe('When the key or the session ends'),
  })
  .meta({
    id: 'SessionView',
    description: 'The caller of this request: its tenant, its key and its scopes.',
    examples: [
      {
        tenant: 'acme',
        keyId: 'key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12',
        name: 'dashboard',
        scopes: ['memory:read'],
      },
    ],
  })

export const EndedSession = z
  .strictObject({ ended: z.boolean().describe('False when the request came with a key instead of a session') })
  .meta({ id: 'EndedSession', description: 'Whether a session was ended.', examples: [{ ended: true }] })
