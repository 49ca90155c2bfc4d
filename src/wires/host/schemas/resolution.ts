import { z } from 'zod'
import { decidingRules } from '../../../core/provenance/explain-resolution.ts'
import { instant, list, trustClass } from '../../schema-parts.ts'

const rule = z.enum(decidingRules)

const DecidedContent = z
  .strictObject({
    memoryId: z.string().nullable(),
    content: z.string(),
    source: z.string().describe('The source service; without one, the actor'),
    eventId: z.string().nullable(),
    sourceEventId: z.string().nullable(),
    priority: z.int(),
    observedAt: instant,
    confidence: z.number(),
    trust: trustClass,
    quarantined: z.literal(true).optional().describe('Its class is below the floor of the tenant'),
    writers: z.int().describe('The number of different writers that stated it'),
  })
  .meta({ id: 'DecidedContent', description: 'One content of a claim, with what it is ranked by.' })

export const ClaimResolution = z
  .strictObject({
    claimId: z.string(),
    claimKey: z.string().nullable(),
    isCurrent: z.boolean(),
    isContested: z.boolean().describe('Another content has the same priority, and no pin decides'),
    rule: rule.nullable().describe('The rule that decided; null without a rival, or when it is no longer known'),
    rules: list(
      z.strictObject({
        rule,
        winner: z.string(),
        loser: z.string(),
        result: z.enum(['decided', 'equal', 'not needed']),
      }),
    ).describe('Each rule in order, with its value for the winner and for the loser'),
    headline: z.string(),
    own: DecidedContent,
    rival: DecidedContent.nullable().describe('The content that it was compared with'),
    losers: list(DecidedContent).describe('The contents that lost, best first, at most 20'),
    loserCount: z.int(),
    pin: z.strictObject({ actor: z.string(), reason: z.string(), at: instant }).nullable(),
  })
  .meta({
    id: 'ClaimResolution',
    description: 'What decided between the content of an entry and the other contents of its claim.',
  })
