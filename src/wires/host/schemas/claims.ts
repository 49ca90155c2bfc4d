import { z } from 'zod'
import { categories } from '../../../core/provenance/category.ts'
import { count, instant, list } from '../../schema-parts.ts'

const body = (id: string, description: string) => z.record(z.string(), z.unknown()).meta({ id, description })

export const ClaimResolve = body('ClaimResolve', 'memoryId and reason, or unpin and reason')

export const ExtractPreview = body('ExtractPreview', 'messages')

export const RulesPreview = body('RulesPreview', 'authority_rules')

export const ClaimQuery = z.strictObject({
  subject: z.string().optional(),
  status: z.enum(['contested']).optional(),
  limit: count.optional(),
  cursor: z.string().optional(),
})

export const Claim = z
  .strictObject({
    id: z.string(),
    subject: z.string(),
    category: z.string(),
    claimKey: z.string().nullable(),
    status: z.enum(['settled', 'contested', 'pinned', 'open']),
    winner: z.string().nullable(),
    pin: z
      .strictObject({ memoryId: z.string().nullable(), actor: z.string(), reason: z.string(), at: instant })
      .nullable(),
    contents: list(
      z.strictObject({
        memoryId: z.string().nullable(),
        content: z.string(),
        status: z.enum(['active', 'superseded', 'buffered']),
        priority: z.number(),
        observedAt: instant,
        confidence: z.number(),
        sources: z.int(),
        services: list(z.string()),
      }),
    ),
  })
  .meta({ id: 'Claim' })

export const ClaimPage = z
  .strictObject({ claims: list(Claim), cursor: z.string().optional() })
  .meta({ id: 'ClaimPage' })

export const PreviewResult = z
  .strictObject({
    claims: z.int(),
    changed: z.int(),
    changes: list(
      z.strictObject({
        claimId: z.string(),
        subject: z.string(),
        claimKey: z.string().nullable(),
        from: z.string().nullable(),
        to: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'RulesPreviewResult' })

export const ExtractResult = z
  .strictObject({
    extractor: z.string(),
    candidates: list(
      z.strictObject({
        content: z.string(),
        category: z.enum(categories),
        importance: z.number(),
        confidence: z.number(),
        claim_key: z.string().nullable(),
        messages: list(z.int()),
      }),
    ),
  })
  .meta({ id: 'ExtractResult' })
