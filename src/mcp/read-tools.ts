import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Client, Retrieval } from '../client/index.ts'
import { type Trust, trustClasses } from '../core/entries/trust.ts'
import { asData } from './as-data.ts'
import { type BoundRef, inputOf, refFor, subjectOf } from './bound-ref.ts'
import { runTool, text } from './tool-results.ts'

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
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

/** recall, list, get, trace, commitments. */
export function addReadTools(server: McpServer, client: Client, bound: BoundRef): void {
  server.registerTool(
    'recall',
    {
      title: 'Recall',
      description:
        'Search memory for a query, best match first. Call it before you answer anything that may depend on the person, ' +
        'earlier conversations, decisions or preferences, and before you call remember. Use the words that the memory ' +
        'itself would use. If there is no result, nothing is known: say so instead of guessing.',
      inputSchema: inputOf(bound, {
        query: z.string().describe('A question or a few words'),
        limit: limit(hitsMax, hitsDefault),
        trust_min: trustMin,
      }),
      annotations: readOnly,
    },
    (args) =>
      runTool(async () => {
        const hits = await recall(client, refFor(bound, args), args.query, args.limit ?? hitsDefault, args.trust_min)
        return hits.length === 0 ? text('No memory matches this query.') : text(asData(hits))
      }),
  )

  server.registerTool(
    'list',
    {
      title: 'List memories',
      description:
        'List memories, newest first, in pages. With as_of, list them as they were at an earlier moment. To search, use recall.',
      inputSchema: inputOf(bound, {
        limit: limit(pageMax, pageDefault),
        cursor: z.string().optional().describe('The cursor of the previous page'),
        tag: z.string().optional().describe('Only memories with this tag'),
        as_of: z.string().optional().describe('An ISO-8601 instant, or a position'),
        trust_min: trustMin,
      }),
      annotations: readOnly,
    },
    (args) =>
      runTool(async () => {
        const { cursor, tag, as_of: asOf, trust_min: trustMin } = args
        const query = { limit: args.limit ?? pageDefault, cursor, tag, asOf, trustMin }
        const page = await client.memory.list(refFor(bound, args), query)
        if (page.entries.length === 0) return text('There are no memories here.')
        const more = page.cursor === undefined ? [] : [`There is more: call list again with cursor: "${page.cursor}".`]
        const trustOf = (id: string) => page.trust?.[id] ?? 'agent'
        return text(asData(page.entries.map((entry) => ({ ...entry, trust: trustOf(entry.id) }))), ...more)
      }),
  )

  server.registerTool(
    'get',
    {
      title: 'Get a memory',
      description: 'Get one memory by its id.',
      inputSchema: inputOf(bound, { id: z.string().describe('The id of the memory') }),
      annotations: readOnly,
    },
    (args) => runTool(async () => text(asData([await client.memory.get(refFor(bound, args), args.id)]))),
  )

  server.registerTool(
    'trace',
    {
      title: 'Trace a memory',
      description:
        'Show where a memory comes from: its source service, event or run, when it was stored, what it replaced, and the ' +
        'audit record that proves it. Use it when the user asks how you know something, or when two memories disagree.',
      inputSchema: inputOf(bound, { id: z.string().describe('The id of the memory') }),
      annotations: readOnly,
    },
    (args) => runTool(async () => text(asData([await client.memory.colophon(refFor(bound, args), args.id)]))),
  )

  server.registerTool(
    'commitments',
    {
      title: 'List commitments',
      description:
        'List what is to be done later: reminders with their time, and conditions that are not met yet, each with the memory that ' +
        'it comes from. Use it when the user asks what is planned or pending.',
      inputSchema: inputOf(bound, { limit: limit(pageMax, pageDefault) }),
      annotations: readOnly,
    },
    (args) =>
      runTool(async () => {
        const query = { memoryRef: refFor(bound, args), status: 'waiting', limit: args.limit ?? pageDefault } as const
        const { commitments } = await client.commitments.list(query)
        return commitments.length === 0 ? text('No commitment waits here.') : text(asData(commitments))
      }),
  )
}

async function recall(
  client: Client,
  ref: string,
  query: string,
  count: number,
  trustMin: Trust | undefined,
): Promise<object[]> {
  const subject = subjectOf(ref)
  if (subject !== null) {
    const { data } = await client.memories.retrieve({
      external_user_id: subject,
      query,
      limit: count,
      trust_min: trustMin,
    })
    return data.map(toHit)
  }
  const { results } = await client.memory.search(ref, query, { limit: count, trustMin })
  return results.map(({ entry, score, trust }) => ({ ...entry, score, trust }))
}

function toHit({ id, content, category, relevance_score, created_at, provenance, trust }: Retrieval['data'][number]) {
  const source = provenance === null ? {} : { toldBy: provenance.service, observedAt: provenance.observed_at }
  return { id, content, category, score: relevance_score, createdAt: created_at, trust, ...source }
}
