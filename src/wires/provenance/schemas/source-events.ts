import { z } from 'zod'
import { asReader, count, instant, list, shownReaders, trustClass } from '../../schema-parts.ts'
import { eventIdRead, StoredMessages } from './add.ts'

export const VerifyDraft = z
  .strictObject({ messages: z.unknown().optional().describe('The messages, as they were sent') })
  .meta({
    id: 'VerifyDraft',
    description: 'Messages to compare with those of a source event.',
    examples: [{ messages: [{ role: 'user', content: 'I prefer dark mode and compact layouts.' }] }],
  })

const source = {
  id: z.string(),
  service: z.string().nullable(),
  event_id: z.string().nullable().describe('The id that the event has in its service'),
  external_user_id: z.string(),
  agent_id: z.string().nullable(),
  observed_at: instant,
  received_at: instant,
  payload_hash: z.string().describe('SHA-256 over the canonical form (RFC 8785) of the messages as sent'),
  extraction_job_id: z.string().nullable().describe('Null for an edit, which needs no job'),
  evidence_refs: z.unknown(),
  scope: z.unknown(),
  api_key_id: z.string().nullable().describe('The key that sent it'),
  trust: trustClass.describe('The class of the call'),
  readers: shownReaders,
  payload_state: z
    .enum(['stored', 'redacted'])
    .describe('`stored`: the messages are kept; `redacted`: they were deleted'),
}

const exampleSource = {
  id: 'src_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e24',
  service: 'chat-service',
  event_id: 'evt_ab12cd34',
  external_user_id: 'user-123',
  agent_id: null,
  observed_at: '2026-06-11T09:55:00.000Z',
  received_at: '2026-06-11T09:55:01.000Z',
  payload_hash: 'sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  extraction_job_id: 'job_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
  evidence_refs: [{ source_type: 'conversation', reference: 'conv_ab12cd34' }],
  scope: { session_id: 'sess_xyz', channel: 'web' },
  api_key_id: 'key_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e22',
  trust: 'service',
  payload_state: 'stored',
}

const ErasedSource = z
  .strictObject({ id: z.string(), service: z.string().nullable(), received_at: instant, erased: z.literal(true) })
  .meta({ id: 'ErasedSourceEvent', description: 'A source event that was erased.' })

const SourceSummary = z
  .strictObject(source)
  .meta({ id: 'SourceEventSummary', description: 'A source event, without its messages.' })

export const SourceEventPage = z
  .strictObject({ data: list(z.union([SourceSummary, ErasedSource])), cursor: z.string().optional() })
  .meta({ id: 'SourceEventPage', description: 'Source events, newest first.', examples: [{ data: [exampleSource] }] })

const StatedMemory = z
  .strictObject({
    id: z.string(),
    memory_ref: z.string(),
    claim_id: z.string().nullable(),
    status: z.enum(['active', 'superseded']),
  })
  .meta({ id: 'StatedMemory', description: 'A memory that the source event stated.' })

const StoredSource = z
  .strictObject({
    ...source,
    payload: z.union([StoredMessages, z.strictObject({ messages_redacted: z.literal(true) })]),
    memories: list(StatedMemory),
  })
  .meta({ id: 'StoredSourceEvent', description: 'A source event with its messages, as far as they are kept.' })

export const SourceEvent = z.union([StoredSource, ErasedSource]).meta({
  id: 'SourceEvent',
  description: 'A source event and the memories that it stated.',
  examples: [
    {
      ...exampleSource,
      payload: [{ role: 'user', content: 'I prefer dark mode and compact layouts.' }],
      memories: [
        {
          id: 'mem_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
          memory_ref: 'subject:user-123',
          claim_id: 'clm_8Xb2kq1fVw0aQe7yLr3tZu',
          status: 'active',
        },
      ],
    },
  ],
})

export const Verified = z.strictObject({ matches: z.boolean(), payload_hash: z.string() }).meta({
  id: 'SourceVerified',
  description: 'Whether the messages are those that were sent.',
  examples: [{ matches: true, payload_hash: exampleSource.payload_hash }],
})

export const SourceEventQuery = z.strictObject({
  external_user_id: z.string().optional(),
  source_service: z.string().optional(),
  event_id: eventIdRead.optional().describe('The id that the event has in its service'),
  limit: count.optional(),
  cursor: z.string().optional(),
  reader: asReader,
})

/** Reads of one source event. */
export const SourceNameQuery = z.strictObject({
  source_service: z.string().optional().describe('The service whose `event_id` the id is'),
  reader: asReader,
})
