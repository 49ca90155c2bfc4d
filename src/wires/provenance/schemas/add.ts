import { z } from 'zod'
import { checkIdentifier, checkJson, checkLookup, checkVisible, parseInstant } from '../../../core/check.ts'
import { checkContentSize } from '../../../core/entries/entry.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { categories } from '../../../core/provenance/category.ts'
import { decidedOutcomes } from '../../../core/provenance/decided.ts'
import { checkClaimKey, checkMessageText } from '../../../core/provenance/source-messages.ts'
import { withSpeaker } from '../../../core/search/speaker.ts'
import { bounded, instant, list, loweredTrust, readersDraft, trustClass, withCheck } from '../../schema-parts.ts'
import { serviceKey } from './writers.ts'

const name = (limit: keyof typeof limits) =>
  withCheck(z.string(), (field, value) => checkIdentifier(field, value, limit, Number(limits[limit])))
const json = (limit: keyof typeof limits) =>
  withCheck(z.record(z.string(), z.unknown()), (field, value) => checkJson(field, value, limit, Number(limits[limit])))

export const agentId = name('agentIdCharactersMax')
const lookup = (limit: keyof typeof limits) =>
  withCheck(z.string(), (field, value) => checkLookup(field, value, limit, Number(limits[limit])))

/** For reads: any identifier is accepted. Writes refuse invisible characters, and `..` in a user's id. */
export const agentIdRead = lookup('agentIdCharactersMax')
export const eventIdRead = lookup('eventIdCharactersMax')
export const externalUserId = lookup('externalUserIdCharactersMax').describe('The id of the person in your system')

/** Unknown members are part of the payload hash, and are not stored. */
export const Message = z
  .looseObject({
    role: z.enum(['user', 'assistant', 'system']),
    content: withCheck(z.string(), checkMessageText),
    readers: readersDraft
      .optional()
      .describe('Who may read what is found in this message, instead of the readers of the call'),
    trust: loweredTrust,
  })
  .meta({ id: 'Message', description: 'One message of a conversation. Memories are extracted from those of users.' })

const VerbatimMessage = withCheck(
  Message.extend({
    name: name('speakerCharactersMax').nullish().describe('The speaker; the memory begins with this name'),
    category: z.enum(categories).optional().describe('Default `fact`'),
    claim_key: withCheck(z.string(), checkClaimKey)
      .optional()
      .describe('The key of its claim, such as `ui.theme`: contents with the same key compete'),
    confidence: z.number().min(0).max(1).optional().describe('Default 1'),
    always_include: z
      .boolean()
      .optional()
      .describe('In every prompt about this person, whatever the query. Needs the scope `memory:admin`'),
  }),
  (field, message) => checkContentSize(memoryText(message), `${field}.content`),
).meta({ id: 'VerbatimMessage', description: 'A message that is stored as one memory, unchanged.' })

/** The content of the memory of a verbatim message. */
export function memoryText({ content, name }: { readonly content: string; readonly name?: string | null | undefined }) {
  return name == null ? content : withSpeaker(content, name)
}

/** The parts of a source event that other wires use too. */
export const eventName = name('eventIdCharactersMax')
export const eventMetadata = json('metadataBytesMax')
export const eventScope = json('sourceScopeBytesMax')
export const eventEvidence = withCheck(
  bounded(z.record(z.string(), z.unknown()), limits, 'evidenceItemsMax'),
  within('evidenceBytesMax'),
)

const Source = z
  .strictObject({
    service: serviceKey.optional().describe('By default, the writer that the key is bound to'),
    event_id: eventName.describe('The id that the event has in its service'),
    observed_at: withCheck(z.string(), (field, value) => void parseInstant(field, value))
      .nullish()
      .describe('When the service observed it; by default, the time of the request'),
    scope: eventScope.nullish().describe('The context of the event, such as its session'),
    evidence: eventEvidence.nullish().describe('References by which the service can prove it'),
  })
  .meta({ id: 'EventSource', description: 'The writer that sends the event, and the id of the event there.' })

/** A check of the size of a JSON value. */
function within(limit: 'messagesBytesMax' | 'evidenceBytesMax') {
  return (field: string, value: unknown) => checkJson(field, value, limit, limits[limit])
}

/** For writes: the id becomes part of a ref. */
export const subjectId = withCheck(externalUserId, (field, value) => {
  checkVisible(field, value)
  if (value.split(/[/\\]/).includes('..')) throw invalid(field, 'must not have a ".." segment')
})

const common = {
  external_user_id: subjectId,
  agent_id: agentId.nullish().describe('The agent that the memories are for'),
  metadata: eventMetadata.optional().describe('Kept with the source event'),
  trust: loweredTrust,
  readers: readersDraft.nullish(),
  source: Source.nullish().describe('Without a source, the event has the tenant’s `default_writer_priority`'),
}

/** An array of messages within the limits of one request. */
export const messagesOf = <T extends z.ZodType>(message: T) =>
  withCheck(bounded(message, limits, 'messagesPerAddMax', 1), within('messagesBytesMax'))

const exampleSource = {
  service: 'chat-service',
  event_id: 'evt_ab12cd34',
  observed_at: '2026-06-11T09:55:00Z',
  scope: { session_id: 'sess_xyz', channel: 'web' },
}

const Extraction = z
  .strictObject({
    ...common,
    messages: messagesOf(Message),
    infer: z.literal(true).optional().describe('Memories are extracted from the messages'),
  })
  .meta({ id: 'AddByExtraction', description: 'A conversation to extract memories from.' })

const Verbatim = z
  .strictObject({
    ...common,
    messages: messagesOf(VerbatimMessage),
    infer: z.literal(false).describe('Every message is stored as one memory, unchanged'),
  })
  .meta({ id: 'AddVerbatim', description: 'Messages to store as memories, unchanged.' })

export const AddDraft = z.discriminatedUnion('infer', [Extraction, Verbatim]).meta({
  id: 'AddDraft',
  description: 'Messages about a person, and the source event that they belong to.',
  examples: [
    {
      external_user_id: 'user-123',
      messages: [{ role: 'user', content: 'I prefer dark mode and compact layouts.' }],
      source: exampleSource,
    },
  ],
})

export const AddAnswer = z
  .strictObject({
    job_id: z.string(),
    status: z.literal('queued'),
    nothing_to_extract: z.boolean().optional().describe('No message is from a user'),
    processing_eta_seconds: z.int(),
    request_id: z.string(),
    timestamp: instant,
    memory_ref: z.string(),
  })
  .meta({
    id: 'AddAnswer',
    description: 'The ingest job of the event.',
    examples: [
      {
        job_id: 'job_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
        status: 'queued',
        processing_eta_seconds: 1,
        request_id: 'req-7',
        timestamp: '2026-06-11T09:55:01.000Z',
        memory_ref: 'subject:user-123',
      },
    ],
  })

const Decided = z
  .strictObject({
    memory_id: z.string().nullable().describe('The memory with its content; null while it has none'),
    outcome: z
      .enum(decidedOutcomes)
      .describe(
        '`current`: it is the winner of its claim. `overruled`: it is kept as superseded. `confirmed`: it was known, and has one more source. `buffered`: it waits for a second writer. `contained`: a containment covers its source',
      ),
    over: z.string().optional().describe('The memory that it superseded'),
    by: z.string().optional().describe('The memory that outranks it'),
    quarantined: z
      .literal(true)
      .optional()
      .describe(
        'Its memory is current, but its class is below `trust_floor_read`: lists, searches and prompts leave it out',
      ),
    why: z.string().describe('Names writers and figures only of memories that this key can read now'),
  })
  .meta({ id: 'Decided', description: 'What became of one content of a source event when it was ingested.' })

export const IngestJob = z
  .strictObject({
    job_id: z.string(),
    status: z
      .enum(['queued', 'processing', 'completed', 'failed', 'dead'])
      .describe('`failed` is retried; `dead` is not'),
    attempts: z.int(),
    memories_created: z
      .int()
      .describe('New memories that are current. A new content that was overruled is not counted'),
    memories_superseded: z.int().describe('Memories that a new content superseded'),
    memories_rejected: z.int().describe('Candidates whose confidence was too low'),
    memories_unmarked: z
      .int()
      .optional()
      .describe(
        'Memories that were stored without `always_include`, because other calls marked as many as the subject may have meanwhile',
      ),
    decided: list(Decided)
      .optional()
      .describe('What became of each content, in the order of the messages. Present once the job is completed'),
    why: z.string().optional().describe('Why no memory was created'),
    memory_ref: z.string().optional(),
    extractor: z.string().optional(),
    usage: z.strictObject({ inputTokens: z.int(), outputTokens: z.int() }).optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    queued_at: instant,
    started_at: instant.optional(),
    completed_at: instant.optional(),
    dead_lettered_at: instant.optional(),
  })
  .meta({
    id: 'IngestJob',
    description: 'A job that extracts memories from a source event.',
    examples: [
      {
        job_id: 'job_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
        status: 'completed',
        attempts: 1,
        memories_created: 1,
        memories_superseded: 0,
        memories_rejected: 0,
        decided: [
          {
            memory_id: 'mem_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
            outcome: 'current',
            why: 'It is current: no other content outranks it.',
          },
        ],
        memory_ref: 'subject:user-123',
        extractor: 'rules',
        queued_at: '2026-06-11T09:55:01.000Z',
        started_at: '2026-06-11T09:55:01.010Z',
        completed_at: '2026-06-11T09:55:01.040Z',
      },
    ],
  })

const StoredMessage = z
  .strictObject({
    role: Message.shape.role,
    content: z.string(),
    category: z.string().optional(),
    claim_key: z.string().optional(),
    confidence: z.number().optional(),
    trust: trustClass.optional(),
    readers: list(z.string()).nullable().optional(),
  })
  .meta({ id: 'StoredMessage', description: 'A stored message: known members only, secrets redacted.' })

export const StoredMessages = list(StoredMessage)
