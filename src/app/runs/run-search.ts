import { checkCharacters, checkCount } from '../../core/check.ts'
import { type ClassedEntry, toClassedEntry } from '../../core/entries/entry.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { checkTrust, classOf, type Trust } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import { type EphemeralEntry, listEphemeral } from '../../core/run/ephemeral.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import { checkMinRelevance, isRelevant, type MinRelevance } from '../../core/search/min-relevance.ts'
import { searchTexts } from '../../core/search/search-texts.ts'
import { withinBudget } from '../../core/search/token-budget.ts'
import { findEntries } from '../search/find-entries.ts'
import { checkQuery, roundScore } from '../search/search-memory.ts'
import type { NodeListOptions, NodeSearchHit, NodeSearchOptions } from './node-type.ts'
import type { RunExecution } from './run-execution.ts'

type ParsedSearch = {
  readonly query: string
  readonly limit: number
  readonly tag?: string
  readonly tokenBudget?: number
  readonly trustMin?: Trust
  readonly minRelevance?: MinRelevance
}

/** A hit, with the part of it that is recorded. */
type RunHit = {
  readonly entry: ClassedEntry
  readonly trust: Trust
  readonly found: { readonly id: string; readonly version: number; readonly score: number }
  /** Who may read it. */
  readonly readers: Readers
}

/** Checks the options of a node's search. */
export function parseSearchOptions(query: string, options: NodeSearchOptions): ParsedSearch {
  const { limit, tag, tokenBudget, trustMin, minRelevance } = options
  checkQuery(query)
  if (limit !== undefined) checkCount('limit', limit, 0)
  if (tag !== undefined) checkCharacters('tag', tag, 'tagCharactersMax', limits.tagCharactersMax)
  if (tokenBudget !== undefined) checkCount('tokenBudget', tokenBudget, 1)
  if (trustMin !== undefined) checkTrust('trustMin', trustMin)
  if (minRelevance !== undefined) checkMinRelevance('minRelevance', minRelevance)
  return {
    query,
    limit: Math.min(limit || limits.searchResultsDefault, limits.searchResultsMax),
    ...(tag === undefined ? {} : { tag }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
    ...(trustMin === undefined ? {} : { trustMin }),
    ...(minRelevance === undefined ? {} : { minRelevance }),
  }
}

/** Searches at the view of the run: its snapshot and its own writes. */
export async function searchInRun(
  { tenant, progress }: RunExecution,
  memoryRef: string,
  { query, limit, tag, tokenBudget, trustMin, minRelevance }: ParsedSearch,
  ephemeral: readonly EphemeralEntry[] | null,
  now: number,
): Promise<readonly RunHit[]> {
  const hits = ephemeral
    ? searchTexts(query, listEphemeral(ephemeral, { tag: tag ?? null, limit: ephemeral.length, now }), limit).hits
    : await searchStored()
  const relevant = hits.filter((hit) => isRelevant(hit, minRelevance))
  const ranked = relevant.map(({ entry, score }): RunHit => {
    const isStored = 'entryId' in entry
    const shown = isStored ? toClassedEntry(entry) : entry
    const found = { id: shown.id, version: isStored ? entry.version : 1, score: roundScore(score) }
    return { entry: shown, trust: classOf(entry), found, readers: isStored ? entry.readers : null }
  })
  return withinBudget(ranked, ({ entry }) => entry.content, tokenBudget)

  async function searchStored() {
    const { position, own, access: usual } = progress.view
    const access = trustMin === undefined ? usual : { ...usual, trustMin }
    const filter = tag === undefined ? {} : { tag }
    const at = position ?? progress.base.snapshot.position
    return (await findEntries(tenant, { memoryRef, query, position: at, own, access, filter, limit })).hits
  }
}

/** The hits of a recorded search: the recorded scores with the recorded versions. */
export function toNodeHits(entries: readonly ClassedEntry[], call: MemoryCall): NodeSearchHit[] {
  const scores = new Map(call.entries.map(({ id, score }) => [id, score ?? 0]))
  return entries.map((entry) => ({ entry, score: scores.get(entry.id) ?? 0 }))
}

/** Checks the options of a node's list. */
export function parseListOptions({ limit = limits.pageEntriesDefault, tag, tokenBudget, trustMin }: NodeListOptions) {
  if (trustMin !== undefined) checkTrust('trustMin', trustMin)
  checkCount('limit', limit, 0)
  if (tag !== undefined) checkCharacters('tag', tag, 'tagCharactersMax', limits.tagCharactersMax)
  if (tokenBudget !== undefined) checkCount('tokenBudget', tokenBudget, 1)
  return {
    tag: tag ?? null,
    limit: Math.min(limit || limits.pageEntriesDefault, limits.pageEntriesMax),
    tokenBudget,
    trustMin,
  }
}
