import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { leftOutReasons } from '../../../core/search/left-out.ts'
import { MemoryEntry } from '../../openwop-v1/schemas/entries.ts'
import {
  asReader,
  filterForm,
  list,
  minRelevance,
  position,
  shownReaders,
  trustClass,
  trustMin,
} from '../../schema-parts.ts'

export const SearchDraft = z
  .strictObject({
    query: z
      .string()
      .describe(
        'A question or words. Words "in quotes" must be adjacent. A word ending in * matches every word with that prefix.',
      ),
    limit: z.int().min(1).max(limits.searchResultsMax).optional().describe(`Default ${limits.searchResultsDefault}`),
    tag: z.string().optional(),
    category: z.string().optional(),
    writer: z.string().optional().describe('The source service it comes from'),
    subject: z.string().optional(),
    from: z.string().optional().describe('Created at or after this instant'),
    to: z.string().optional().describe('Created before this instant'),
    filter: filterForm,
    mode: z
      .enum(['lexical', 'semantic'])
      .optional()
      .describe('`lexical`: match words only. By default, also match meaning if there is an embedder'),
    minRelevance: minRelevance('minRelevance'),
    tokenBudget: z.int().min(1).optional().describe('The maximum number of tokens of all contents together'),
    recency: z.boolean().optional().describe('Rank newer entries a little higher'),
    explain: z.boolean().optional().describe('Adds `parts` and `matched` to each result, and `leftOut`'),
    highlights: z.boolean().optional().describe('Adds a `snippet` to each result'),
    asOf: z
      .union([z.string(), z.int().min(0)])
      .optional()
      .describe('A position or an instant: memory as it was then'),
    runId: z.string().optional().describe('Memory as this run sees it'),
    trustMin,
    reader: asReader,
  })
  .meta({
    id: 'SearchDraft',
    description: 'A query and its filters.',
    examples: [{ query: 'What does Ada like to drink?', limit: 5, explain: true }],
  })

/** Lists and entries accept `runId` as a query parameter, so search does too. */
export const SearchQuery = z.strictObject({ runId: SearchDraft.shape.runId })

const SearchResult = z
  .strictObject({
    entry: MemoryEntry,
    score: z.number().describe('Comparable within one answer only'),
    relevance: z.number().describe('0 to 1: the estimated probability that the entry bears on the query'),
    trust: trustClass.describe('The class of the entry'),
    readers: shownReaders,
    parts: z.record(z.string(), z.number()).optional().describe('The parts of the score, which is their sum'),
    matched: list(z.string()).optional().describe('The terms of the query that the entry contains'),
    snippet: z
      .strictObject({
        text: z.string(),
        highlights: list(z.strictObject({ start: z.int(), end: z.int() })).describe('In UTF-16 units of the text'),
      })
      .optional(),
  })
  .meta({ id: 'SearchResult', description: 'An entry that was found, and why.' })

export const SearchAnswer = z
  .strictObject({
    results: list(SearchResult),
    position,
    leftOut: list(z.strictObject({ id: z.string(), reason: z.enum(leftOutReasons), relevance: z.number() }))
      .optional()
      .describe('With `explain`: matches that are not among the results, and why'),
    degraded: z.literal('semantic').optional().describe('The embedder did not respond: only words were matched'),
  })
  .meta({
    id: 'SearchAnswer',
    description: 'Results, best first, and the position they were read at.',
    examples: [
      {
        results: [
          {
            entry: {
              id: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
              content: 'Ada prefers tea.',
              tags: ['preference', 'source:api'],
              createdAt: '2026-03-01T12:00:00.000Z',
            },
            score: 2.41,
            relevance: 0.74,
            trust: 'agent',
            parts: { words: 1.86, meaning: 0.55 },
            matched: ['ada'],
          },
        ],
        position: 42,
      },
    ],
  })
