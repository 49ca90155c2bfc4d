import { indexFilterOf } from '../../core/search/index-filter.ts'
import { indexedTerms } from '../../core/search/indexed-terms.ts'
import type { FindQuery, FoundCandidates, FoundRow, NeighbourRow, SearchStore } from '../../ports/search-store.ts'
import { examine, postingsMaxOf, type SearchedScope, takeWaiting, toFound } from '../sql/search-steps.ts'
import {
  type NeighbourVersionRow,
  neighbourColumns,
  toNeighbourVersion,
  toVersion,
  type VersionRow,
  versionColumns,
} from '../sql/version-rows.ts'
import { accessible, accessValues } from './access.ts'
import { query, statement } from './connection.ts'
import type { Database } from './database.ts'
import { isTransient, toStorageError } from './errors.ts'
import { notFenced } from './fence.ts'
import { bothHalves } from './live-and-ended.ts'
import { newestRows } from './newest-rows.ts'
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
  /** How many indexed rows were recorded by then. */
  readonly entries: number
}

/** Rows that are fetched at once: first a few more than are wanted, because most are visible. */
const examinedAtFirst = (foundMax: number) => Math.ceil(1.25 * foundMax)
const examinedPage = 500

/** Looks entries up by their terms. A position is fixed before, so the statements of one search see the same. */
export function createSearchStore(database: Database): SearchStore {
  async function rowsAt(scope: ScopeRow, { tenantId, memoryRef, position }: FindQuery): Promise<RowsAt> {
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
    if (scope === undefined) return { entries: 0, frequencies: asked.terms.map(() => 0), rows: [], unindexed: 0 }
    const at = await rowsAt(scope, asked)
    const newest = Math.min(at.newest, scope.indexed)
    const wanted = asked.terms.map((term) => ({ term, max: postingsMaxOf(asked, term) + 1 + at.later.size }))
    const [rows, lists] = await Promise.all([
      at.newest === newest
        ? []
        : query<VersionRow>(database, sql.unindexed, [
            tenantId,
            memoryRef,
            position,
            newest,
            at.newest,
            unindexedMax + 1,
          ]),
      newest === 0 ? [] : newestRows(database, { tenantId, memoryRef, newest }, wanted, indexFilterOf(asked)),
    ])
    const taken = takeWaiting(rows, unindexedMax)
    if (taken === null || lists === null) return null
    const searched: SearchedScope = {
      indexed: { entries: at.entries, newest },
      waiting: taken.map(toFoundRow),
      postings: (term, limit, within) => {
        const list = lists[asked.terms.indexOf(term)]
        const all = (within === null ? list?.rows : list?.narrowed) ?? []
        const rows = at.later.size === 0 ? all : all.filter((nth) => !at.later.has(nth))
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
        const rows = await query<NumberedRow>(database, sql.rows, [tenantId, memoryRef, wanted])
        for (const row of rows) fetched.set(row.nth, toFoundRow(row))
      }
      const left = { ...asked, foundMax: asked.foundMax - chosen.length }
      chosen.push(...examine(left, searched, page, (nth) => fetched.get(nth)))
    }
    return { ...found, rows: chosen }
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
    for (const row of rows) surroundings[row.place - 1]?.push(toNeighbourRow(row))
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

/** Its terms are made when they are needed: most rows that are examined are not visible or do not pass the filter. */
function toFoundRow(row: VersionRow): FoundRow {
  let terms: readonly string[] | undefined
  return {
    version: toVersion(row),
    get terms() {
      terms ??= indexedTerms(row.content)
      return terms
    },
  }
}

function toNeighbourRow(row: AroundRow): NeighbourRow {
  return { version: toNeighbourVersion(row), terms: indexedTerms(row.content) }
}

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')
const neighbourOfV = neighbourColumns.replace(/\w+/g, 'v.$&')

const visibleAround = `v.recorded_position <= $3
             and (v.ended_position is null or v.ended_position > $3)
             and (v.expires_at is null or v.expires_at > $4)
             and ${notFenced('v')}
             and ${accessible('v', '$8', '$9')}`

const beside = (side: 'older' | 'newer') => {
  const order = side === 'older' ? 'v.created_position desc, v.ordinal desc' : 'v.created_position, v.ordinal'
  const half = (isOfHalf: string) => `
        select ${neighbourOfV}
          from entry_version v
         where v.tenant_id = $1
           and v.memory_ref = $2
           and ${isOfHalf}
           and (v.created_position, v.ordinal) ${side === 'older' ? '<' : '>'} (p.created_position, p.ordinal)
           and ${visibleAround}
         order by ${order}
         limit $7`
  return `
      (select * from (${bothHalves(half)}) v order by ${order} limit $7)`
}

/** By number: see the indexes of `entry_version`. */
const ofRef = `v.tenant_id = $1
        and v.memory_ref = $2
        and v.nth > 0`

const sql = {
  scope: statement(
    'search_scope',
    `select s.newest, s.highest_position, s.unordered_to,
            coalesce(p.indexed, 0) as indexed, coalesce(p.row_count, 0) as row_count
       from search_scope s
       left join search_progress p
         on p.tenant_id = $1
        and p.memory_ref = $2
        and p.rules >= $3
      where s.tenant_id = $1
        and s.memory_ref = $2`,
  ),
  // Numbers rise with positions, so halving finds the newest one.
  newestAt: statement(
    'search_newest_at',
    `with recursive search (low, high) as (
       select 0::bigint, $4::bigint
        union all
       select case when later.nth is null then (low + high + 1) / 2 else low end,
              case when later.nth is null then high else later.nth - 1 end
         from search
         left join lateral (
           select nth
             from (select v.nth, v.recorded_position
                     from entry_version v
                    where ${ofRef}
                      and v.nth > low
                      and v.nth <= (low + high + 1) / 2
                    order by v.nth desc
                    limit 1) as middle
            where middle.recorded_position > $3) as later on true
        where low < high)
     select low as newest,
            (select count(*)
               from entry_version v
              where ${ofRef}
                and v.nth > low
                and v.nth <= $5) as since
       from search
      where low >= high`,
  ),
  recordedLater: statement(
    'search_recorded_later',
    `select v.nth
       from entry_version v
      where ${ofRef}
        and v.nth <= $4
        and (v.recorded_position > $3) is true`,
  ),
  unindexed: statement(
    'search_unindexed_rows',
    `select ${columnsOfV}
       from entry_version v
      where ${ofRef}
        and v.nth > $4
        and v.nth <= $5
        and (v.recorded_position <= $3) is true
        and ${notFenced('v')}
      order by v.nth
      limit $6`,
  ),
  rows: statement(
    'search_rows',
    `select ${columnsOfV}, v.nth
       from entry_version v
      where ${ofRef}
        and v.nth = any($3::bigint[])
        and ${notFenced('v')}`,
  ),
  around: statement(
    'search_around',
    `select ${neighbourOfV}, p.place
       from unnest($5::bigint[], $6::bigint[]) with ordinality as p (created_position, ordinal, place)
      cross join lateral (${beside('older')} union all ${beside('newer')}) v
      order by p.place, v.created_position, v.ordinal`,
  ),
}
