import type { EntryVersion } from '../../core/entry.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { candidatesOf, neighbourReach, type SearchRow } from '../../core/search/candidate.ts'
import { fits, type SearchFilter } from '../../core/search/filter.ts'
import { hasPhrase, hasTerm, indexedTerms, lookUpOf } from '../../core/search/indexed-terms.ts'
import { parseQuery, type SearchQuery } from '../../core/search/query.ts'
import { type Ranked, type RankOptions, rank } from '../../core/search/rank.ts'
import { speakerOf } from '../../core/search/speaker.ts'
import type { OwnWrites } from '../../core/view.ts'
import type { Found, FoundRow } from '../../ports/search-store.ts'
import type { Deps } from '../deps.ts'
import { type NearEntries, nearEntries } from './near-entries.ts'
import { pause, turn } from './turns.ts'

export type SearchHit = Omit<Ranked, 'candidate'> & { readonly entry: EntryVersion }

export type EntrySearch = {
  readonly tenantId: string
  readonly memoryRef: string
  readonly query: string
  /** A position that is fixed: everything is read as of it. */
  readonly position: number
  readonly own: readonly OwnWrites[]
  readonly filter: SearchFilter
  readonly limit: number
  readonly rank?: Pick<RankOptions, 'recency'>
  /** By words only, also where there is an embedder. */
  readonly isLexical?: boolean
}

export type EntryHits = {
  readonly query: SearchQuery
  readonly hits: readonly SearchHit[]
  readonly isDegraded: boolean
}

/** The entries of a ref that bear on a question, best first. What others hold, or write meanwhile, changes nothing of it. */
export async function findEntries(deps: Deps, search: EntrySearch): Promise<EntryHits> {
  const query = parseQuery(search.query)
  const { terms, phrases } = lookUpOf(query)
  if (terms.length === 0) return { query, hits: [], isDegraded: false }
  const asked = { ...query, terms }
  const now = deps.system.now()
  const [found, own, near] = await Promise.all([
    findStored(deps, search, { terms, phrases }, now),
    ownRows(deps, search, now),
    nearEntries(deps, search, now),
  ])
  const isMine = new Set(own.map(({ version }) => version.entryId))
  const mine = own.filter((row) => terms.some((term) => hasTerm(row.terms, term)))
  const stored = mergeRows(found.rows, near.rows).filter(({ version }) => !isMine.has(version.entryId))
  const stretches = [...(await withSurroundings(deps, search, stored, now)), ...mine.map((row) => [row])]
  const versions = new Map(stretches.flat().map(({ version }) => [version.entryId, version]))
  const statistics = {
    entries: found.entries + own.length,
    frequency: new Map(
      terms.map((term, at) => {
        const ownCount = own.filter((row) => hasTerm(row.terms, term)).length
        return [term.stem, (found.frequencies[at] ?? 0) + ownCount]
      }),
    ),
  }
  const candidates = candidatesOf(stretches.map((stretch) => stretch.map(toSearchRow)))
  const similarities = similaritiesOf(near, [...versions.values()])
  const hits = rank(asked, statistics, candidates, { ...search.rank, ...similarities }).flatMap(
    ({ candidate, ...ranked }): SearchHit[] => {
      const entry = versions.get(candidate.row.id)
      const isWanted = entry !== undefined && !isHidden(isMine, mine, entry) && fits(entry, search.filter)
      if (!isWanted || !phrases.every((phrase) => hasPhrase(candidate.row.terms, phrase))) return []
      return [{ entry, ...ranked }]
    },
  )
  return { query, hits: hits.slice(0, search.limit), isDegraded: near.isDegraded }
}

function mergeRows(byWords: readonly FoundRow[], byMeaning: readonly FoundRow[]): FoundRow[] {
  const known = new Set(byWords.map(({ version }) => version.entryId))
  return [...byWords, ...byMeaning.filter(({ version }) => !known.has(version.entryId))]
}

function similaritiesOf({ similarityOf }: NearEntries, versions: readonly EntryVersion[]): RankOptions {
  if (similarityOf === null) return {}
  const known = versions.flatMap((version) => {
    const similarity = similarityOf(version)
    return similarity === undefined ? [] : [[version.entryId, similarity] as const]
  })
  return { similarities: new Map(known) }
}

/** A run's own version stands for the entry, also where that version does not have the words. */
function isHidden(isMine: ReadonlySet<string>, mine: readonly FoundRow[], { entryId, version }: EntryVersion): boolean {
  return isMine.has(entryId) && !mine.some((row) => row.version.entryId === entryId && row.version.version === version)
}

async function findStored(
  deps: Deps,
  { tenantId, memoryRef, position, filter }: EntrySearch,
  looked: ReturnType<typeof lookUpOf>,
  now: number,
): Promise<Found> {
  const { search } = deps.storage
  for (let attempt = 1; attempt <= limits.searchAttemptsMax; attempt++) {
    const found = await search.find({
      tenantId,
      memoryRef,
      position,
      now,
      ...looked,
      filter,
      postingsMax: limits.searchPostingsMax,
      examinedMax: limits.searchExaminedMax,
      foundMax: limits.searchFoundMax,
      unindexedMax: limits.searchUnindexedRowsMax,
    })
    if (found !== null) {
      if (found.unindexed >= limits.searchUnindexedRows) {
        deps.indexer.note(tenantId, memoryRef, found.unindexed)
        // A caller that asks again and again without a pause would never let it begin.
        await turn()
      }
      return found
    }
    const done = await search.index(tenantId, memoryRef, limits.searchIndexRowsMax)
    // Somebody else is at it.
    if (done === 0) await pause(limits.searchRetryMs)
  }
  throw new ColophonError('storage_busy', 'The index of this ref is far behind. Try again.')
}

/** What the reading run wrote itself, in its newest form: a view of nothing but that. */
async function ownRows(deps: Deps, { tenantId, memoryRef, own }: EntrySearch, now: number): Promise<FoundRow[]> {
  if (own.length === 0) return []
  const rows: FoundRow[] = []
  const view = { position: 0, own }
  const limit = limits.pageEntriesMax
  for (let before: EntryVersion | null = null; ; ) {
    const page = await deps.storage.list({ tenantId, memoryRef, tag: null, view, now, before, limit })
    rows.push(...page.versions.map((version) => ({ version, terms: indexedTerms(version.content) })))
    before = page.versions.at(-1) ?? null
    if (before === null || page.versions.length < limit) return rows
  }
}

/** Each find with what was said around it in the same conversation. */
async function withSurroundings(
  deps: Deps,
  { tenantId, memoryRef, position }: EntrySearch,
  rows: readonly FoundRow[],
  now: number,
): Promise<FoundRow[][]> {
  const spoken = rows.filter(({ version }) => sessionOf(version) !== null)
  // Twice as far: what stands beside a find is ranked too, with what stands around it.
  const reach = 2 * neighbourReach
  const places = spoken.map(({ version }) => version)
  const around = await deps.storage.search.around({ tenantId, memoryRef, position, now, places, reach })
  const bySession = spoken.map((row, at) => sameSession(row, around[at] ?? []))
  return [...bySession, ...rows.filter(({ version }) => sessionOf(version) === null).map((row) => [row])]
}

/** The unbroken stretch of one conversation in which the row stands. */
function sameSession(row: FoundRow, around: readonly FoundRow[]): FoundRow[] {
  const session = sessionOf(row.version)
  const isOlder = ({ version }: FoundRow) =>
    version.createdPosition < row.version.createdPosition ||
    (version.createdPosition === row.version.createdPosition && version.ordinal < row.version.ordinal)
  const older = around.filter(isOlder)
  const newer = around.filter((other) => !isOlder(other))
  const isOther = ({ version }: FoundRow) => sessionOf(version) !== session
  const first = older.findLastIndex(isOther) + 1
  const last = newer.findIndex(isOther)
  return [...older.slice(first), row, ...newer.slice(0, last === -1 ? newer.length : last)]
}

/** The conversation that an entry comes from. */
function sessionOf({ classification }: EntryVersion): string | null {
  return classification?.sessionId ?? classification?.sourceEventId ?? null
}

function toSearchRow({ version, terms }: FoundRow): SearchRow {
  return {
    id: version.entryId,
    text: version.content,
    terms,
    speaker: speakerOf({ content: version.content }),
    observedAt: version.classification?.observedAt ?? version.createdAt,
    sessionId: sessionOf(version),
  }
}
