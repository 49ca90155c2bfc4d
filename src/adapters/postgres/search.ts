import { indexFilterOf } from '../../core/search/index-filter.ts'
import { indexedTerms, splitTerms } from '../../core/search/indexed-terms.ts'
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
import { query, statement } from './connection.ts'
import type { Database } from './database.ts'
import { isTransient, toStorageError } from './errors.ts'
import { notFenced } from './fence.ts'
import { newestRows } from './newest-rows.ts'
import { indexWaiting, waitingScopes } from './search-table.ts'

type TextRow = VersionRow & { terms: string }
type AroundRow = NeighbourVersionRow & { terms: string | null; place: number }
type ScopeRow = { newest: number; entries: number }

/** Rows that are fetched at once: first a few more than are wanted, because most are visible. */
const examinedAtFirst = (foundMax: number) => Math.ceil(1.25 * foundMax)
const examinedPage = 500

/** Looks entries up by their terms. A position is fixed before, so the statements of one search see the same. */
export function createSearchStore(database: Database): SearchStore {
  async function find(asked: FindQuery): Promise<FoundCandidates | null> {
    const { tenantId, memoryRef, position, unindexedMax } = asked
    // The scope first: rows that are indexed from here on are above its newest, and are found where they waited.
    const [scope] = await query<ScopeRow>(database, sql.scope, [tenantId, memoryRef, position])
    const newest = scope?.newest ?? 0
    const wanted = asked.terms.map((term) => ({ term, max: postingsMaxOf(asked, term) + 1 }))
    const [rows, lists] = await Promise.all([
      query<VersionRow>(database, sql.waitingRows, [tenantId, memoryRef, position, newest, unindexedMax + 1]),
      newest === 0 ? [] : newestRows(database, { tenantId, memoryRef, newest }, wanted, indexFilterOf(asked)),
    ])
    const taken = takeWaiting(rows, unindexedMax)
    if (taken === null) return null
    const waiting = taken.map((row): FoundRow => ({ version: toVersion(row), terms: indexedTerms(row.content) }))
    const searched: SearchedScope = {
      indexed: { entries: scope?.entries ?? 0, newest },
      waiting,
      postings: (term, limit, within) => {
        const list = lists[asked.terms.indexOf(term)]
        const rows = (within === null ? list?.rows : list?.narrowed) ?? []
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
        const rows = await query<TextRow & { nth: number }>(database, sql.rows, [tenantId, memoryRef, wanted])
        for (const row of rows) fetched.set(row.nth, toFoundRow(row))
      }
      const left = { ...asked, foundMax: asked.foundMax - chosen.length }
      chosen.push(...examine(left, searched, page, (nth) => fetched.get(nth)))
    }
    return { ...found, rows: chosen }
  }

  async function around(asked: Parameters<SearchStore['around']>[0]): Promise<NeighbourRow[][]> {
    const { tenantId, memoryRef, position, now, places, reach } = asked
    if (places.length === 0) return []
    const rows = await query<AroundRow>(database, sql.around, [
      tenantId,
      memoryRef,
      position,
      now,
      places.map(({ createdPosition }) => createdPosition),
      places.map(({ ordinal }) => ordinal),
      reach,
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
        return await indexWaiting(database, tenantId, memoryRef, rowsMax)
      } catch (error) {
        // Another process indexed the same rows: the next call does the rest.
        if (isTransient(error)) return 0
        throw toStorageError(error)
      }
    },
    unindexed: (asked) => waitingScopes(database, asked),
  }
}

function toFoundRow(row: TextRow): FoundRow {
  return { version: toVersion(row), terms: splitTerms(row.terms) }
}

/** Without terms it is not indexed yet. */
function toNeighbourRow(row: AroundRow): NeighbourRow {
  return {
    version: toNeighbourVersion(row),
    terms: row.terms === null ? indexedTerms(row.content) : splitTerms(row.terms),
  }
}

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')
const spokenOfV = neighbourColumns.replace(/\w+/g, 'v.$&')

const visibleAround = `(v.recorded_position <= $3) is true
             and (v.ended_position is null or v.ended_position > $3)
             and (v.expires_at is null or v.expires_at > $4)
             and ${notFenced('v')}`

const beside = (side: 'older' | 'newer') => `
      (select ${spokenOfV}
         from entry_version v
        where v.tenant_id = $1
          and v.memory_ref = $2
          and (v.created_position, v.ordinal) ${side === 'older' ? '<' : '>'} (p.created_position, p.ordinal)
          and ${visibleAround}
        order by v.created_position ${side === 'older' ? 'desc' : ''}, v.ordinal ${side === 'older' ? 'desc' : ''}
        limit $7)`

const sql = {
  // Most queries are as of now, so the newest row of all is read first, by its key: without statistics the server would rather read
  // the whole ref than go back from its end. Numbers rise with positions, so of the past it is the first one found from above.
  scope: statement(
    'search_scope',
    `select at.newest,
            s.row_count - (
              select count(*)
                from search_row later
               where later.tenant_id = $1
                 and later.memory_ref = $2
                 and later.nth > at.newest) as entries
       from search_scope s
       left join search_row last
         on last.tenant_id = $1
        and last.memory_ref = $2
        and last.nth = s.newest
        and last.recorded_position <= $3
       left join lateral (
         select nth
           from search_row r
          where last.nth is null
            and r.tenant_id = $1
            and r.memory_ref = $2
            and r.recorded_position <= $3
          order by nth desc
          limit 1) past on true
      cross join lateral (select coalesce(last.nth, past.nth, 0) as newest) at
      where s.tenant_id = $1
        and s.memory_ref = $2`,
  ),
  waitingRows: statement(
    'search_waiting_rows',
    `select * from (
       select ${columnsOfV}, w.recorded_position as at, w.place
         from search_waiting w
         join entry_version v
           on v.tenant_id = w.tenant_id
          and v.entry_id = w.entry_id
          and v.version = w.version
        where w.tenant_id = $1
          and w.memory_ref = $2
          and w.recorded_position <= $3
          and ${notFenced('v')}
        union all
       select ${columnsOfV}, r.recorded_position as at, r.nth as place
         from search_row r
         join entry_version v
           on v.tenant_id = r.tenant_id
          and v.entry_id = r.entry_id
          and v.version = r.version
        where r.tenant_id = $1
          and r.memory_ref = $2
          and r.nth > $4
          and r.recorded_position <= $3
          and ${notFenced('v')}) fresh
      order by at, place
      limit $5`,
  ),
  // `any`, not a join with the numbers: of a list the planner guesses a few rows, of a table so many that it reads the whole ref.
  rows: statement(
    'search_rows',
    `select ${columnsOfV}, r.terms, r.nth
       from search_row r
       join entry_version v
         on v.tenant_id = $1
        and v.entry_id = r.entry_id
        and v.version = r.version
        and ${notFenced('v')}
      where r.tenant_id = $1
        and r.memory_ref = $2
        and r.nth = any($3::bigint[])`,
  ),
  around: statement(
    'search_around',
    `select ${spokenOfV}, r.terms, p.place
       from unnest($5::bigint[], $6::bigint[]) with ordinality as p (created_position, ordinal, place)
      cross join lateral (${beside('older')} union all ${beside('newer')}) v
       left join search_row r
         on r.tenant_id = $1
        and r.entry_id = v.entry_id
        and r.version = v.version
      order by p.place, v.created_position, v.ordinal`,
  ),
}
