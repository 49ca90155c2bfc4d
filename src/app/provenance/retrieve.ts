import type { Trust } from '../../core/entries/trust.ts'
import type { FilterForm } from '../../core/filter/parse-filter.ts'
import { limits } from '../../core/limits.ts'
import type { Category } from '../../core/provenance/category.ts'
import { isRelevant, type MinRelevance } from '../../core/search/min-relevance.ts'
import { type ContextFormat, type ContextLeftOut, promptContextInSteps } from '../../core/search/prompt-context.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import { parseReadFilter } from '../entries/list-matching.ts'
import { readAccess } from '../entries/read-access.ts'
import { runInSlices } from '../event-loop.ts'
import { findEntries } from '../search/find-entries.ts'
import type { Tenant } from '../tenant.ts'
import { listAlwaysIncluded } from './always-include.ts'
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
  /** Only what matches the query, without the memories that are in every prompt. */
  readonly isMatchesOnly?: true
}

/** A memory of a retrieval. */
export type RetrievedMemory = Memory & {
  readonly relevance: number
  /** Why the text for a prompt does not contain it. Absent if it does. */
  readonly leftOut?: ContextLeftOut
}

/** The memories that match a query, and a text of them for a prompt. */
export type Retrieval = {
  readonly retrievalId: string
  /** What is in every prompt first, then the matches, best first. */
  readonly memories: readonly RetrievedMemory[]
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
  const [{ hits: all, isDegraded }, included] = await Promise.all([
    findEntries(tenant, found),
    request.isMatchesOnly ? [] : listAlwaysIncluded(tenant, found),
  ])
  const isIncluded = new Set(included.map(({ entryId }) => entryId))
  const hits = all.filter((hit) => isRelevant(hit, request.minRelevance) && !isIncluded.has(hit.entry.entryId))
  const relevances = new Map(all.map(({ entry, relevance }) => [entry.entryId, relevance]))
  const entries = [...included, ...hits.map(({ entry }) => entry)]
  const memories = await toMemories(tenant, entries, position)
  const tokensMax = request.contextMaxTokens ?? limits.contextTokensDefault
  const context = await runInSlices(promptContextInSteps(memories, request.format ?? 'bullets', tokensMax))
  const reasons = new Map(context.leftOut.map(({ id, reason }) => [id, reason]))
  const retrieved = memories.map((memory): RetrievedMemory => {
    const leftOut = reasons.get(memory.id)
    return { ...memory, relevance: relevances.get(memory.id) ?? 0, ...(leftOut === undefined ? {} : { leftOut }) }
  })
  return { retrievalId: tenant.system.newId('ret'), memories: retrieved, context, isDegraded }
}
