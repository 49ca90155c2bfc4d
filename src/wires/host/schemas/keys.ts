import { z } from 'zod'
import { scopes } from '../../../core/access/scopes.ts'
import { checkIdentifier } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { bounded, instant, list, nextCursor, ruled } from '../../schema-parts.ts'

const Scope = z.enum(scopes).meta({ id: 'Scope', description: 'What a key may do. No scope implies another.' })

export const KeyDraft = z
  .strictObject({
    name: ruled(z.string(), (field, value) =>
      checkIdentifier(field, value, 'keyNameCharactersMax', limits.keyNameCharactersMax),
    ).describe('Shown in lists and in the audit'),
    // Not `Scope`: one refusal about the whole list names every scope there is.
    scopes: bounded(z.string().meta({ enum: [...scopes] }), limits, 'scopesPerKeyMax', 1),
    expiresAt: z
      .string()
      .optional()
      .describe('ISO-8601 instant with a time zone; without it the key ends with the one that makes it'),
  })
  .meta({
    id: 'KeyDraft',
    description: 'A key to make.',
    examples: [{ name: 'support agent', scopes: ['memory:read', 'memory:write'], expiresAt: '2027-01-31T12:00:00Z' }],
  })

const keyFields = {
  id: z.string(),
  name: z.string(),
  scopes: list(Scope),
  status: z.enum(['active', 'expired', 'revoked']),
  createdAt: instant,
  expiresAt: instant.optional(),
  lastUsedAt: instant.optional(),
}

const key = {
  id: 'key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12',
  name: 'support agent',
  scopes: ['memory:read', 'memory:write'],
  status: 'active',
  createdAt: '2026-03-01T12:00:00.000Z',
  expiresAt: '2027-01-31T12:00:00.000Z',
}

export const KeyView = z
  .strictObject(keyFields)
  .meta({ id: 'KeyView', description: 'A key, without its secret.', examples: [key] })

export const newKeyExample = {
  ...key,
  key: `ck_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12.acme.${'x'.repeat(43)}`,
}

export const NewKey = z
  .strictObject({
    ...keyFields,
    key: z.string().optional().describe('Shown once, when the key is made; it is not stored anywhere'),
  })
  .meta({ id: 'NewKey', description: 'A new key. A repeated call shows it without `key`.', examples: [newKeyExample] })

export const KeyList = z
  .strictObject({ keys: list(KeyView), cursor: nextCursor })
  .meta({ id: 'KeyList', description: 'One page of keys, oldest first.', examples: [{ keys: [key] }] })

export const KeyOverlap = z.strictObject({ overlapMs: z.int().min(0).max(limits.keyOverlapMsMax).optional() }).meta({
  id: 'KeyOverlap',
  description: 'How long the old key still works, in milliseconds; by default it ends at once.',
  examples: [{ overlapMs: 3_600_000 }],
})
