import { checkCharacters, checkCount, checkIdentifier, checkKnownKeys } from '../../core/check.ts'
import type { EntryVersion, Place } from '../../core/entry.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { rankByWords } from '../../core/provenance/rank.ts'
import { currentView } from '../../core/view.ts'
import type { Deps } from '../deps.ts'
import { type ContextFormat, toContext } from './context-text.ts'
import { positionOf, refOf, toTest } from './memories.ts'
import { type MemoryView, toMemoryView } from './memory-view.ts'

const dayMs = 24 * 60 * 60 * 1_000
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
export async function retrieve(deps: Deps, tenantId: string, body: Readonly<Record<string, unknown>>) {
  const request = parseRequest(body)
  const position = await positionOf(deps, tenantId, request.asOf)
  const entries = await candidates(deps, tenantId, request, position)
  const ranked = rankByWords(request.query, entries, ({ content }) => content)
    .filter(({ score }) => score > 0)
    .slice(0, request.limit)
  const data = await Promise.all(
    ranked.map(async ({ item, score }) => toResult(await toMemoryView(deps, tenantId, item, position), score)),
  )
  const context = toContext(data, request.format, request.maxTokens)
  return {
    retrieval_id: deps.system.newId('ret'),
    data,
    system_prompt_addition: context.text,
    context_token_count: context.tokens,
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

type Request = ReturnType<typeof parseRequest>

function parseRequest(body: Readonly<Record<string, unknown>>) {
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
  return {
    memoryRef: refOf(body.external_user_id as string),
    query,
    limit,
    format: format as ContextFormat,
    maxTokens,
    days: (time_filter_days as number | undefined) ?? null,
    asOf: as_of === undefined ? undefined : String(as_of),
    isWanted: toTest({ agentId, categories }),
  }
}

function parseNames(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw invalid('categories', 'must be a list of categories')
}

async function candidates(
  deps: Deps,
  tenantId: string,
  { memoryRef, isWanted, days }: Request,
  position: number,
): Promise<EntryVersion[]> {
  const now = deps.system.now()
  const oldest = days === null ? 0 : now - days * dayMs
  const found: EntryVersion[] = []
  for (let before: Place | null = null; found.length < limits.retrieveScanEntriesMax; ) {
    const view = { ...currentView, position }
    const limit = limits.pageEntriesMax
    const { versions } = await deps.storage.list({ tenantId, memoryRef, tag: null, view, now, before, limit })
    found.push(...versions.filter((entry) => isWanted(entry) && entry.createdAt >= oldest))
    before = versions.at(-1) ?? null
    if (before === null || (versions.at(-1)?.createdAt ?? 0) < oldest) break
  }
  return found
}
