import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { scopes } from '../../../core/scopes.ts'
import { instant, list } from '../../schema-parts.ts'

const Scope = z.enum(scopes).meta({ id: 'Scope' })

export const KeyDraft = z
  .strictObject({ name: z.string(), scopes: z.array(z.string()), expiresAt: z.string().optional() })
  .meta({ id: 'KeyDraft' })

const keyFields = {
  id: z.string(),
  name: z.string(),
  scopes: list(Scope),
  status: z.enum(['active', 'expired', 'revoked']),
  createdAt: instant,
  expiresAt: instant.optional(),
  lastUsedAt: instant.optional(),
}

export const KeyView = z.strictObject(keyFields).meta({ id: 'KeyView' })

export const NewKey = z
  .strictObject({
    ...keyFields,
    key: z.string().optional().describe('Shown once, when the key is made; not stored anywhere'),
  })
  .meta({ id: 'NewKey' })

export const KeyList = z.strictObject({ keys: list(KeyView) }).meta({ id: 'KeyList' })

export const KeyOverlap = z
  .strictObject({ overlapMs: z.int().min(0).max(limits.keyOverlapMsMax).optional() })
  .meta({ id: 'KeyOverlap', description: 'How long the old key goes on.' })
