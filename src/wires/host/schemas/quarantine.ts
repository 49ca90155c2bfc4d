import { z } from 'zod'
import { checkReason } from '../../../core/reason.ts'
import { instant, list, nextCursor, trustClass, withCheck } from '../../schema-parts.ts'

const example = {
  id: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
  memoryRef: 'agents/ada',
  content: 'Ada prefers gin.',
  tags: ['source:api'],
  createdAt: '2026-03-01T12:00:00.000Z',
  version: 1,
  trust: 'untrusted',
  origin: { kind: 'api' },
  subject: null,
  claimId: null,
}

const QuarantinedMemory = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string(),
    content: z.string(),
    tags: list(z.string()),
    createdAt: instant,
    expiresAt: instant.optional(),
    version: z.int(),
    trust: trustClass,
    origin: z.looseObject({ kind: z.string() }),
    subject: z.string().nullable(),
    claimId: z.string().nullable(),
  })
  .meta({ id: 'QuarantinedMemory', description: 'A current memory whose class is below `trust_floor_read`.' })

export const QuarantinePage = z.strictObject({ memories: list(QuarantinedMemory), cursor: nextCursor }).meta({
  id: 'QuarantinePage',
  description: 'One page of memories in quarantine, in order of id.',
  examples: [{ memories: [example] }],
})

export const QuarantineDecision = z
  .strictObject({
    reason: withCheck(z.string(), checkReason),
    version: z
      .int()
      .min(1)
      .optional()
      .describe('The version that you have read. With another one, nothing is decided (409)'),
  })
  .meta({
    id: 'QuarantineDecision',
    description: 'Why a memory is released or rejected.',
    examples: [{ reason: 'Ada confirmed it by phone.', version: 1 }],
  })

export const QuarantineDecided = z.strictObject({ id: z.string(), decision: z.enum(['released', 'rejected']) }).meta({
  id: 'QuarantineDecided',
  description: 'The decision is stored.',
  examples: [{ id: example.id, decision: 'released' }],
})
