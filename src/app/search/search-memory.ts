import { checkCharacters, checkCount, checkKnownKeys, checkLookup, parseInstant } from '../../core/check.ts'
import { type MemoryEntry, toMemoryEntry, withoutClass } from '../../core/entries/entry.ts'
import { classOf, type Trust } from '../../core/entries/trust.ts'
import { invalid } from '../../core/errors.ts'
import { allOf, statedBy } from '../../core/filter/filter.ts'
import type { FilterForm } from '../../core/filter/parse-filter.ts'
import { limits } from '../../core/limits.ts'
import { isMemoryRef, isPrivateRef } from '../../core/names.ts'
import { checkCategory } from '../../core/provenance/category.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import type { SearchFilter } from '../../core/search/filter.ts'
import { type LeftOut, leftOutOf } from '../../core/search/left-out.ts'
import { checkMinRelevance, isRelevant, type MinRelevance } from '../../core/search/min-relevance.ts'
import { searchTexts } from '../../core/search/search-texts.ts'
import { type Snippet, snippetOf } from '../../core/search/snippet.ts'
import { withinBudget } from '../../core/search/token-budget.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import { parseReadFilter } from '../entries/list-matching.ts'
import { asOfView, type ReadOptions, snapshot } from '../entries/read.ts'
import { forReader, type ReadAccessOptions, readAccess } from '../entries/read-access.ts'
import { createTimeSlice } from '../event-loop.ts'
import { withSpelledSubject } from '../people/stored-spellings.ts'
import { readEphemeral } from '../runs/run-snapshot.ts'
import type { Tenant } from '../tenant.ts'
import { findEntries } from './find-entries.ts'

/** Filters, limits and extras of a search. */
export type SearchOptions = ReadOptions &
  ReadAccessOptions & {
    readonly limit?: number | undefined
    readonly tag?: string | undefined
    readonly category?: string | undefined
    /** The service that stated it. */
    readonly writer?: string | undefined
    readonly subject?: string | undefined
    /** Created at or after this instant. */
    readonly from?: string | undefined
    /** Created before this instant. */
    readonly to?: string | undefined
    /** More conditions, with operators: `{ or: [{ tag: 'drink' }, { confidence: { gte: 0.8 } }] }`. See docs/guides/filters.md. */
    readonly filter?: FilterForm | undefined
    /** The largest number of tokens of all contents together. An entry that alone has more is left out. */
    readonly tokenBudget?: number | undefined
    /** `lexical` searches by words only. Otherwise the search is also semantic, if the host has an embedder. */
    readonly mode?: string | undefined
    /** Leaves out entries of a lower relevance; `auto` those that probably do not bear on the query. */
    readonly minRelevance?: MinRelevance | undefined
    /** Newer entries rank a little higher. */
    readonly recency?: boolean | undefined
    readonly explain?: boolean | undefined
    readonly highlights?: boolean | undefined
  }

/** An entry that matches the query, with its score and the requested extras. */
export type SearchResult = {
  readonly entry: MemoryEntry
  readonly score: number
  /** The estimated probability, from 0 to 1, that the entry bears on the query. */
  readonly relevance: number
  readonly trust: Trust
  /** Who inside the tenant may read the entry; absent for everyone. */
  readonly readers?: readonly string[]
  /** The parts of the score, by name; the score is their sum. */
  readonly parts?: Readonly<Record<string, number>>
  /** The terms of the query that the entry has. */
  readonly matched?: readonly string[]
  readonly snippet?: Snippet
}

/** `position`: everything was read as of it. `degraded`: the embedder did not answer, so the search was by words only. */
export type SearchResults = {
  readonly results: readonly SearchResult[]
  readonly position: number
  /** With `explain`: matches that are not among the results, and why. */
  readonly leftOut?: readonly LeftOut[]
  readonly degraded?: 'semantic'
}

const optionKeys = [
  'asOf',
  'run',
  'reader',
  'limit',
  'tag',
  'category',
  'writer',
  'subject',
  'from',
  'to',
  'filter',
  'tokenBudget',
  'mode',
  'minRelevance',
  'recency',
  'explain',
  'highlights',
  'trustMin',
] as const

const recencyHalfLifeMs = 30 * 24 * 60 * 60 * 1_000

/** The use case of `memory.search`: checks the options, then finds, ranks and cuts the results. Entries that match best come first. */
export function search(
  tenant: Tenant,
  memoryRef: string,
  text: string,
  options: SearchOptions = {},
): Promise<SearchResults> {
  return withMemorySpan('search_memory', async (note) => {
    const found = await findResults(tenant, memoryRef, text, options)
    note({ recordCount: found.results.length })
    return found
  })
}

async function findResults(
  handle: Tenant,
  memoryRef: string,
  text: string,
  options: SearchOptions,
): Promise<SearchResults> {
  checkKnownKeys('options', options, optionKeys)
  const tenant = forReader(handle, options.reader)
  checkQuery(text)
  const { filter: simple, limit, tokenBudget } = parseOptions(options)
  const where = allOf(
    parseReadFilter(tenant, options.filter),
    ...(options.writer === undefined ? [] : [statedBy([options.writer])]),
  )
  const filter = await withSpelledSubject(tenant, where === undefined ? simple : { ...simple, where })
  if (options.mode === 'semantic' && tenant.host.embeddings === null)
    throw invalid('mode', 'must be lexical: this host has no embedder')
  const view = await asOfView(tenant, options)
  const access = await readAccess(tenant, options, options.run?.trustMin)
  const position = view.position ?? (await snapshot(tenant)).position
  // A malformed ref and an unknown ref give the same result: none.
  if (!isMemoryRef(memoryRef) || isPrivateRef(memoryRef)) return { results: [], position }
  if (options.filter !== undefined && isEphemeralRef(memoryRef))
    throw invalid('filter', 'cannot be used with ephemeral memory. Use tag')
  // Ephemeral memory is written by runs only.
  if (options.writer !== undefined && isEphemeralRef(memoryRef)) return { results: [], position }
  const rank = options.recency ? { recency: { now: tenant.now(), halfLifeMs: recencyHalfLifeMs } } : {}
  const isLexical = options.mode === 'lexical'
  const query = { memoryRef, query: text, position, own: view.own, access, filter, limit, rank, isLexical }
  const found = isEphemeralRef(memoryRef)
    ? searchTexts(text, await readEphemeral(tenant, memoryRef, { tag: filter.tag }), limit)
    : await findEntries(tenant, query)
  const hits = found.hits.filter((hit) => isRelevant(hit, options.minRelevance))
  const slice = createTimeSlice(limits.workSliceMs)
  const results: SearchResult[] = []
  for (const { entry, score, relevance, parts, matched } of hits) {
    const isStored = 'entryId' in entry
    const shown = isStored ? toMemoryEntry(entry) : withoutClass(entry)
    const readers = isStored ? entry.readers : null
    await slice()
    results.push({
      entry: shown,
      score: roundScore(score),
      relevance,
      trust: classOf(entry),
      ...(readers === null ? {} : { readers }),
      ...(options.explain ? { parts: roundedParts(parts), matched } : {}),
      ...(options.highlights ? { snippet: snippetOf(found.query, shown.content) } : {}),
    })
  }
  const shown = withinBudget(results, ({ entry }) => entry.content, tokenBudget)
  const idOf = ({ entry, relevance }: (typeof found.hits)[number]) => {
    return { id: 'entryId' in entry ? entry.entryId : entry.id, relevance }
  }
  const explainLeftOut = async () => {
    const isAll = access.trustMin === 'untrusted' || isEphemeralRef(memoryRef)
    const all = isAll
      ? found.hits
      : (await findEntries(tenant, { ...query, access: { ...access, trustMin: 'untrusted' } })).hits
    const shownIds = shown.map(({ entry }) => ({ id: entry.id }))
    return leftOutOf({ all: all.map(idOf), trusted: found.hits.map(idOf), relevant: hits.map(idOf), shown: shownIds })
  }
  return {
    results: shown,
    position,
    ...(options.explain ? { leftOut: await explainLeftOut() } : {}),
    ...('isDegraded' in found && found.isDegraded ? { degraded: 'semantic' } : {}),
  }
}

/** Throws `validation_error` for a query that is no text or too long. */
export function checkQuery(text: unknown): asserts text is string {
  if (typeof text !== 'string') throw invalid('query', 'must be a text')
  if (text.length <= limits.queryCharactersMax) return
  throw invalid('query', `must have at most ${limits.queryCharactersMax} characters`, {
    limit: 'queryCharactersMax',
    max: limits.queryCharactersMax,
  })
}

function parseOptions(options: SearchOptions) {
  const { tag, category, writer, subject, from, to, limit = limits.searchResultsDefault, tokenBudget, mode } = options
  checkCount('limit', limit, 1)
  if (limit > limits.searchResultsMax)
    throw invalid('limit', `must be at most ${limits.searchResultsMax}`, {
      limit: 'searchResultsMax',
      max: limits.searchResultsMax,
    })
  if (tag !== undefined) checkCharacters('tag', tag, 'tagCharactersMax', limits.tagCharactersMax)
  if (category !== undefined) checkCategory('category', category)
  if (writer !== undefined) checkLookup('writer', writer, 'actorCharactersMax', limits.actorCharactersMax)
  if (subject !== undefined) checkLookup('subject', subject, 'subjectCharactersMax', limits.subjectCharactersMax)
  if (tokenBudget !== undefined) checkCount('tokenBudget', tokenBudget, 1)
  if (options.minRelevance !== undefined) checkMinRelevance('minRelevance', options.minRelevance)
  if (mode !== undefined && mode !== 'lexical' && mode !== 'semantic')
    throw invalid('mode', 'must be lexical or semantic')
  const filter: SearchFilter = {
    ...(tag === undefined ? {} : { tag }),
    ...(category === undefined ? {} : { categories: [category] }),
    ...(subject === undefined ? {} : { subject }),
    ...(from === undefined ? {} : { from: parseInstant('from', from) }),
    ...(to === undefined ? {} : { to: parseInstant('to', to) }),
  }
  return { filter, limit, tokenBudget }
}

function roundedParts(parts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, roundScore(part)]))
}

/** Rounds to six digits: enough to order results, and the same on every machine. */
export function roundScore(score: number): number {
  return Math.round(score * 1_000_000) / 1_000_000
}
