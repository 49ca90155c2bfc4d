import { isReadableBy } from '../../core/entries/access.ts'
import { indexFilterOf } from '../../core/search/index-filter.ts'
import type { FindQuery, FoundCandidates, FoundRow, NeighbourRow, SearchStore } from '../../ports/search-store.ts'
import { createNeighbourReader, type NeighbourVersionRow, toFoundRow } from '../sql/search-rows.ts'
import {
  createVersionSet,
  examine,
  isCutShort,
  postingsMaxOf,
  type SearchedScope,
  takeWaiting,
  toFound,
  upTo,
} from '../sql/search-steps.ts'
import type { VersionRow } from '../sql/version-rows.ts'
import { accessValues } from './access.ts'
import { query, unnamedStatement } from './connection.ts'
import type { Database } from './database.ts'
import { isTransient, toStorageError } from './errors.ts'
import { filterSql } from './filter.ts'
import { newestRows } from './newest-rows.ts'
import { rowsByNumber, searchStatements as sql, unindexedMatches } from './search-statements.ts'
import { indexRows, keyRules, unindexedRefs } from './search-table.ts'

type AroundRow = NeighbourVersionRow & { place: number }
type NumberedRow = VersionRow & { nth: number }
type ScopeRow = {
  newest: number
  highest_position: number
  unordered_to: number
  indexed: number
  row_count: number
}

/** The rows of a ref at a position. */
type RowsAt = {
  /** No row after this number was recorded by then. */
  readonly newest: number
  /** Rows up to that number that were recorded later nevertheless. */
  readonly later: ReadonlySet<number>
  /** Rows that the reader cannot see: they count as if they were not there. */
  readonly hidden: ReadonlySet<number>
  /** How many indexed rows were recorded by then and may be seen. */
  readonly entries: number
}

/** Rows that are fetched at once: first a few more than are wanted, because most are visible. */
const examinedAtFirst = (foundMax: number) => Math.ceil(1.25 * foundMax)
const examinedPage = 500

/** Looks entries up by their terms. A position is fixed before, so the statements of one search see the same. */
export function createSearchStore(database: Database): SearchStore {
  async function rowsAt(scope: ScopeRow, asked: FindQuery): Promise<RowsAt> {
    const { tenantId, memoryRef, position, access } = asked
    const at = await recordedBy(scope, asked)
    if (access.reader === null) return { ...at, hidden: new Set() }
    const rows = await query<{ nth: number }>(database, sql.hidden, [tenantId, memoryRef, position, access.reader])
    const hidden = new Set(rows.map(({ nth }) => nth))
    return { ...at, hidden, entries: at.entries - upTo(hidden, Math.min(at.newest, scope.indexed)).size }
  }

  async function recordedBy(
    scope: ScopeRow,
    { tenantId, memoryRef, position }: FindQuery,
  ): Promise<Omit<RowsAt, 'hidden'>> {
    const { newest, highest_position, unordered_to, indexed, row_count } = scope
    if (position >= highest_position) return { newest, later: new Set(), entries: row_count }
    const values = [tenantId, memoryRef, position, newest]
    if (position >= unordered_to) {
      const [at] = await query<{ newest: number; since: number }>(database, sql.newestAt, [...values, indexed])
      return { newest: at?.newest ?? 0, later: new Set(), entries: row_count - (at?.since ?? 0) }
    }
    // Only an import makes this necessary.
    const rows = await query<{ nth: number }>(database, sql.recordedLater, values)
    const later = new Set(rows.map(({ nth }) => nth))
    return { newest, later, entries: row_count - rows.filter(({ nth }) => nth <= indexed).length }
  }

  async function find(asked: FindQuery): Promise<FoundCandidates | null> {
    const { tenantId, memoryRef, position, unindexedMax } = asked
    // The scope first: rows that are indexed from here on are not searched in the index, but as what they are now.
    const [scope] = await query<ScopeRow>(database, sql.scope, [tenantId, memoryRef, keyRules])
    if (scope === undefined)
      return { entries: 0, frequencies: asked.terms.map(() => 0), rows: [], isCutShort: false, unindexed: 0 }
    const at = await rowsAt(scope, asked)
    const newest = Math.min(at.newest, scope.indexed)
    const wanted = asked.terms.map((term) => ({
      term,
      max: postingsMaxOf(asked, term) + 1 + at.later.size + at.hidden.size,
    }))
    const [rows, isWaitingMatch, lists] = await Promise.all([
      at.newest === newest || unindexedMax === null
        ? []
        : query<VersionRow>(database, sql.unindexed, [
            tenantId,
            memoryRef,
            position,
            newest,
            at.newest,
            unindexedMax + 1,
          ]),
      matchingUnindexed(asked, newest, at.newest),
      newest === 0 ? [] : newestRows(database, { tenantId, memoryRef, newest }, wanted, indexFilterOf(asked)),
    ])
    const taken = unindexedMax === null ? [] : takeWaiting(rows, unindexedMax)
    if (taken === null || lists === null) return null
    const searched: SearchedScope = {
      indexed: { entries: at.entries, newest, hidden: upTo(at.hidden, newest) },
      waiting: taken.map(toFoundRow).filter(({ version }) => isReadableBy(version.readers, asked.access.reader)),
      isWaitingMatch,
      postings: (term, limit, within) => {
        const list = lists[asked.terms.indexOf(term)]
        const all = (within === null ? list?.rows : list?.narrowed) ?? []
        const isLeftOut = (nth: number) => at.later.has(nth) || at.hidden.has(nth)
        const rows = at.later.size + at.hidden.size === 0 ? all : all.filter((nth) => !isLeftOut(nth))
        return { rows: rows.slice(0, limit), isCut: rows.length > limit }
      },
    }
    const { order, found } = toFound(asked, searched)
    const fetched = new Map<number, FoundRow>()
    const chosen: FoundRow[] = []
    let size = examinedAtFirst(asked.foundMax)
    for (let from = 0; from < order.length && chosen.length < asked.foundMax; from += size, size = examinedPage) {
      const page = order.slice(from, from + size)
      const wanted = page.filter((nth) => nth <= newest)
      if (wanted.length > 0) {
        const rows = await readRows(asked, wanted)
        for (const row of rows) fetched.set(row.nth, toFoundRow(row))
      }
      const left = { ...asked, foundMax: asked.foundMax - chosen.length }
      chosen.push(...examine(left, searched, page, (nth) => fetched.get(nth)))
    }
    return { ...found, rows: chosen, isCutShort: isCutShort(asked, order, chosen) }
  }

  /** Rows by number. Those that do not match the filter stay in the database. */
  function readRows({ tenantId, memoryRef, position, filter: { where } }: FindQuery, nths: readonly number[]) {
    const values = [tenantId, memoryRef, nths]
    if (where === undefined) return query<NumberedRow>(database, sql.rows, values)
    const { condition, values: ofFilter } = filterSql(where, values.length, position)
    return query<NumberedRow>(database, unnamedStatement(rowsByNumber(`and ${condition}`)), [...values, ...ofFilter])
  }

  async function matchingUnindexed(
    { tenantId, memoryRef, position, filter: { where } }: FindQuery,
    after: number,
    upTo: number,
  ) {
    if (where === undefined || after === upTo) return undefined
    const values = [tenantId, memoryRef, after, upTo]
    const { condition, values: ofFilter } = filterSql(where, values.length, position)
    const matching = unnamedStatement(unindexedMatches(condition))
    return createVersionSet(
      await query<{ entryId: string; version: number }>(database, matching, [...values, ...ofFilter]),
    )
  }

  async function around(asked: Parameters<SearchStore['around']>[0]): Promise<NeighbourRow[][]> {
    const { tenantId, memoryRef, position, now, access, places, reach } = asked
    if (places.length === 0) return []
    const rows = await query<AroundRow>(database, sql.around, [
      tenantId,
      memoryRef,
      position,
      now,
      places.map(({ createdPosition }) => createdPosition),
      places.map(({ ordinal }) => ordinal),
      reach,
      ...accessValues(access),
    ])
    const surroundings: NeighbourRow[][] = places.map(() => [])
    const toNeighbour = createNeighbourReader()
    for (const row of rows) surroundings[row.place - 1]?.push(toNeighbour(row))
    return surroundings
  }

  return {
    find,
    around,
    async index(tenantId, memoryRef, rowsMax) {
      try {
        return await indexRows(database, tenantId, memoryRef, rowsMax)
      } catch (error) {
        // Another process indexed the same rows: the next call does the rest.
        if (isTransient(error)) return 0
        throw toStorageError(error)
      }
    },
    unindexed: (asked) => unindexedRefs(database, asked),
  }
}
