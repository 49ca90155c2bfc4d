import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { runStatuses } from '../../../core/run/run.ts'
import { searchKinds } from '../../../core/search/tenant-search.ts'
import { asReader, cursor, instant, list, nextCursor, position, trustClass, trustMin } from '../../schema-parts.ts'

export const TenantSearchDraft = z
  .strictObject({
    query: z
      .string()
      .optional()
      .describe(
        'Words that occur as typed, in any case, or the beginning of a name or an id. Without it, memories are listed, the last change first.',
      ),
    kinds: z
      .array(z.enum(searchKinds))
      .max(searchKinds.length)
      .optional()
      .describe('By default every kind that the key may read: `sources` needs `audit:read`, `runs` needs `runs:read`'),
    tag: z.string().optional(),
    category: z.string().optional(),
    writer: z.string().optional().describe('Memories that this source service stated'),
    subject: z.string().optional(),
    memoryRef: z.string().optional().describe('Memories of this ref, the newest first'),
    hasClaim: z.boolean().optional().describe('Memories that are a content of a claim, or with `false` are not'),
    status: z.enum(['active', 'superseded', 'any']).optional().describe('Default `active`; `superseded` also archived'),
    trust: trustClass.optional().describe('Only memories of this class'),
    asOf: z
      .union([z.string(), z.int().min(0)])
      .optional()
      .describe('A position or an instant: memories as they were then'),
    limit: z
      .int()
      .min(1)
      .max(limits.tenantSearchMemoriesMax)
      .optional()
      .describe(`Memories of a page; default ${limits.tenantSearchMemoriesDefault}`),
    cursor: cursor.optional(),
    trustMin,
    reader: asReader,
  })
  .meta({
    id: 'TenantSearchDraft',
    description: 'What to find in the whole tenant. Filters are for memories, and all of them must match.',
    examples: [{ query: 'ada tea', status: 'active', limit: 20 }],
  })

const FoundMemory = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string(),
    content: z.string().describe(`The first ${limits.tenantSearchTextCharactersMax} characters`),
    isCut: z.boolean().describe('The memory is longer'),
    tags: list(z.string()),
    category: z.string(),
    claimKey: z.string().nullable(),
    status: z.enum(['active', 'superseded', 'archived', 'contained']),
    version: z.int(),
    writer: z.string().nullable().describe('The source service; null if a client or a run wrote it'),
    runId: z.string().optional().describe('The run that wrote it'),
    keyId: z.string().nullable().describe('The API key that wrote it'),
    trust: trustClass,
    isQuarantined: z.boolean(),
    sources: z.int().describe('How many source events stated it'),
    createdAt: instant,
    changedAt: instant,
    expiresAt: instant.optional(),
  })
  .meta({ id: 'FoundMemory', description: 'A memory, as a search over the tenant shows it.' })

const FoundRef = z
  .strictObject({ memoryRef: z.string(), entries: z.int(), lastWriteAt: instant })
  .meta({ id: 'FoundRef', description: 'A ref whose name begins with the query.' })

const FoundSource = z
  .strictObject({
    id: z.string(),
    service: z.string().nullable(),
    eventId: z.string().nullable(),
    subject: z.string().nullable(),
    receivedAt: instant,
  })
  .meta({ id: 'FoundSource', description: 'A source event.' })

const FoundClaim = z
  .strictObject({
    id: z.string(),
    subject: z.string(),
    category: z.string(),
    claimKey: z.string().nullable(),
    status: z.enum(['settled', 'contested', 'pinned', 'open']),
    winner: z.string().nullable(),
  })
  .meta({ id: 'FoundClaim', description: 'A claim, without its contents.' })

const FoundRun = z
  .strictObject({
    runId: z.string(),
    workflowId: z.string(),
    status: z.enum(runStatuses),
    createdAt: instant,
  })
  .meta({ id: 'FoundRun', description: 'A run.' })

export const TenantSearchAnswer = z
  .strictObject({
    memories: list(FoundMemory).optional().describe('The last change first; with an id as the query, that one first'),
    refs: list(FoundRef).optional(),
    sources: list(FoundSource).optional(),
    claims: list(FoundClaim).optional(),
    runs: list(FoundRun).optional(),
    position,
    cursor: nextCursor.describe('Continues with older memories; absent when all were examined'),
  })
  .meta({
    id: 'TenantSearchAnswer',
    description: 'What was found, by kind. Only the first page has things other than memories.',
    examples: [
      {
        memories: [],
        refs: [{ memoryRef: 'subject:ada', entries: 12, lastWriteAt: '2026-03-01T12:00:00.000Z' }],
        claims: [],
        position: 42,
      },
    ],
  })
