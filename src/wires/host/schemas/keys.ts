import { z } from 'zod'
import { scopes } from '../../../core/access/scopes.ts'
import { checkIdentifier } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { bounded, instant, list, nextCursor, readerId, withCheck } from '../../schema-parts.ts'

const Scope = z.enum(scopes).meta({ id: 'Scope', description: 'A permission of a key. No scope implies another.' })

export const KeyDraft = z
  .strictObject({
    name: withCheck(z.string(), (field, value) =>
      checkIdentifier(field, value, 'keyNameCharactersMax', limits.keyNameCharactersMax),
    ).describe('Shown in lists and in the audit'),
    // Not `Scope`: the error about the whole list names every scope.
    scopes: bounded(z.string().meta({ enum: [...scopes] }), limits, 'scopesPerKeyMax', 1),
    expiresAt: z
      .string()
      .optional()
      .describe('ISO-8601 instant with a time zone; by default, when the calling key expires'),
    reader: readerId
      .optional()
      .describe(
        'Binds the key to a reader: it sees only what this reader may see; by default, the reader of the calling key',
      ),
  })
  .meta({
    id: 'KeyDraft',
    description: 'A key to create.',
    examples: [{ name: 'support agent', scopes: ['memory:read', 'memory:write'], expiresAt: '2027-01-31T12:00:00Z' }],
  })

const keyFields = {
  id: z.string(),
  name: z.string(),
  scopes: list(Scope),
  status: z.enum(['active', 'expired', 'revoked']),
  reader: z.string().optional().describe('The reader that the key is bound to'),
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
    key: z.string().optional().describe('Shown only when the key is created; the server stores only its hash'),
  })
  .meta({
    id: 'NewKey',
    description: 'A new key. The response to a repeated request has no `key`.',
    examples: [newKeyExample],
  })

export const KeyList = z
  .strictObject({ keys: list(KeyView), cursor: nextCursor })
  .meta({ id: 'KeyList', description: 'One page of keys, oldest first.', examples: [{ keys: [key] }] })

export const KeyOverlap = z.strictObject({ overlapMs: z.int().min(0).max(limits.keyOverlapMsMax).optional() }).meta({
  id: 'KeyOverlap',
  description: 'How long the old key still works, in milliseconds; by default 0.',
  examples: [{ overlapMs: 3_600_000 }],
})
