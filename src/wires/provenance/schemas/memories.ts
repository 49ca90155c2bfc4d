import { z } from 'zod'
import { categories } from '../../../core/provenance/category.ts'
import { count, instant, list } from '../../schema-parts.ts'

const body = (id: string, description: string) => z.record(z.string(), z.unknown()).meta({ id, description })

export const AddDraft = body('AddDraft', 'external_user_id, messages, agent_id?, metadata?, infer?, source?')

export const RetrieveDraft = body(
  'RetrieveDraft',
  'external_user_id, query, limit?, categories?, agent_id?, time_filter_days?, format?, context_max_tokens?, as_of?',
)

export const MemoryPatch = body('MemoryPatch', 'content?, importance?, is_archived?')

export const AddAnswer = z
  .strictObject({
    job_id: z.string(),
    status: z.literal('queued'),
    nothing_to_extract: z.boolean().optional(),
    processing_eta_seconds: z.int(),
    request_id: z.string(),
    timestamp: instant,
    memory_ref: z.string(),
  })
  .meta({ id: 'AddAnswer' })

export const IngestJob = z
  .strictObject({
    job_id: z.string(),
    status: z.enum(['queued', 'processing', 'completed', 'failed', 'dead']),
    attempts: z.int(),
    memories_created: z.int(),
    memories_superseded: z.int(),
    memories_rejected: z.int(),
    memory_ref: z.string().optional(),
    extractor: z.string().optional(),
    usage: z.strictObject({ inputTokens: z.int(), outputTokens: z.int() }).optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    queued_at: instant,
    started_at: instant.optional(),
    completed_at: instant.optional(),
    dead_lettered_at: instant.optional(),
  })
  .meta({ id: 'IngestJob' })

const Provenance = z
  .strictObject({
    service: z.string(),
    event_id: z.string(),
    observed_at: instant,
    received_at: instant,
    payload_hash: z.string(),
    scope: z.unknown(),
    evidence: z.unknown().optional(),
  })
  .meta({ id: 'Provenance', description: 'Who told it, in which event, and when.' })

const attribution = z.strictObject({
  api_key_id: z.string().nullable(),
  run_id: z.string().optional(),
  node_id: z.string().optional(),
  agent_id: z.string().optional(),
})

export const Memory = z
  .strictObject({
    id: z.string(),
    memory_ref: z.string(),
    content: z.string(),
    category: z.string(),
    importance_score: z.number(),
    confidence_score: z.number(),
    claim_key: z.string().nullable(),
    status: z.enum(['active', 'superseded', 'archived']),
    version: z.int(),
    sources: z.int(),
    tags: list(z.string()),
    created_at: instant,
    updated_at: instant,
    observed_at: instant,
    expires_at: instant.optional(),
    source_event_id: z.string().nullable(),
    provenance: Provenance.nullable(),
    attribution,
  })
  .meta({ id: 'Memory' })

export const MemoryPage = z
  .strictObject({ data: list(Memory), cursor: z.string().optional() })
  .meta({ id: 'MemoryPage' })

export const Retrieval = z
  .strictObject({
    retrieval_id: z.string(),
    data: list(
      z.strictObject({
        id: z.string(),
        memory_ref: z.string(),
        content: z.string(),
        category: z.string(),
        importance_score: z.number(),
        confidence_score: z.number(),
        relevance_score: z.number(),
        created_at: instant,
        source_event_id: z.string().nullable(),
        provenance: Provenance.nullable(),
        attribution,
      }),
    ),
    system_prompt_addition: z.string(),
    context_token_count: z.int(),
    degraded: z.literal('semantic').optional().describe('The embedder did not answer: this was found by words only'),
  })
  .meta({ id: 'Retrieval' })

export const History = z
  .strictObject({
    data: list(
      z.strictObject({
        version_number: z.int(),
        content: z.string(),
        change_type: z.string(),
        change_reason: z.string().nullable(),
        actor: z.string(),
        created_at: instant,
      }),
    ),
  })
  .meta({ id: 'MemoryHistory' })

export const SourceList = z.strictObject({ data: list(Provenance) }).meta({ id: 'MemorySources' })

export const Removed = z.strictObject({ id: z.string(), deleted: z.boolean() }).meta({ id: 'MemoryDeleted' })

const flag = z.enum(['true', 'false']).transform((value) => value === 'true')

export const MemoryQuery = z.strictObject({
  external_user_id: z.string(),
  agent_id: z.string().optional(),
  categories: z
    .string()
    .optional()
    .describe(`By comma: ${categories.join(', ')}`),
  limit: count.optional(),
  cursor: z.string().optional(),
  include_superseded: flag.optional(),
  as_of: z.string().optional(),
})

export const DeleteQuery = z.strictObject({ hard_delete: flag.optional() })
