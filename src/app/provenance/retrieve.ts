import { checkCharacters, checkCount, checkIdentifier, checkKnownKeys } from '../../core/check.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { checkCategory } from '../../core/provenance/category.ts'
import { type ContextFormat, toContext } from '../../core/search/context-text.ts'
import { findEntries } from '../search/find-entries.ts'
import { rounded } from '../search/search.ts'
import type { Tenant } from '../tenant.ts'
import { positionOf, refOf } from './memories.ts'
import { type MemoryView, toMemoryViews } from './memory-view.ts'

const dayMs = 24 * 60 * 60 * 1_000
/** The score that is shown as 0.5. */
const halfRelevance = 5
const known = [
  'external_user_id',
  'query',
  'limit',
  'categories',
  'agent_id',
  'time_filter_days',
  'format',
  'context_max_tokens',
  'as_of',
]

/** What is known about somebody that bears on a question, best first, and a text of it for a prompt. */
export async function retrieve(tenant: Tenant, body: Readonly<Record<string, unknown>>) {
  const request = parseRequest(body, tenant.now())
  const position = await positionOf(tenant, request.asOf)
  const { hits, isDegraded } = await findEntries(tenant, {
    position,
    own: [],
    ...request.search,
  })
  const memories = await toMemoryViews(
    tenant,
    hits.map(({ entry }) => entry),
    position,
  )
  const items = memories.map((memory) => ({ ...memory, observedAt: Date.parse(memory.observed_at) }))
  const context = toContext(items, request.format, request.maxTokens)
  return {
    retrieval_id: tenant.system.newId('ret'),
    data: memories.map((memory, at) => toResult(memory, toRelevance(hits[at]?.score ?? 0))),
    system_prompt_addition: context.text,
    context_token_count: context.tokens,
    ...(isDegraded ? { degraded: 'semantic' as const } : {}),
  }
}

function toResult(memory: MemoryView, relevance_score: number) {
  const { id, memory_ref, content, category, importance_score, confidence_score, created_at } = memory
  const { source_event_id, provenance, attribution } = memory
  return {
    id,
    memory_ref,
    content,
    category,
    importance_score,
    confidence_score,
    relevance_score,
    created_at,
    source_event_id,
    provenance,
    attribution,
  }
}

function parseRequest(body: Readonly<Record<string, unknown>>, now: number) {
  checkKnownKeys('body', body, known)
  const { query, limit = limits.memoriesPageDefault, format = 'bullets', as_of, time_filter_days, agent_id } = body
  checkCharacters('query', query, 'queryCharactersMax', limits.queryCharactersMax)
  checkCount('limit', limit, 1)
  if (limit > limits.memoriesPageMax)
    throw invalid('limit', `must be at most ${limits.memoriesPageMax}`, {
      limit: 'memoriesPageMax',
      max: limits.memoriesPageMax,
    })
  if (format !== 'bullets' && format !== 'json' && format !== 'xml')
    throw invalid('format', 'must be bullets, json or xml')
  const maxTokens = body.context_max_tokens ?? limits.contextTokensDefault
  checkCount('context_max_tokens', maxTokens, 1)
  if (maxTokens > limits.contextTokensMax)
    throw invalid('context_max_tokens', `must be at most ${limits.contextTokensMax}`, {
      limit: 'contextTokensMax',
      max: limits.contextTokensMax,
    })
  if (time_filter_days !== undefined) checkCount('time_filter_days', time_filter_days, 1)
  const agentId = agent_id ?? undefined
  if (agentId !== undefined) checkIdentifier('agent_id', agentId, 'agentIdCharactersMax', limits.agentIdCharactersMax)
  const categories = parseNames(body.categories)
  for (const category of categories ?? []) checkCategory('categories', category)
  const oldest = time_filter_days === undefined ? undefined : now - (time_filter_days as number) * dayMs
  return {
    search: {
      memoryRef: refOf(body.external_user_id as string),
      query,
      limit,
      filter: {
        ...(categories === undefined ? {} : { categories }),
        ...(agentId === undefined ? {} : { agentId }),
        ...(oldest === undefined ? {} : { from: oldest }),
      },
    },
    format: format as ContextFormat,
    maxTokens,
    asOf: as_of === undefined ? undefined : String(as_of),
  }
}

/** Between 0 and 1: a sum of weights says nothing by itself. */
function toRelevance(score: number): number {
  return score <= 0 ? 0 : rounded(score / (score + halfRelevance))
}

function parseNames(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw invalid('categories', 'must be a list of categories')
}
