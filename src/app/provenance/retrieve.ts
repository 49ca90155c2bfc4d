import { limits } from '../../core/limits.ts'
import type { Category } from '../../core/provenance/category.ts'
import { type ContextFormat, toContext } from '../../core/search/context-text.ts'
import { findEntries } from '../search/find-entries.ts'
import { rounded } from '../search/search.ts'
import type { Tenant } from '../tenant.ts'
import { positionOf, refOf } from './memories.ts'
import { type Memory, toMemories } from './memory.ts'

const dayMs = 24 * 60 * 60 * 1_000
/** The score that is shown as 0.5. */
const halfRelevance = 5

export type RetrieveRequest = {
  readonly subject: string
  readonly query: string
  readonly limit?: number
  readonly categories?: readonly Category[]
  readonly agentId?: string | null
  /** Only what was written in the last so many days. */
  readonly timeFilterDays?: number
  readonly format?: ContextFormat
  readonly contextMaxTokens?: number | null
  /** A position or an instant. */
  readonly asOf?: string | number
}

export type Retrieval = {
  readonly retrievalId: string
  /** Best first. */
  readonly memories: readonly (Memory & { readonly relevance: number })[]
  /** The memories as a text for a prompt. */
  readonly context: { readonly text: string; readonly tokens: number }
  /** The embedder did not answer: found by words only. */
  readonly isDegraded: boolean
}

/** What is known about a person that bears on a question, and a text of it for a prompt. */
export async function retrieve(tenant: Tenant, request: RetrieveRequest): Promise<Retrieval> {
  const { subject, query, limit = limits.memoriesPageDefault, categories, agentId, timeFilterDays, asOf } = request
  const position = await positionOf(tenant, asOf === undefined ? undefined : String(asOf))
  const filter = {
    ...(categories === undefined ? {} : { categories }),
    ...(agentId == null ? {} : { agentId }),
    ...(timeFilterDays === undefined ? {} : { from: tenant.now() - timeFilterDays * dayMs }),
  }
  const found = { memoryRef: refOf(subject), query, limit, filter, position, own: [] }
  const { hits, isDegraded } = await findEntries(tenant, found)
  const entries = hits.map(({ entry }) => entry)
  const memories = (await toMemories(tenant, entries, position)).map((memory, at) => ({
    ...memory,
    relevance: toRelevance(hits[at]?.score ?? 0),
  }))
  const tokensMax = request.contextMaxTokens ?? limits.contextTokensDefault
  const context = toContext(memories, request.format ?? 'bullets', tokensMax)
  return { retrievalId: tenant.system.newId('ret'), memories, context, isDegraded }
}

/** Between 0 and 1: a sum of weights says nothing by itself. */
function toRelevance(score: number): number {
  return score <= 0 ? 0 : rounded(score / (score + halfRelevance))
}
