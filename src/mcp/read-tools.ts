import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Client, FilterForm, Retrieval } from '../client/index.ts'
import { type Trust, trustClasses } from '../core/entries/trust.ts'
import { personOfRef } from '../core/people/spelling.ts'
import type { MinRelevance } from '../core/search/min-relevance.ts'
import { asData, dataNote as note } from './as-data.ts'
import { type BoundRef, inputOf, refFor } from './bound-ref.ts'
import { CommitmentsOutput, GetOutput, ListOutput, RecallOutput, TraceOutput } from './output-schemas.ts'
import { addTool, readsOnly } from './tools.ts'
import { traceOf } from './trace.ts'

const hitsDefault = 8
const hitsMax = 50
const pageDefault = 20
const pageMax = 100

const limit = (max: number, fallback: number) =>
  z.int().min(1).max(max).optional().describe(`The maximum number of results; default ${fallback}`)

const trustMin = z
  .enum(trustClasses)
  .optional()
  .describe('The lowest trust class to return; omit it unless the user asks for memories in quarantine')

const minRelevance = z
  .union([z.number().min(0).max(1), z.literal('auto')])
  .optional()
  .describe('The lowest relevance, from 0 to 1. auto returns only what probably bears on the query, or nothing')

const filter = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    'Conditions that all must hold: and, or (lists), not, tag, category, writer, agent, subject, created, observed, confidence, importance, ' +
      'trust, metadata; each a value, {"in": [...]} or bounds, such as {"created": {"gte": "2026-01-01T00:00:00Z"}}. Usually omit it',
  )

const memoryId = z.string().min(1, 'must not be empty').describe('The id of the memory')

/** recall, list, get, trace, commitments. */
export function addReadTools(server: McpServer, client: Client, bound: BoundRef): void {
  addTool(
    server,
    'recall',
    {
      title: 'Recall',
      description:
        'Search memory for a query, best match first. Call it before you answer anything that may depend on the person, ' +
        'earlier conversations, decisions or preferences, and before you call remember. Use the words that the memory ' +
        'itself would use. If there is no result, nothing is known: say so instead of guessing.',
      inputSchema: inputOf(bound, {
        query: z.string().min(1, 'must not be empty').describe('A question or a few words'),
        limit: limit(hitsMax, hitsDefault),
        filter,
        trust_min: trustMin,
        min_relevance: minRelevance,
      }),
      outputSchema: RecallOutput,
      annotations: readsOnly,
    },
    async (args) => {
      const ref = refFor(bound, args)
      const memories = await recall(client, ref, args.query, {
        count: args.limit ?? hitsDefault,
        filter: args.filter,
        trustMin: args.trust_min,
        minRelevance: args.min_relevance,
      })
      const lines = [memories.length === 0 ? 'No memory matches this query.' : asData(memories)]
      return { structured: { note, memories }, lines }
    },
  )

  addTool(
    server,
    'list',
    {
      title: 'List memories',
      description:
        'List memories, newest first, in pages. With as_of, list them as they were at an earlier moment. To search, use recall.',
      inputSchema: inputOf(bound, {
        limit: limit(pageMax, pageDefault),
        cursor: z.string().optional().describe('The cursor of the previous page'),
        tag: z.string().optional().describe('Only memories with this tag'),
        filter,
        as_of: z.string().optional().describe('An ISO-8601 instant, or a position'),
        trust_min: trustMin,
      }),
      outputSchema: ListOutput,
      annotations: readsOnly,
    },
    async (args) => {
      const { cursor, tag, filter, as_of: asOf, trust_min: trustMin } = args
      const query = { limit: args.limit ?? pageDefault, cursor, tag, filter, asOf, trustMin }
      const page = await client.memory.list(refFor(bound, args), query)
      const memories = page.entries.map((entry) => ({
        ...entry,
        tags: [...entry.tags],
        trust: page.trust?.[entry.id] ?? 'agent',
      }))
      const next = page.cursor === undefined ? {} : { cursor: page.cursor }
      return {
        structured: { note, memories, ...next, position: page.position },
        lines: [
          memories.length === 0 ? 'There are no memories here.' : asData(memories),
          ...(page.cursor === undefined ? [] : [`There is more: call list again with cursor: "${page.cursor}".`]),
        ],
      }
    },
  )

  addTool(
    server,
    'get',
    {
      title: 'Get a memory',
      description: 'Get one memory by its id.',
      inputSchema: inputOf(bound, { id: memoryId }),
      outputSchema: GetOutput,
      annotations: readsOnly,
    },
    async (args) => {
      const entry = await client.memory.get(refFor(bound, args), args.id)
      return { structured: { note, memory: { ...entry, tags: [...entry.tags] } }, lines: [asData([entry])] }
    },
  )

  addTool(
    server,
    'trace',
    {
      title: 'Trace a memory',
      description:
        'Show where a memory comes from: its source service, event or run, when it was stored, what it replaced, and the ' +
        'audit record that proves it. Use it when the user asks how you know something, or when two memories disagree.',
      inputSchema: inputOf(bound, { id: memoryId }),
      outputSchema: TraceOutput,
      annotations: readsOnly,
    },
    async (args) => {
      const trace = await traceOf(client, refFor(bound, args), args.id)
      return { structured: { note, trace: { ...trace, story: [...trace.story] } }, lines: [asData([trace])] }
    },
  )

  addTool(
    server,
    'commitments',
    {
      title: 'List commitments',
      description:
        'List what is to be done later: reminders with their time, and conditions that are not met yet, each with the memory that ' +
        'it comes from. Use it when the user asks what is planned or pending.',
      inputSchema: inputOf(bound, { limit: limit(pageMax, pageDefault) }),
      outputSchema: CommitmentsOutput,
      annotations: readsOnly,
    },
    async (args) => {
      const query = { memoryRef: refFor(bound, args), status: 'waiting', limit: args.limit ?? pageDefault } as const
      const { commitments } = await client.commitments.list(query)
      return {
        structured: { note, commitments: commitments.map((commitment) => ({ ...commitment })) },
        lines: [commitments.length === 0 ? 'No commitment waits here.' : asData(commitments)],
      }
    },
  )
}

type Found = z.input<typeof RecallOutput>['memories'][number]

async function recall(
  client: Client,
  ref: string,
  query: string,
  {
    count,
    filter,
    trustMin,
    minRelevance,
  }: {
    count: number
    filter: FilterForm | undefined
    trustMin: Trust | undefined
    minRelevance: MinRelevance | undefined
  },
): Promise<Found[]> {
  const subject = personOfRef(ref)
  if (subject !== null) {
    const { data } = await client.memories.retrieve({
      external_user_id: subject,
      query,
      limit: count,
      filter,
      trust_min: trustMin,
      min_relevance: minRelevance,
    })
    return data.map(toHit)
  }
  const { results } = await client.memory.search(ref, query, { limit: count, filter, trustMin, minRelevance })
  return results.map(({ entry, score, trust }) => ({ ...entry, tags: [...entry.tags], score, trust }))
}

function toHit(hit: Retrieval['data'][number]): Found {
  const { id, content, category, relevance_score, created_at, provenance, trust, always_include } = hit
  const source = provenance === null ? {} : { toldBy: provenance.service, observedAt: provenance.observed_at }
  const mark = always_include ? { alwaysIncluded: true } : {}
  return { id, content, category, score: relevance_score, createdAt: created_at, trust, ...mark, ...source }
}
