import type { Database, Statement } from 'better-sqlite3'
import { isReadableBy } from '../../core/entries/access.ts'
import type { Place } from '../../core/entries/entry.ts'
import type { PostingList } from '../../core/search/candidate-rows.ts'
import type { IndexFilter } from '../../core/search/index-filter.ts'
import { scopedFilterKey, scopedTermKey } from '../../core/search/indexed-terms.ts'
import type { QueryTerm } from '../../core/search/query.ts'
import type { FindQuery, FoundCandidates, FoundRow, SearchStore, UnindexedRef } from '../../ports/search-store.ts'
import { createNeighbourReader, type NeighbourVersionRow, toFoundRow } from '../sql/search-rows.ts'
import {
  createVersionSet,
  examinePlan,
  readAround,
  type SearchedScope,
  takeWaiting,
  toPlan,
  upTo,
} from '../sql/search-steps.ts'
import type { VersionRow } from '../sql/version-rows.ts'
import { accessValues } from './access.ts'
import { createStatementCache, filterSql } from './filter.ts'
import type { PostingCache, ReadRows } from './posting-cache.ts'
import { filteredRow, filteredUnindexed, prepareSearch } from './search-statements.ts'
import { rowIdOf, type ScopeRow } from './search-table.ts'

/** Refs that are looked at in one piece of work, in the search for those with unindexed rows. */
const scopesTogether = 1_000

type PlaceRow = { row_id: number; recorded_position: number }
type UnindexedScope = ScopeRow & Pick<UnindexedRef, 'tenantId' | 'memoryRef'>

/** The rows of a scope at a position. Numbers are those in the scope. */
type RowsAt = {
  /** No row after this number was recorded by then. */
  readonly newest: number
  /** Rows up to that number that were recorded later nevertheless. */
  readonly later: ReadonlySet<number>
  /** Rows that the reader cannot see: they count as if they were not there. */
  readonly hidden: ReadonlySet<number>
}

const noRow: ReadonlySet<number> = new Set()

/** Looks entries up by their terms. Every statement is bounded, because SQLite works on the caller's thread. */
export function createSearchStore(
  db: Database,
  cache: PostingCache,
  index: SearchStore['index'],
  answer: <T>(work: () => T) => Promise<T>,
): SearchStore {
  const sql = prepareSearch(db)
  const prepared = createStatementCache(db)

  function rowsAt(scope: ScopeRow, { tenantId, memoryRef, position, access }: FindQuery): RowsAt {
    const { reader } = access
    const ids = reader === null ? [] : (sql.hidden.all({ tenantId, memoryRef, position, reader }) as number[])
    const hidden = ids.length === 0 ? noRow : new Set(ids.map((id) => id - rowIdOf(scope, 0)))
    return { ...recordedBy(scope, position), hidden }
  }

  function recordedBy(scope: ScopeRow, position: number): Omit<RowsAt, 'hidden'> {
    if (position >= scope.highest_position) return { newest: scope.newest, later: noRow }
    if (position >= scope.unordered_to) return { newest: newestAt(scope, position), later: noRow }
    // Only an import makes this necessary.
    const ids = sql.recordedLater.all(rowIdOf(scope, 0), rowIdOf(scope, scope.newest), position) as number[]
    return { newest: scope.newest, later: new Set(ids.map((id) => id - rowIdOf(scope, 0))) }
  }

  /** Numbers rise with positions, so halving finds it. */
  function newestAt(scope: ScopeRow, position: number): number {
    let low = 0
    let high = scope.newest
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const row = sql.rowAtOrBefore.get(rowIdOf(scope, middle), rowIdOf(scope, 0)) as PlaceRow | undefined
      if (row === undefined || row.recorded_position <= position) low = middle
      else high = row.row_id - rowIdOf(scope, 0) - 1
    }
    return low
  }

  /** The rows that are not indexed yet; null when there are too many to go through. */
  function readUnindexed(scope: ScopeRow, { newest, hidden }: RowsAt, query: FindQuery): FoundRow[] | null {
    const { tenantId, memoryRef, position, unindexedMax } = query
    if (unindexedMax === null) return []
    const [after, upTo] = [rowIdOf(scope, scope.indexed), rowIdOf(scope, newest)]
    const rows = sql.unindexedRows.iterate({ tenantId, memoryRef, position, after, upTo, limit: unindexedMax + 1 })
    const found = takeWaiting(rows as IterableIterator<VersionRow>, unindexedMax)?.map(toFoundRow) ?? null
    const { reader } = query.access
    return hidden.size === 0 ? found : (found?.filter(({ version }) => isReadableBy(version.readers, reader)) ?? null)
  }

  function postings(
    scope: ScopeRow,
    { newest, later, hidden }: RowsAt,
    term: QueryTerm,
    limit: number,
    narrowing: IndexFilter | null,
    cached: PostingCache | null,
  ): PostingList {
    if (narrowing?.marks.some((any) => any.length === 0)) return { rows: [], isCut: false }
    const base = rowIdOf(scope, 0)
    const match = toMatch(String(scope.scope_id), term, narrowing)
    const read: ReadRows = (range) =>
      sql.postings.all({
        base,
        match,
        after: base + range.after,
        upTo: base + range.upTo,
        limit: range.limit,
      }) as number[]
    const unseen = later.size + hidden.size
    if (unseen === 0 && cached !== null) return cached.list(scope.scope_id, match, newest, limit, read)
    const rows = read({ after: 0, upTo: newest, limit: limit + 1 + unseen })
    const seen = unseen === 0 ? rows : rows.filter((nth) => !later.has(nth) && !hidden.has(nth))
    return { rows: Uint32Array.from(seen).subarray(0, limit), isCut: seen.length > limit }
  }

  /** How many indexed rows were recorded by then and may be seen. */
  function countIndexed(scope: ScopeRow, { newest, later, hidden }: RowsAt): number {
    const seen = scope.row_count - upTo(hidden, Math.min(newest, scope.indexed)).size
    if (newest < scope.indexed)
      return seen - (sql.countRows.get(rowIdOf(scope, newest), rowIdOf(scope, scope.indexed)) as number)
    return seen - [...later].filter((nth) => nth <= scope.indexed).length
  }

  const find = db.transaction((query: FindQuery): FoundCandidates | null => {
    const { tenantId, memoryRef } = query
    const scope = sql.scope.get(tenantId, memoryRef) as ScopeRow | undefined
    if (scope === undefined)
      return { entries: 0, frequencies: query.terms.map(() => 0), rows: [], isCutShort: false, unindexed: 0 }
    const at = rowsAt(scope, query)
    const waiting = readUnindexed(scope, at, query)
    if (waiting === null) return null
    const indexed = { ...at, newest: Math.min(at.newest, scope.indexed) }
    const cached = cache.isUsable() ? cache : null
    const searched: SearchedScope = {
      indexed: { entries: countIndexed(scope, at), newest: indexed.newest, hidden: upTo(at.hidden, indexed.newest) },
      waiting,
      isWaitingMatch: matchingUnindexed(scope, at, query),
      postings: (term, limit, narrowing) => postings(scope, indexed, term, limit, narrowing, cached),
    }
    const plan = toPlan(query, searched)
    const read = readRow(query)
    const found = examinePlan(query, searched, plan, (nth) => {
      const row = read(rowIdOf(scope, nth))
      return row && toFoundRow(row)
    })
    return { ...plan.found, ...found }
  })

  /** Reads a row, unless it does not match the filter: then its text is not read. */
  function readRow({ tenantId, memoryRef, position, filter: { where } }: FindQuery) {
    if (where === undefined) return (rowId: number) => sql.row.get(rowId, tenantId, memoryRef) as VersionRow | undefined
    const { condition, values } = filterSql(where, position)
    const matching = prepared(filteredRow(condition))
    return (rowId: number) => matching.get({ rowId, tenantId, memoryRef, ...values }) as VersionRow | undefined
  }

  function matchingUnindexed(
    scope: ScopeRow,
    { newest }: RowsAt,
    { tenantId, memoryRef, position, filter }: FindQuery,
  ) {
    if (filter.where === undefined) return undefined
    const { condition, values } = filterSql(filter.where, position)
    const range = { after: rowIdOf(scope, scope.indexed), upTo: rowIdOf(scope, newest) }
    const rows = prepared(filteredUnindexed(condition)).all({ tenantId, memoryRef, ...range, ...values })
    return createVersionSet(rows as { entryId: string; version: number }[])
  }

  /** In one transaction: otherwise each of some hundred small reads would lock the database for itself. */
  const around = db.transaction((query: Parameters<SearchStore['around']>[0]) => {
    const { tenantId, memoryRef, position, now, access, places, reach } = query
    const bounds = { tenantId, memoryRef, position, now, ...accessValues(access) }
    const toNeighbour = createNeighbourReader()
    const beside = (rows: Statement, { createdPosition, ordinal }: Place, limit: number) =>
      (rows.all({ ...bounds, createdPosition, ordinal, limit }) as NeighbourVersionRow[]).map(toNeighbour)
    return readAround(
      places,
      reach,
      (place, limit) => beside(sql.older, place, limit),
      (place, limit) => beside(sql.newer, place, limit),
    )
  })

  function countUnindexed(scope: UnindexedScope, rowsMax: number): UnindexedRef {
    const { tenantId, memoryRef, indexed, newest } = scope
    const rows = sql.countUnindexed.get(rowIdOf(scope, indexed), rowIdOf(scope, newest), rowsMax) as number
    return { tenantId, memoryRef, rows }
  }

  return {
    find: (query) => answer(() => find(query)),
    around: (query) => answer(() => around(query)),
    index,
    async unindexed({ after, rowsMax, limit }) {
      const found: UnindexedRef[] = []
      let from = after ?? { tenantId: '', memoryRef: '' }
      for (;;) {
        const page = await answer(() => {
          const scopes = sql.scopesAfter.all(from.tenantId, from.tenantId, from.memoryRef, scopesTogether)
          for (const scope of scopes as UnindexedScope[]) {
            if (scope.indexed === scope.newest) continue
            const counted = countUnindexed(scope, rowsMax)
            if (counted.rows > 0 && found.push(counted) === limit) return []
          }
          return scopes as UnindexedScope[]
        })
        const last = page.at(-1)
        if (last === undefined) return found
        from = last
        await new Promise(setImmediate)
      }
    },
  }
}

/** Keys in quotes: no text of a client is read as query syntax. */
function toMatch(scope: string, { stem, prefix }: QueryTerm, narrowing: IndexFilter | null): string {
  const all = [`"${scopedTermKey(scope, stem)}"${prefix ? '*' : ''}`]
  for (const any of narrowing?.marks ?? [])
    all.push(`(${any.map((one) => `"${scopedFilterKey(scope, one)}"`).join(' OR ')})`)
  for (const term of narrowing?.terms ?? []) all.push(`"${scopedTermKey(scope, term)}"`)
  return all.join(' AND ')
}
