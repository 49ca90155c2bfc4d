import { z } from 'zod'
import { MemoryEntry } from '../../openwop-v1/schemas/memory.ts'
import { count, instant, list, position } from '../../schema-parts.ts'

export const EntryDraft = z
  .strictObject({
    content: z.string(),
    tags: z.array(z.string()).optional(),
    expiresAt: z.string().optional(),
    subject: z.string().optional(),
  })
  .meta({ id: 'EntryDraft', description: 'What is to be remembered.' })

export const EntryBatch = z.strictObject({ entries: z.array(EntryDraft) }).meta({ id: 'EntryBatch' })

export const EntryPage = z
  .strictObject({ entries: list(MemoryEntry), cursor: z.string().optional(), position })
  .meta({ id: 'EntryPage', description: 'One page, newest first, and the position it was read at.' })

export const EntryBatchResult = z
  .strictObject({ entries: list(MemoryEntry), position })
  .meta({ id: 'EntryBatchResult' })

const Derivation = z
  .strictObject({
    compactionId: z.string(),
    runId: z.string(),
    summariser: z.string(),
    sourceCount: z.int(),
    sourceIds: list(z.string()).optional(),
  })
  .describe('What an entry was made of, when it came out of a compaction')

export const EntryColophon = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string(),
    version: z.int(),
    createdAt: instant,
    origin: z.looseObject({ kind: z.string() }),
    subject: z.string().nullable(),
    startedBy: z.string().optional(),
    claimId: z.string().nullable(),
    derivedFrom: Derivation.optional(),
    story: list(
      z.strictObject({
        step: z.string(),
        at: instant,
        position: position.optional(),
        text: z.string(),
        details: z.looseObject({}),
      }),
    ),
    audit: z.strictObject({ position, at: instant, actor: z.string(), hash: z.string() }).nullable(),
  })
  .meta({
    id: 'EntryColophon',
    description: 'Where an entry comes from: who, when, from what, and the audit record that proves it.',
  })

export const RefPage = z
  .strictObject({
    refs: list(z.strictObject({ memoryRef: z.string(), entries: z.int(), lastWriteAt: instant })),
    cursor: z.string().optional(),
  })
  .meta({ id: 'RefPage' })

/** Query parameters come as text; unknown ones are refused. */
export const EntryQuery = z.strictObject({
  limit: count.optional(),
  tag: z.string().optional(),
  cursor: z.string().optional(),
  asOf: z.string().optional(),
  runId: z.string().optional(),
})

export const AsOfQuery = z.strictObject({ asOf: z.string().optional(), runId: z.string().optional() })

export const ChangesQuery = z.strictObject({ after: count.optional() })

export const EventStreamText = z.string().describe('Server-sent events: `change` and `gap`, the id is the position')

export const McpQuery = z.strictObject({ ref: z.string().optional(), subject: z.string().optional() })
