import type { Trust } from '../../core/entries/trust.ts'
import type { FilterForm } from '../../core/filter/parse-filter.ts'
import { limits } from '../../core/limits.ts'
import type { Category } from '../../core/provenance/category.ts'
import { isRelevant, type MinRelevance } from '../../core/search/min-relevance.ts'
import { type ContextFormat, toPromptContext } from '../../core/search/prompt-context.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import { parseReadFilter } from '../entries/list-matching.ts'
import { readAccess } from '../entries/read-access.ts'
import { findEntries } from '../search/find-entries.ts'
import type { Tenant } from '../tenant.ts'
import { positionOf, refOf } from './find-memories.ts'
import { type Memory, toMemories } from './memory-view.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** A search of the memories about a person. */
export type RetrieveRequest = {
  readonly subject: string
  readonly query: string
  readonly limit?: number
  readonly categories?: readonly Category[]
  readonly agentId?: string | null
  /** Only memories that were written in the last so many days. */
  readonly timeFilterDays?: number
  readonly format?: ContextFormat
  readonly contextMaxTokens?: number | null
  /** A position or an instant. */
  readonly asOf?: string | number
  readonly trustMin?: Trust
  /** Leaves out memories of a lower relevance; `auto` those that probably do not bear on the query. */
  readonly minRelevance?: MinRelevance
  readonly filter?: FilterForm
}

/** The memories that match a query, and a text of them for a prompt. */
export type Retrieval = {
  readonly retrievalId: string
  /** Best first. */
  readonly memories: readonly (Memory & { readonly relevance: number })[]
  /** The memories as a text for a prompt. */
  readonly context: { readonly text: string; readonly tokens: number }
  /** True when the embedder did not respond and the search was by words only. */
  readonly isDegraded: boolean
}

/** Searches the memories about a person, and formats the results as a text for a prompt. */
export function retrieve(tenant: Tenant, request: RetrieveRequest): Promise<Retrieval> {
  return withMemorySpan('search_memory', async (note) => {
    const retrieval = await findMemories(tenant, request)
    note({ recordCount: retrieval.memories.length })
    return retrieval
  })
}

async function findMemories(tenant: Tenant, request: RetrieveRequest): Promise<Retrieval> {
  const { subject, query, limit = limits.memoriesPageDefault, categories, agentId, timeFilterDays, asOf } = request
  const position = await positionOf(tenant, asOf === undefined ? undefined : String(asOf))
  const where = parseReadFilter(tenant, request.filter)
  const filter = {
    ...(where === undefined ? {} : { where }),
    ...(categories === undefined ? {} : { categories }),
    ...(agentId == null ? {} : { agentId }),
    ...(timeFilterDays === undefined ? {} : { from: tenant.now() - timeFilterDays * dayMs }),
  }
  const access = await readAccess(tenant, request)
  const found = { memoryRef: refOf(subject), query, limit, filter, position, own: [], access }
  const { hits: all, isDegraded } = await findEntries(tenant, found)
  const hits = all.filter((hit) => isRelevant(hit, request.minRelevance))
  const entries = hits.map(({ entry }) => entry)
  const memories = (await toMemories(tenant, entries, position)).map((memory, at) => ({
    ...memory,
    relevance: hits[at]?.relevance ?? 0,
  }))
  const tokensMax = request.contextMaxTokens ?? limits.contextTokensDefault
  const context = toPromptContext(memories, request.format ?? 'bullets', tokensMax)
  return { retrievalId: tenant.system.newId('ret'), memories, context, isDegraded }
}
