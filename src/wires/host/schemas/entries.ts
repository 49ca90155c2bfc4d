import { z } from 'zod'
import { parseInstant } from '../../../core/check.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { MemoryEntry } from '../../openwop-v1/schemas/entries.ts'
import { eventEvidence, eventName, eventScope } from '../../provenance/schemas/add.ts'
import { serviceKey } from '../../provenance/schemas/writers.ts'
import {
  asReader,
  bounded,
  count,
  cursor,
  filterText,
  instant,
  list,
  loweredTrust,
  nextCursor,
  PageQuery,
  position,
  readersDraft,
  shownReaders,
  trustClass,
  trustMin,
  withCheck,
} from '../../schema-parts.ts'
import { ClaimResolution } from './resolution.ts'

const draft = { content: 'Ada prefers tea.', tags: ['preference'], subject: 'ada' }
const entry = {
  id: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
  content: 'Ada prefers tea.',
  tags: ['preference', 'source:api'],
  createdAt: '2026-03-01T12:00:00.000Z',
}

export const EntryDraft = z
  .strictObject({
    content: z.string().describe(`At most ${limits.contentBytesMax} bytes of UTF-8`),
    tags: bounded(z.string(), limits, 'tagsGivenMax').optional(),
    expiresAt: z.string().optional().describe('ISO-8601 instant with a time zone at which the entry expires'),
    subject: z.string().optional().describe('The person it is about'),
    trust: loweredTrust,
    readers: readersDraft.nullish(),
  })
  .meta({ id: 'EntryDraft', description: 'An entry to store.', examples: [draft] })

const BatchSource = z
  .strictObject({
    service: serviceKey.optional().describe('The writer; by default, the one that the key is bound to'),
    eventId: eventName.describe('The id that the event has in its service'),
    observedAt: withCheck(z.string(), (field, value) => void parseInstant(field, value))
      .nullish()
      .describe('When the service observed it; by default, the time of the request'),
    scope: eventScope.nullish().describe('The context of the event, such as its session'),
    evidence: eventEvidence.nullish().describe('References by which the service can prove it'),
  })
  .meta({ id: 'BatchSource', description: 'The writer of a batch, and the id of the event there.' })

export const EntryPatch = withCheck(
  z.strictObject({
    content: EntryDraft.shape.content.optional(),
    tags: EntryDraft.shape.tags,
    trust: loweredTrust,
    readers: readersDraft
      .nullish()
      .describe('Who may read it from now on, in its whole history; null: everyone. It must be the only change'),
  }),
  (field, { content, tags, trust, readers }) => {
    if (content === undefined && tags === undefined && trust === undefined && readers === undefined)
      throw invalid(field, 'must have content, tags, trust or readers to change')
  },
).meta({
  id: 'EntryPatch',
  description: 'A change of an entry. Omitted members stay as they are.',
  examples: [{ content: 'Ada prefers green tea.' }],
})

export const RevisedEntry = z
  .strictObject({ ...MemoryEntry.shape, content: z.string().optional().describe('With the scope `memory:read` only') })
  .meta({
    id: 'RevisedEntry',
    description: 'An entry after a change. For a key without `memory:read` it has no content.',
    examples: [{ ...entry, content: 'Ada prefers green tea.' }],
  })

const EntryRevision = z
  .strictObject({
    id: z.string(),
    content: EntryDraft.shape.content,
    tags: EntryDraft.shape.tags,
    trust: loweredTrust,
  })
  .meta({ id: 'EntryRevision', description: 'The next version of an entry. Without tags, it keeps those that it has.' })

export const EntryBatch = z
  .strictObject({
    entries: bounded(EntryDraft, limits, 'batchEntriesMax').describe('Entries to store; the last one is the newest'),
    revisions: bounded(EntryRevision, limits, 'batchEntriesMax').optional(),
    deletes: bounded(z.string(), limits, 'batchEntriesMax').optional().describe('Ids of entries to delete'),
    asOf: z.int().min(0).optional().describe('Refused with 409 if an entry to change has changed since this position'),
    newest: bounded(z.string(), limits, 'pageEntriesMax')
      .optional()
      .describe('Refused with 409 unless these are the newest entries of the ref, newest first'),
    source: BatchSource.nullish().describe('Who wrote it, and in which conversation; it makes the call repeatable'),
  })
  .meta({
    id: 'EntryBatch',
    description: 'Entries to store, revise and delete together.',
    examples: [{ entries: [draft] }, { entries: [draft], source: { service: 'assistant', eventId: 'call-17' } }],
  })

export const EntryPage = z
  .strictObject({
    entries: list(MemoryEntry),
    cursor: nextCursor,
    position,
    trust: z.record(z.string(), trustClass).optional().describe('The class of each entry that is not `agent`, by id'),
  })
  .meta({
    id: 'EntryPage',
    description: 'One page of entries, newest first, and the position it was read at.',
    examples: [{ entries: [entry], position: 42 }],
  })

export const EntryBatchResult = z.strictObject({ entries: list(MemoryEntry), position }).meta({
  id: 'EntryBatchResult',
  description: 'The stored entries, and the position of their commit.',
  examples: [{ entries: [entry], position: 42 }],
})

const Derivation = z
  .strictObject({
    compactionId: z.string(),
    runId: z.string(),
    summariser: z.string(),
    sourceCount: z.int(),
    sourceIds: list(z.string()).optional(),
  })
  .meta({ id: 'Derivation', description: 'The compaction that made an entry, and its sources.' })

const StoryStep = z
  .strictObject({
    step: z.string().describe('Such as `written`, `redacted`, `decided` or `ended`'),
    at: instant,
    position: position.optional(),
    text: z.string().describe('The step in one sentence'),
    details: z.looseObject({}),
  })
  .meta({ id: 'StoryStep', description: 'One step in the history of an entry.' })

export const EntryColophon = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string(),
    version: z.int(),
    createdAt: instant,
    origin: z.looseObject({ kind: z.string() }).describe('An API call, a source service, a run or a compaction'),
    trust: trustClass,
    quarantined: z.literal(true).optional().describe('It is below `trust_floor_read`: returned on request only'),
    subject: z.string().nullable(),
    startedBy: z.string().optional().describe('The actor that started the run it comes from'),
    claimId: z.string().nullable(),
    readers: shownReaders,
    derivedFrom: Derivation.optional(),
    headline: z.string().describe('Why it is current or not, in one sentence'),
    resolution: ClaimResolution.optional(),
    story: list(StoryStep),
    audit: z.strictObject({ position, at: instant, actor: z.string(), hash: z.string() }).nullable(),
  })
  .meta({
    id: 'EntryColophon',
    description:
      'The provenance of an entry: its origin, each step of its history, and the audit record that proves it.',
    examples: [
      {
        id: entry.id,
        memoryRef: 'agents/ada',
        version: 1,
        createdAt: entry.createdAt,
        origin: { kind: 'api' },
        trust: 'agent',
        subject: 'ada',
        claimId: null,
        headline: 'Current because key:key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12 wrote it.',
        story: [
          {
            step: 'written',
            at: entry.createdAt,
            position: 42,
            text: 'Version 1 was written.',
            details: { version: 1 },
          },
        ],
        audit: {
          position: 42,
          at: entry.createdAt,
          actor: 'key:key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12',
          hash: '6f1c0b7a5d2e4f8390b1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f6071',
        },
      },
    ],
  })

const Ref = z
  .strictObject({ memoryRef: z.string(), entries: z.int(), lastWriteAt: instant })
  .meta({ id: 'MemoryRef', description: 'A ref that has current entries.' })

export const RefPage = z.strictObject({ refs: list(Ref), cursor: nextCursor }).meta({
  id: 'RefPage',
  description: 'One page of refs, by name.',
  examples: [{ refs: [{ memoryRef: 'agents/ada', entries: 12, lastWriteAt: '2026-03-01T12:00:00.000Z' }] }],
})

const view = {
  asOf: z.string().optional().describe('A position or an instant: memory as it was then'),
  runId: z.string().optional().describe('Memory as this run sees it'),
  reader: asReader,
}

/** Query parameters are strings; unknown ones are refused. */
export const EntryQuery = z.strictObject({
  limit: count.optional(),
  tag: z.string().optional(),
  filter: filterText,
  cursor: cursor.optional(),
  trustMin,
  ...view,
})

export const AsOfQuery = z.strictObject(view)

export const ColophonQuery = z.strictObject({
  ...view,
  format: z.enum(['colophon', 'prov']).optional().describe('`prov`: a document in W3C PROV-JSON'),
})

export const RefQuery = PageQuery.extend({ reader: asReader })

export const McpQuery = z.strictObject({
  ref: z.string().optional(),
  subject: z.string().optional(),
  reader: asReader,
  readers: z.string().optional(),
  service: serviceKey.optional(),
  tools: z.enum(['all', 'server-memory']).optional(),
})
