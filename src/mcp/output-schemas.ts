import { z } from 'zod'

/**
 * What the tools return as structured content. Objects are open, so that a client accepts members that a newer server adds.
 * Each result with stored texts has `note`: a client can give this content to a model without the delimited text.
 */

const note = z.string().describe('How to read the texts in this result')
const instant = z.string().describe('ISO-8601 instant')

const Memory = z.looseObject({
  id: z.string(),
  content: z.string(),
  tags: z.array(z.string()).optional(),
  createdAt: instant,
  expiresAt: instant.optional(),
  trust: z.string().optional().describe('The trust class'),
})

const Found = Memory.extend({
  score: z.number().describe('Comparable within one result only'),
  category: z.string().optional(),
  alwaysIncluded: z.boolean().optional().describe('It is in every result about the person, whatever the query'),
  toldBy: z.string().optional().describe('The writer that stated it'),
  observedAt: instant.nullish(),
})

export const RecallOutput = z.object({ note, memories: z.array(Found).describe('Best match first') })

export const ListOutput = z.object({
  note,
  memories: z.array(Memory).describe('Newest first'),
  cursor: z.string().optional().describe('The next page; absent on the last one'),
  position: z.number().describe('The position that the page was read at'),
})

export const GetOutput = z.object({ note, memory: Memory })

export const TraceOutput = z.object({
  note,
  trace: z.looseObject({
    id: z.string(),
    memoryRef: z.string(),
    version: z.number(),
    createdAt: instant,
    origin: z.looseObject({ kind: z.string() }).describe('An API call, a source service, a run or a compaction'),
    story: z.array(z.looseObject({ step: z.string(), text: z.string() })).describe('Each step of its history'),
    audit: z.looseObject({ position: z.number(), hash: z.string() }).nullable().describe('The record that proves it'),
  }),
})

export const CommitmentsOutput = z.object({
  note,
  commitments: z.array(
    z.looseObject({
      id: z.string(),
      memoryRef: z.string(),
      memoryId: z.string().optional(),
      intention: z.string(),
      condition: z.string(),
      at: instant.optional(),
      status: z.string(),
    }),
  ),
})

export const StoreOutput = z.object({
  status: z
    .enum(['stored', 'deleted_since', 'processing'])
    .describe('`deleted_since`: a repeat of a call whose memory is deleted; `processing`: the job continues'),
  ids: z.array(z.string()).describe('The ids of the memories; empty while the job continues'),
  redacted: z.boolean().optional().describe('Whether a secret was removed before it was stored'),
  created: z.number().optional(),
  superseded: z.number().optional().describe('Memories that the new ones replaced'),
  rejected: z.number().optional().describe('Candidates whose confidence was too low'),
  decided: z
    .array(
      z.looseObject({
        memory_id: z.string().nullable(),
        outcome: z
          .string()
          .describe(
            '`current`, `overruled` by another content, `confirmed`, or `buffered` until a second writer states it',
          ),
        by: z.string().optional().describe('The memory that outranks it'),
        quarantined: z.boolean().optional().describe('It is current, but reads leave it out'),
        why: z.string(),
      }),
    )
    .optional()
    .describe('What became of each content'),
  why: z.string().optional().describe('Why no memory was created'),
  job_id: z.string().optional(),
})

export const ForgetOutput = z.object({
  status: z.enum(['confirmation_needed', 'deleted']),
  id: z.string(),
  note: note.optional(),
  memory: Memory.optional().describe('What would be deleted'),
  confirm: z.string().optional().describe('The code to call again with'),
})
