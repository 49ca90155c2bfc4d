import { z } from 'zod'
import { count, instant, list } from '../../schema-parts.ts'

const body = (id: string, description: string) => z.record(z.string(), z.unknown()).meta({ id, description })

export const VerifyDraft = body('VerifyDraft', 'messages')

const source = {
  id: z.string(),
  service: z.string().nullable(),
  event_id: z.string().nullable(),
  external_user_id: z.string(),
  agent_id: z.string().nullable(),
  observed_at: instant,
  received_at: instant,
  payload_hash: z.string(),
  extraction_job_id: z.string(),
  evidence_refs: z.unknown(),
  scope: z.unknown(),
  payload_state: z.string(),
}

const erasedSource = z
  .strictObject({ id: z.string(), service: z.string().nullable(), received_at: instant, erased: z.literal(true) })
  .meta({ id: 'ErasedSourceEvent', description: 'What is left of a source event that was forgotten.' })

export const SourceEventPage = z
  .strictObject({ data: list(z.union([z.strictObject(source), erasedSource])), cursor: z.string().optional() })
  .meta({ id: 'SourceEventPage' })

export const SourceEvent = z
  .union([
    z.strictObject({ ...source, payload: z.unknown(), memories: list(z.looseObject({ id: z.string() })) }),
    erasedSource,
  ])
  .meta({ id: 'SourceEvent' })

export const Verified = z
  .strictObject({ matches: z.boolean(), payload_hash: z.string() })
  .meta({ id: 'SourceVerified' })

export const SourceEventQuery = z.strictObject({
  external_user_id: z.string().optional(),
  source_service: z.string().optional(),
  limit: count.optional(),
  cursor: z.string().optional(),
})
