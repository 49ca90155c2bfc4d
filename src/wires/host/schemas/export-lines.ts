import { z } from 'zod'
import { isoInstant } from '../../../core/check.ts'
import { parseReaders, type Readers } from '../../../core/entries/readers.ts'
import { classOf, trustClasses } from '../../../core/entries/trust.ts'
import { isColophonError } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { exportFormat, exportVersion } from '../../../core/portable/export-lines.ts'
import { categories } from '../../../core/provenance/category.ts'

/** The lines of an export. An import refuses any other line. */

const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\u0000'), 'must be well-formed text')
const name = text.min(1).max(limits.memoryRefCharactersMax)
const count = z.int().min(0)
const position = z.int().min(1)
const instant = z
  .string()
  .regex(isoInstant)
  .transform((value) => Date.parse(value))
  .refine(Number.isFinite)
/** Stops at the first invalid item, so that a long list of invalid items does not make an issue for each. */
const each = <T extends z.ZodType>(item: T) =>
  z.array(z.unknown()).transform((values, context): z.output<T>[] => {
    const read: z.output<T>[] = []
    for (const [at, value] of values.entries()) {
      const { data, error } = item.safeParse(value)
      const problem = error?.issues[0]
      if (problem) {
        context.issues.push({ code: 'custom', input: value, path: [at, ...problem.path], message: problem.message })
        return z.NEVER
      }
      read.push(data as z.output<T>)
    }
    return read
  })
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const json = z.unknown()
/** Missing in exports of earlier versions: then it is the lowest, because nothing says more. */
const trust = z.enum(trustClasses).default(classOf({}))
/** The rule of every request; an export repeats no id. */
const readerIds = z.array(z.unknown()).transform((value, context): Readers => {
  try {
    const ids = parseReaders('readers', value)
    if (ids?.length === value.length) return ids
  } catch (error) {
    if (!isColophonError(error)) throw error
  }
  context.issues.push({ code: 'custom', input: value, message: 'must be a list of different reader ids' })
  return z.NEVER
})
const readers = readerIds.nullable().default(null)

export const ExportHeader = z.strictObject({
  type: z.literal('header'),
  format: z.literal(exportFormat),
  version: z.literal(exportVersion),
  tenant: name,
  exportedAt: z.string().regex(isoInstant),
  position: count,
  head: z.union([digest, z.literal('')]),
  historyFrom: count,
  memoryRef: name.optional(),
  subject: name.optional(),
  counts: z.strictObject({
    positions: count,
    writers: count,
    sourceEvents: count,
    claims: count,
    versions: count,
    compactions: count,
  }),
})

/** Optional: earlier versions did not sign exports, and a process without a signing key does not. */
const signature = z
  .strictObject({
    algorithm: z.literal('Ed25519'),
    keyId: z.string().regex(/^[0-9a-f]{16}$/),
    publicKey: z.base64().max(200),
    chain: digest,
    value: z.base64().max(200),
  })
  .optional()

/** The second line of a part, if a file is sent in several. The signature is that of the whole file. */
export const ExportPart = z.strictObject({ type: z.literal('part'), file: digest, from: position, signature })

export const ExportTrailer = z.strictObject({ type: z.literal('trailer'), lines: count, sha256: digest, signature })

const PositionLine = z.strictObject({ type: z.literal('position'), position, at: instant, hash: digest })

const rules = z
  .strictObject({ default_priority: z.number(), categories: z.partialRecord(z.enum(categories), z.number()) })
  .transform(({ default_priority: defaultPriority, categories }) => ({ defaultPriority, categories }))

const WriterLine = z.strictObject({
  type: z.literal('writer'),
  writerId: name,
  serviceKey: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  displayName: text.nullable(),
  authorityRules: rules,
  isActive: z.boolean(),
  isBound: z.boolean().optional(),
  createdAt: instant,
  updatedAt: instant,
  changes: z.array(z.strictObject({ at: instant, actor: name, old: rules, new: rules })).max(limits.writerChangesMax),
})

const message = z
  .strictObject({
    role: z.enum(['user', 'assistant', 'system']),
    content: text,
    category: name.optional(),
    claim_key: name.optional(),
    confidence: z.number().optional(),
    trust: z.enum(trustClasses).optional(),
    always_include: z.literal(true).optional(),
    readers: readerIds.nullable().optional(),
  })
  .transform(({ claim_key: claimKey, always_include: alwaysInclude, ...message }) => ({
    ...message,
    ...(claimKey === undefined ? {} : { claimKey }),
    ...(alwaysInclude ? { alwaysInclude } : {}),
  }))

const SourceEventLine = z.strictObject({
  type: z.literal('sourceEvent'),
  sourceEventId: name,
  service: name.nullable(),
  eventId: name.nullable(),
  subject: text,
  agentId: name.nullable(),
  infer: z.boolean(),
  observedAt: instant,
  receivedAt: instant,
  payloadHash: text,
  // Missing in exports of earlier versions.
  isHashPrivate: z.boolean().optional(),
  scope: z.record(z.string(), json).nullable(),
  evidence: each(json).nullable(),
  metadata: z.record(z.string(), json),
  messages: each(message).nullable(),
  // Empty for an edit, which needs no job.
  jobId: text,
  // Empty when the event was erased.
  actor: text,
  requestId: text,
  trust,
  readers,
  recordedPosition: position,
  isErased: z.literal(true).optional(),
})

const assertion = z.strictObject({
  ordinal: count,
  sourceEventId: name,
  candidate: count,
  service: name.nullable(),
  eventId: name.nullable(),
  content: text,
  contentKey: text,
  importance: z.number(),
  confidence: z.number(),
  priority: z.number(),
  observedAt: instant,
  trust,
  entryId: name.nullable(),
  recordedPosition: position,
  withdrawnPosition: position.nullable(),
  containedBy: each(name).optional(),
  withdrawalContainedBy: each(name).optional(),
})

const ClaimLine = z.strictObject({
  type: z.literal('claim'),
  claimId: name,
  revision: position,
  subject: text,
  category: z.enum(categories),
  claimKey: name.nullable(),
  winner: name.nullable(),
  isContested: z.boolean(),
  pin: z
    .strictObject({ contentKey: text, actor: name, reason: text, at: instant, containedBy: each(name).optional() })
    .nullable(),
  updatedPosition: position,
  assertions: each(assertion),
})

const by = { keyId: name.optional(), agentId: name.optional(), sourceEventId: name.optional() }
const origin = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('api'), ...by }),
  z.strictObject({ kind: z.literal('service'), service: name, ...by }),
  z.strictObject({
    kind: z.enum(['run', 'session']),
    runId: name,
    sequence: count,
    nodeId: name.optional(),
    agentId: name.optional(),
  }),
  z.strictObject({ kind: z.literal('compaction'), compactionId: name }),
])

const VersionLine = z.strictObject({
  type: z.literal('version'),
  memoryRef: name,
  entryId: name,
  version: position,
  content: text,
  tags: z.array(text.min(1).max(limits.tagCharactersMax)).max(limits.tagsPerEntryMax + 10),
  createdAt: instant,
  expiresAt: instant.nullable(),
  createdPosition: position,
  ordinal: count,
  recordedPosition: position,
  endedPosition: position.nullable(),
  endedReason: name.nullable(),
  subject: name.nullable(),
  origin,
  trust,
  readers,
  classification: z
    .strictObject({
      category: z.enum(categories),
      claimKey: name.nullable(),
      importance: z.number(),
      confidence: z.number(),
      claimId: name.nullable(),
      sourceEventId: name.nullable(),
      observedAt: instant.optional(),
      sessionId: name.optional(),
    })
    .nullable(),
})

const CompactionLine = z.strictObject({
  type: z.literal('compaction'),
  compactionId: name,
  memoryRef: name,
  outputId: name,
  sourceCount: count,
  byteSize: count,
  runId: name,
  summariser: name,
  status: z.enum(['completed', 'undone']),
  recordedPosition: position,
  at: instant,
  undonePosition: position.nullable(),
  undoneAt: instant.nullable(),
  tokenBudget: count.nullable().default(null),
  tokensUsed: count.nullable().default(null),
  checksum: name.nullable().default(null),
  sources: each(z.strictObject({ entryId: name, version: position })),
})

export const ExportLine = z.discriminatedUnion('type', [
  PositionLine,
  WriterLine,
  SourceEventLine,
  ClaimLine,
  VersionLine,
  CompactionLine,
])
