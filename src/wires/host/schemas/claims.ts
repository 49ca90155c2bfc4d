import { z } from 'zod'
import { checkIdentifier } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { categories } from '../../../core/provenance/category.ts'
import { checkReason } from '../../../core/reason.ts'
import { Message, messagesOf } from '../../provenance/schemas/add.ts'
import { AuthorityRulesDraft, exampleWriter, Writer } from '../../provenance/schemas/writers.ts'
import {
  asReader,
  bounded,
  count,
  cursor,
  instant,
  list,
  nextCursor,
  trustClass,
  withCheck,
} from '../../schema-parts.ts'

export const ClaimResolve = z
  .strictObject({
    memoryId: withCheck(z.string(), (field, value) =>
      checkIdentifier(field, value, 'entryIdCharactersMax', limits.entryIdCharactersMax),
    )
      .nullish()
      .describe('The memory that becomes the winner, whatever the priorities'),
    reason: withCheck(z.string(), checkReason),
    unpin: z.boolean().optional().describe('Removes the pin: the priorities decide again'),
  })
  .meta({
    id: 'ClaimResolve',
    description: 'memoryId and reason, or unpin and reason.',
    examples: [{ memoryId: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11', reason: 'Ada confirmed it by phone.' }],
  })

export const ExtractPreview = z.strictObject({ messages: messagesOf(Message) }).meta({
  id: 'ExtractPreview',
  description: 'Messages to extract from.',
  examples: [{ messages: [{ role: 'user', content: 'I prefer light mode.' }] }],
})

export const RulesPreview = z.strictObject({ authority_rules: AuthorityRulesDraft.optional() }).meta({
  id: 'RulesPreview',
  description: 'The rules to preview; by default, the current rules of the writer.',
  examples: [{ authority_rules: { default_priority: 70 } }],
})

const RulesOfWriter = z.strictObject({
  id: z.string().describe('The id of the writer'),
  authority_rules: AuthorityRulesDraft,
})

export const AuthorityDraft = z
  .strictObject({ writers: bounded(RulesOfWriter, limits, 'writersPerTenantMax', 1) })
  .meta({
    id: 'AuthorityDraft',
    description: 'The authority rules of several writers. They replace all earlier rules of these writers.',
    examples: [
      {
        writers: [
          { id: 'wtr_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d41', authority_rules: { default_priority: 70 } },
          { id: 'wtr_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d42', authority_rules: { default_priority: 40 } },
        ],
      },
    ],
  })

export const AuthorityChanged = z
  .strictObject({ writers: list(Writer), jobId: z.string().describe('The job that decides their claims again') })
  .meta({
    id: 'AuthorityChanged',
    description: 'The writers with their new rules, stored in one commit.',
    examples: [{ writers: [exampleWriter], jobId: 'job_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d51' }],
  })

export const ClaimQuery = z.strictObject({
  subject: z.string().optional().describe('The external_user_id'),
  status: z.enum(['contested']).optional(),
  limit: count.optional(),
  cursor: cursor.optional(),
  reader: asReader,
})

export const ContentsQuery = z.strictObject({
  limit: count.optional().describe('Contents per page'),
  cursor: cursor.optional().describe('`contentsCursor` of the previous page'),
  reader: asReader,
})

const ClaimPin = z
  .strictObject({ memoryId: z.string().nullable(), actor: z.string(), reason: z.string(), at: instant })
  .meta({ id: 'ClaimPin', description: 'The decision of a person for one content. It overrides the priorities.' })

const ClaimContent = z
  .strictObject({
    memoryId: z.string().nullable().describe('Null if the content is not a memory yet'),
    content: z.string(),
    status: z
      .enum(['active', 'superseded', 'buffered'])
      .describe('`buffered`: its confidence is too low to become a memory, until another writer states the same'),
    priority: z.number(),
    observedAt: instant,
    confidence: z.number(),
    sources: z.int().describe('Source events that support it'),
    writers: z.int().describe('Distinct writers of these events; without a writer, distinct keys'),
    services: list(z.string()),
    trust: trustClass.describe('The class of the content; `verified` while it is pinned'),
  })
  .meta({ id: 'ClaimContent', description: 'One content that sources stated for a claim.' })

const claim = {
  id: 'clm_5Jq2m8r1b4JwXk5d7fPz9h',
  subject: 'ada',
  category: 'fact',
  claimKey: 'home_city',
  status: 'contested',
  winner: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
  pin: null,
  contents: [
    {
      memoryId: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
      content: 'Ada lives in Lisbon.',
      status: 'active',
      priority: 80,
      observedAt: '2026-03-01T12:00:00.000Z',
      confidence: 0.95,
      sources: 2,
      writers: 1,
      services: ['crm'],
      trust: 'service',
    },
    {
      memoryId: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d13',
      content: 'Ada lives in Porto.',
      status: 'superseded',
      priority: 80,
      observedAt: '2026-02-14T09:30:00.000Z',
      confidence: 0.9,
      sources: 1,
      writers: 1,
      services: ['shop'],
      trust: 'agent',
    },
  ],
}

export const Claim = z
  .strictObject({
    id: z.string(),
    subject: z.string(),
    category: z.string(),
    claimKey: z.string().nullable(),
    status: z
      .enum(['settled', 'contested', 'pinned', 'open'])
      .describe('`contested`: contents of equal priority disagree; `open`: no content has enough confidence'),
    winner: z.string().nullable().describe('The id of the winning memory'),
    pin: ClaimPin.nullable(),
    contents: list(ClaimContent).describe('Best first; at most 100'),
    contentsCursor: z.string().optional().describe('If there are more contents: the `cursor` for the next page'),
  })
  .meta({
    id: 'Claim',
    description: 'What sources state about the same thing, and which content wins.',
    examples: [claim],
  })

export const ClaimPage = z
  .strictObject({ claims: list(Claim), cursor: nextCursor })
  .meta({ id: 'ClaimPage', description: 'One page of claims, by id.', examples: [{ claims: [claim] }] })

const PreviewContent = z
  .strictObject({ content: z.string().describe('The beginning of the content'), source: z.string(), priority: z.int() })
  .meta({ id: 'PreviewContent', description: 'A content, who stated it, and with which priority.' })

const ofClaim = { claimId: z.string(), subject: z.string(), claimKey: z.string().nullable() }

const ContestedClaim = z
  .strictObject({ ...ofClaim, contents: list(PreviewContent) })
  .meta({ id: 'ContestedClaim', description: 'A claim that would become contested, with its two best contents.' })

const ChangedClaim = z
  .strictObject({
    ...ofClaim,
    before: PreviewContent.nullable(),
    after: PreviewContent.nullable(),
    from: z.string().nullable().describe('The id of the current winner'),
    to: z.string().nullable().describe('The id of the new winner'),
  })
  .meta({ id: 'ChangedClaim', description: 'A claim that would have another winner.' })

export const PreviewResult = z
  .strictObject({
    claims: z.int().describe('Claims of the writers'),
    changed: z.int().describe('Claims that would have another winner'),
    contested: z.int().describe('Claims that would become contested'),
    pinned: z.int().describe('Claims that a pin keeps as they are'),
    changes: list(ChangedClaim).describe('The first claims that would have another winner'),
    contests: list(ContestedClaim).describe('The first claims that would become contested'),
  })
  .meta({
    id: 'RulesPreviewResult',
    description: 'The effect of other authority rules.',
    examples: [
      {
        claims: 12,
        changed: 1,
        contested: 0,
        pinned: 1,
        changes: [
          {
            claimId: 'clm_5f0c7a52',
            subject: 'ada',
            claimKey: 'home',
            from: 'mem_1',
            to: 'mem_2',
            before: { content: 'Ada lives in Porto.', source: 'chat', priority: 50 },
            after: { content: 'Ada lives in Lisbon.', source: 'crm', priority: 70 },
          },
        ],
        contests: [],
      },
    ],
  })

const ExtractCandidate = z
  .strictObject({
    content: z.string(),
    category: z.enum(categories),
    importance: z.number(),
    confidence: z.number(),
    claim_key: z.string().nullable(),
    messages: list(z.int()).describe('The indexes of its messages, from 0'),
  })
  .meta({ id: 'ExtractCandidate', description: 'A memory that would be created.' })

export const ExtractResult = z
  .strictObject({
    extractor: z.string(),
    candidates: list(ExtractCandidate),
  })
  .meta({
    id: 'ExtractResult',
    description: 'The memories that would be extracted from the messages, redacted.',
    examples: [
      {
        extractor: 'rules',
        candidates: [
          {
            content: 'Ada lives in Lisbon.',
            category: 'fact',
            importance: 6,
            confidence: 0.9,
            claim_key: 'home_city',
            messages: [0],
          },
        ],
      },
    ],
  })
