import { isAccessible, type ReadAccess } from '../../core/entries/access.ts'
import type { OwnWrites } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { tooCostly } from '../../core/filter/parse-filter.ts'
import { limits } from '../../core/limits.ts'
import { aliasesInSteps, mayHaveAliases } from '../../core/search/aliases.ts'
import { candidatesOf } from '../../core/search/candidate.ts'
import { matchesFilter, type SearchFilter } from '../../core/search/filter.ts'
import { isDecidedByKeys } from '../../core/search/filter-keys.ts'
import { hasPhrase, hasTerm, indexedTerms, lookupTerms } from '../../core/search/indexed-terms.ts'
import { parseQuery, type SearchQuery } from '../../core/search/query.ts'
import { readThesaurus } from '../../core/search/query-expansion.ts'
import {
  explainScore,
  type RankedCandidate,
  type RankOptions,
  rankInSteps,
  type ScoreExplanation,
} from '../../core/search/rank.ts'
import { type Relevance, relevancesInSteps } from '../../core/search/relevance.ts'
import { spellingStarts, withSpellings } from '../../core/search/spelling.ts'
import type { FoundCandidates, FoundRow, NeighbourVersion } from '../../ports/search-store.ts'
import { createTimeSlice, pause, runInSlices, yieldToEventLoop } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { toSearchRows, withNeighbours, withoutNeighbours } from './find-neighbours.ts'
import { nearEntries } from './near-entries.ts'

export type SearchHit = ScoreExplanation & Relevance & { readonly entry: EntryVersion }

export type EntrySearch = {
  readonly memoryRef: string
  readonly query: string
  /** Everything is read as of this position. */
  readonly position: number
  readonly own: readonly OwnWrites[]
  readonly access: ReadAccess
  readonly filter: SearchFilter
  readonly limit: number
  readonly rank?: Pick<RankOptions, 'recency'>
  /** By words only, even if the host has an embedder. */
  readonly isLexical?: boolean
}

/** `isDegraded`: the host has an embedder, and it did not answer. */
export type EntryHits = {
  readonly query: SearchQuery
  readonly hits: readonly SearchHit[]
  readonly isDegraded: boolean
}

/**
 * The entries of a ref that match a query, best first, as of a position. The result depends on this ref only: other refs and
 * later writes do not change it.
 */
export async function findEntries(tenant: Tenant, search: EntrySearch): Promise<EntryHits> {
  const slice = createTimeSlice()
  for (const _step of readThesaurus()) await slice()
  const parsed = parseQuery(search.query)
  await slice()
  const looked = lookupTerms(parsed)
  if (looked.terms.length === 0) return { query: parsed, hits: [], isDegraded: false }
  const now = tenant.expiryNow()
  const [first, own, near] = await Promise.all([
    findStored(tenant, search, looked, now),
    ownRows(tenant, search, now),
    nearEntries(tenant, search, now),
  ])
  const query = await otherwiseNamed(tenant, search, parsed, [...own, ...first.rows], now)
  const { terms, phrases } = query === parsed ? looked : lookupTerms(query)
  const found = query === parsed ? first : await findStored(tenant, search, { terms, phrases }, now)
  const searched = { ...query, terms }
  const isOwn = new Set(own.map(({ version }) => version.entryId))
  const ownMatches = own.filter((row) => terms.some((term) => hasTerm(row.terms, term)))
  const byWords = new Set(found.rows.map(({ version }) => version.entryId))
  const byMeaning = near.rows.filter(({ version }) => !byWords.has(version.entryId))
  const stored = [...byMeaning, ...found.rows].filter(({ version }) => !isOwn.has(version.entryId))
  const surroundedMax = byMeaning.length + limits.searchSurroundedMax
  // The run's own version of an entry comes first. The stored version of it is used only as a neighbour of other hits.
  const segments = [
    ...ownMatches.map(withoutNeighbours),
    ...(await withNeighbours(tenant, search, stored, surroundedMax, now)),
  ]
  const statistics = {
    entries: found.entries + own.length,
    frequency: new Map(
      terms.map((term, at) => {
        const ownCount = own.filter((row) => hasTerm(row.terms, term)).length
        return [term.stem, (found.frequencies[at] ?? 0) + ownCount]
      }),
    ),
  }
  const { segments: rows, versions } = await toSearchRows(segments, createTimeSlice(limits.workSliceMs))
  const similarities = await near.similaritiesOf?.([...versions.values()])
  const options = { ...search.rank, ...(similarities === undefined ? {} : { similarities }) }
  const ranked = await runInSlices(rankInSteps(searched, statistics, candidatesOf(rows), options))
  const matchingOwn = new Set(ownMatches.map(({ version }) => version.entryId))
  const matchOf = (scored: RankedCandidate) => {
    const { id, terms: words } = scored.candidate.row
    const version = versions.get(id)
    // If the run's own version does not match, the entry does not match.
    const isHidden = version === undefined || (isOwn.has(id) && !matchingOwn.has(id))
    return !isHidden && phrases.every((phrase) => hasPhrase(words, phrase)) ? { version, scored } : null
  }
  // The store has compared its rows with the whole filter, but not the run's own.
  const compared = search.filter.where === undefined ? [...ownMatches, ...stored] : stored
  const known = compared.map(({ version }) => version)
  const matches = await takeMatching(tenant, search, ranked, matchOf, known)
  if (found.isCutShort && matches.length < search.limit) refuseCutFilter(search)
  const scores = matches.map(({ scored }) => scored)
  const relevances = await runInSlices(relevancesInSteps(searched, statistics, scores))
  const hits: SearchHit[] = []
  const explaining = createTimeSlice(limits.workSliceMs)
  for (const [at, { entry, scored }] of matches.entries()) {
    const turn = explaining()
    if (turn !== undefined) await turn
    hits.push({ entry, ...explainScore(searched, scored, options), ...(relevances[at] as Relevance) })
  }
  return { query, hits, isDegraded: near.isDegraded }
}

/**
 * The query with what the first lookup says about its words: another name of a name in it, whose entries are looked up too. If no entry has any of
 * its words, the words that entries have instead, as far as they are spelled nearly alike.
 */
async function otherwiseNamed(
  tenant: Tenant,
  search: EntrySearch,
  parsed: SearchQuery,
  rows: readonly FoundRow[],
  now: number,
): Promise<SearchQuery> {
  if (rows.length > 0) return runInSlices(aliasesInSteps(parsed, textsWithAliases(rows)))
  const starts = parsed.phrases.length === 0 ? spellingStarts(parsed) : []
  if (starts.length === 0) return parsed
  const alike = await findStored(tenant, search, { terms: starts, phrases: [] }, now)
  return withSpellings(parsed, alike.rows)
}

function textsWithAliases(rows: readonly FoundRow[]): string[] {
  const texts = rows.map(({ version }) => version.content)
  return texts.filter((text) => text.length <= limits.aliasTextCharactersMax && mayHaveAliases(text))
}

/** Without a filter that has to be compared row by row, rows that were not examined are the least likely ones. */
function refuseCutFilter({ memoryRef, filter: { where } }: EntrySearch): void {
  const max = limits.filterSearchRowsMax
  if (where === undefined || isDecidedByKeys(where, memoryRef)) return
  throw tooCostly('filter', `matches too few of the ${max} best entries for this query`, 'filterSearchRowsMax', max)
}

function examinedMaxOf({ where }: SearchFilter, memoryRef: string): number {
  return where === undefined || isDecidedByKeys(where, memoryRef)
    ? limits.searchExaminedMax
    : limits.filterSearchRowsMax
}

async function findStored(
  tenant: Tenant,
  { memoryRef, position, access, filter }: EntrySearch,
  lookUp: ReturnType<typeof lookupTerms>,
  now: number,
): Promise<FoundCandidates> {
  const { search } = tenant.storage
  let unindexedMax: number | null = limits.searchUnindexedRowsMax
  for (let attempt = 1; attempt <= limits.searchAttemptsMax; attempt++) {
    const found = await search.find({
      tenantId: tenant.id,
      memoryRef,
      position,
      now,
      access,
      ...lookUp,
      filter,
      postingsMax: limits.searchPostingsMax,
      examinedMax: examinedMaxOf(filter, memoryRef),
      foundMax: limits.searchFoundMax,
      unindexedMax,
    })
    if (found !== null) {
      if (found.unindexed >= limits.searchScannedRows) {
        tenant.engine.indexer.noteUnindexedScan(tenant.id, memoryRef, found.unindexed)
        // Lets the indexer start, even if the caller searches in a tight loop.
        await yieldToEventLoop()
      }
      return found
    }
    const done = await search.index(tenant.id, memoryRef, limits.searchIndexRowsMax).catch((error: unknown) => {
      if (unindexedMax === null || !cannotBeWritten(error)) throw error
      return null
    })
    // What is indexed is better than no answer. The readiness probe says that there is no room.
    if (done === null) unindexedMax = null
    // Another process is indexing this ref.
    else if (done === 0) await pause(limits.searchRetryMs)
    else await yieldToEventLoop()
  }
  throw new ColophonError('storage_busy', 'The search index of this ref has too many unindexed rows. Retry.')
}

function cannotBeWritten(error: unknown): boolean {
  return isColophonError(error) && (error.code === 'storage_full' || error.code === 'storage_read_only')
}

/** The newest versions that the run wrote itself, read with a view of its own writes only. */
async function ownRows(tenant: Tenant, { memoryRef, own, access }: EntrySearch, now: number): Promise<FoundRow[]> {
  if (own.length === 0) return []
  const rows: FoundRow[] = []
  const slice = createTimeSlice()
  const view = { position: 0, own, access }
  const limit = limits.pageEntriesMax
  for (let before: EntryVersion | null = null; ; ) {
    const page = await tenant.storage.list({ tenantId: tenant.id, memoryRef, tag: null, view, now, before, limit })
    for (const version of page.versions) {
      await slice()
      rows.push({ version, terms: indexedTerms(version.content) })
    }
    before = page.versions.at(-1) ?? null
    if (before === null || page.versions.length < limit) return rows
  }
}

type MatchQuery = {
  readonly memoryRef: string
  readonly position: number
  readonly access: ReadAccess
  readonly filter: SearchFilter
  readonly limit: number
}

/** Versions that are read together at least, so that a search for one entry needs few queries. */
const readTogetherMin = 50

type Match = { readonly version: NeighbourVersion; readonly scored: RankedCandidate }

/**
 * The first `limit` candidates that match and fit the filter. Neighbours of hits were read without the members that the filter needs, so
 * their full versions are read here, best first, until there are enough. Candidates are compared one by one, because mostly the first few are enough. Not by a
 * generator function inside the search: the engine makes a hidden class for each, and that keeps all candidates until the next full garbage collection.
 */
async function takeMatching(
  tenant: Tenant,
  { memoryRef, position, access, filter, limit }: MatchQuery,
  ranked: readonly RankedCandidate[],
  matchOf: (scored: RankedCandidate) => Match | null,
  known: readonly EntryVersion[],
): Promise<(Match & { readonly entry: EntryVersion })[]> {
  const entries = new Map(known.map((version) => [version.entryId, version]))
  const matching: (Match & { readonly entry: EntryVersion })[] = []
  const batch = Math.max(limit, readTogetherMin)
  for (let next = 0; matching.length < limit && next < ranked.length; ) {
    const page: Match[] = []
    for (; page.length < batch && next < ranked.length; next++) {
      const match = matchOf(ranked[next] as RankedCandidate)
      if (match !== null) page.push(match)
    }
    const keys = page.flatMap(({ version: { entryId, version } }) =>
      entries.has(entryId) ? [] : [{ memoryRef, entryId, version }],
    )
    for (const version of keys.length > 0 ? await tenant.storage.versions(tenant.id, keys, filter.where, position) : [])
      entries.set(version.entryId, version)
    for (const each of page) {
      const entry = entries.get(each.version.entryId)
      const isWanted = entry && isAccessible(entry, access) && matchesFilter(entry, filter)
      if (isWanted && matching.length < limit) matching.push({ ...each, entry })
    }
  }
  return matching
}
