import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'

export const Provenance = z
  .strictObject({
    service: z.string(),
    event_id: z.string(),
    observed_at: instant,
    received_at: instant,
    payload_hash: z
      .string()
      .nullable()
      .describe(
        'SHA-256 over the canonical form (RFC 8785) of the messages as sent. Null for keys without `audit:read` if a secret was redacted in the messages, and always for keys without `memory:read`: the hash would help to guess the text.',
      ),
    scope: z.unknown(),
    evidence: z.unknown().optional(),
  })
  .meta({ id: 'Provenance', description: 'The source event of a memory: which service sent it, and when.' })

export const exampleProvenance = {
  service: 'chat-service',
  event_id: 'evt_ab12cd34',
  observed_at: '2026-06-11T09:55:00.000Z',
  received_at: '2026-06-11T09:55:01.000Z',
  payload_hash: 'sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  scope: { session_id: 'sess_xyz', channel: 'web' },
}

const MemorySource = z
  .strictObject({
    ...Provenance.shape,
    api_key_id: z.string().nullable().describe('The key that sent the event'),
  })
  .meta({ id: 'MemorySource', description: 'A source event that stated a memory, and the key that sent it.' })

export const SourceList = z.strictObject({ data: list(MemorySource) }).meta({
  id: 'MemorySources',
  description: 'Every source event that stated the memory.',
  examples: [{ data: [{ ...exampleProvenance, api_key_id: 'key_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e22' }] }],
})
