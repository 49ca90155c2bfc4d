import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { MemoryEntry } from '../../openwop-v1/schemas/memory.ts'
import { list } from '../../schema-parts.ts'

export const SearchDraft = z
  .strictObject({
    query: z
      .string()
      .describe('A question or words; "in quotes" side by side, a word ending in * for any that begins so'),
    limit: z.int().min(1).max(limits.searchResultsMax).optional(),
    tag: z.string().optional(),
    category: z.string().optional(),
    writer: z.string().optional().describe('The service that told it'),
    subject: z.string().optional(),
    from: z.string().optional().describe('Created at or after this instant'),
    to: z.string().optional().describe('Created before this instant'),
    mode: z
      .enum(['lexical', 'semantic'])
      .optional()
      .describe('lexical: by words only. Without it also by meaning, where there is an embedder'),
    tokenBudget: z.int().min(1).optional().describe('At most so many tokens of content together'),
    recency: z.boolean().optional().describe('Newer entries count a little more'),
    explain: z.boolean().optional(),
    highlights: z.boolean().optional(),
    asOf: z.union([z.string(), z.int().min(0)]).optional(),
    runId: z.string().optional(),
  })
  .meta({ id: 'SearchDraft', description: 'What is looked for.' })

export const SearchAnswer = z
  .strictObject({
    results: list(
      z.strictObject({
        entry: MemoryEntry,
        score: z.number(),
        parts: z.record(z.string(), z.number()).optional().describe('What the score is the sum of'),
        matched: list(z.string()).optional().describe('The terms of the query that the entry itself has'),
        snippet: z
          .strictObject({
            text: z.string(),
            highlights: list(z.strictObject({ start: z.int(), end: z.int() })).describe('In UTF-16 units of the text'),
          })
          .optional(),
      }),
    ),
    position: z.int().min(0).describe('Position of the tenant’s logical clock'),
    degraded: z.literal('semantic').optional().describe('The embedder did not answer: this was found by words only'),
  })
  .meta({ id: 'SearchAnswer', description: 'The best first, and the position it was searched at.' })
