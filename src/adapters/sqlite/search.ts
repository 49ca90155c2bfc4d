import type { Database, Statement } from 'better-sqlite3'
import type { Place } from '../../core/entries/entry.ts'
import type { PostingList } from '../../core/search/candidate-rows.ts'
import type { IndexFilter } from '../../core/search/index-filter.ts'
import { indexedTerms, scopedFilterKey, scopedTermKey, splitTerms } from '../../core/search/indexed-terms.ts'
import type { QueryTerm } from '../../core/search/query.ts'
import type {
  FindQuery,
  FoundCandidates,
  FoundRow,
  NeighbourRow,
  SearchStore,
  UnindexedRef,
} from '../../ports/search-store.ts'
import { examine, readAround, type SearchedScope, takeWaiting, toFound } from '../sql/search-steps.ts'
import {
  type NeighbourVersionRow,
  neighbourColumns,
  toNeighbourVersion,
  toVersion,
  type VersionRow,
  versionColumns,
} from '../sql/version-rows.ts'
import { notFenced } from './fence.ts'
import { rowIdOf, type ScopeRow } from './search-table.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')
const spokenOfV = neighbourColumns.replace(/\w+/g, 'v.$&')

type PlaceRow = { row_id: number; recorded_position: number }
type TextRow = VersionRow & { terms: string }
type AroundRow = NeighbourVersionRow & { terms: string | null }

/** Looks entries up by their terms. Every statement is bounded, because SQLite works on the caller's thread. */
export function createSearchStore(
  db: Database,
  index: SearchStore['index'],
  answer: <T>(work: () => T) => Promise<T>,
): SearchStore {
  const sql = prepare(db)

  /** The rows that are not indexed yet; null when there are too many to go through. */
  function readWaiting({ tenantId, memoryRef, position, unindexedMax }: FindQuery): FoundRow[] | null {
    const limit = unindexedMax + 1
    const rows = takeWaiting(
      sql.waitingRows.iterate({ tenantId, memoryRef, position, limit }) as IterableIterator<VersionRow>,
      unindexedMax,
    )
    return rows?.map((row) => ({ version: toVersion(row), terms: indexedTerms(row.content) })) ?? null
  }

  /** The number of the newest indexed row at a position. Numbers rise with positions, so halving finds it. */
  function newestAt(scope: ScopeRow, position: number): number {
    const last = sql.rowAtOrBefore.get(rowIdOf(scope, scope.newest), rowIdOf(scope, 0)) as PlaceRow | undefined
    if (last === undefined || last.recorded_position <= position) return scope.newest
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

  function postings(
    scope: ScopeRow,
    newest: number,
    term: QueryTerm,
    limit: number,
    narrowing: IndexFilter | null,
  ): PostingList {
    if (narrowing?.marks.some((any) => any.length === 0)) return { rows: [], isCut: false }
    const base = rowIdOf(scope, 0)
    const ids = sql.postings.all(toMatch(String(scope.scope_id), term, narrowing), base + newest, limit + 1) as number[]
    const isCut = ids.length > limit
    if (isCut) ids.length = limit
    // In place: lists are long, and this is most of what a search with common words does.
    for (let at = 0; at < ids.length; at++) ids[at] = (ids[at] as number) - base
    return { rows: ids, isCut }
  }

  const find = db.transaction((query: FindQuery): FoundCandidates | null => {
    const { tenantId, memoryRef, position } = query
    const waiting = readWaiting(query)
    if (waiting === null) return null
    const scope = sql.scope.get(tenantId, memoryRef) as ScopeRow | undefined
    const newest = scope === undefined ? 0 : newestAt(scope, position)
    const since =
      scope === undefined ? 0 : (sql.countAfter.get(rowIdOf(scope, newest), rowIdOf(scope, scope.newest)) as number)
    const searched: SearchedScope = {
      indexed: { entries: (scope?.row_count ?? 0) - since, newest },
      waiting,
      postings: (term, limit, narrowing) =>
        scope === undefined ? { rows: [], isCut: false } : postings(scope, newest, term, limit, narrowing),
    }
    const plan = toFound(query, searched)
    const rows = examine(query, searched, plan.order, (nth) => {
      const row = scope && (sql.row.get(tenantId, rowIdOf(scope, nth)) as TextRow | undefined)
      return row && toFoundRow(row)
    })
    return { ...plan.found, rows }
  })

  function around({ tenantId, memoryRef, position, now, places, reach }: Parameters<SearchStore['around']>[0]) {
    const beside = (rows: typeof sql.older, { createdPosition, ordinal }: Place, limit: number) =>
      (rows(limit).all({ tenantId, memoryRef, position, now, createdPosition, ordinal }) as AroundRow[]).map(
        toNeighbourRow,
      )
    return readAround(
      places,
      reach,
      (place, limit) => beside(sql.older, place, limit),
      (place, limit) => beside(sql.newer, place, limit),
    )
  }

  return {
    find: (query) => answer(() => find(query)),
    around: (query) => answer(() => around(query)),
    index,
    unindexed: ({ after, rowsMax, limit }) =>
      answer(() => {
        const found: UnindexedRef[] = []
        let from = after ?? { tenantId: '', memoryRef: '' }
        while (found.length < limit) {
          const next = sql.nextWaiting.get(from.tenantId, from.tenantId, from.memoryRef) as typeof from | undefined
          if (next === undefined) break
          const rows = sql.countWaiting.get(next.tenantId, next.memoryRef, rowsMax) as number
          found.push({ ...next, rows })
          from = next
        }
        return found
      }),
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

const visible = `v.recorded_position <= :position
         and (v.ended_position is null or v.ended_position > :position)
         and (v.expires_at is null or v.expires_at > :now)
         and ${notFenced('v')}`

const withTerms = `
        from entry_version v
        left join search_row r
          on r.tenant_id = v.tenant_id
         and r.entry_id = v.entry_id
         and r.version = v.version`

function prepare(db: Database) {
  /** With the limit in the text such a statement takes a third of the time; there are three limits. */
  function perLimit(text: (limit: number) => string) {
    const prepared = new Map<number, Statement>()
    return (limit: number): Statement => {
      const statement = prepared.get(limit) ?? db.prepare(text(Math.trunc(limit)))
      prepared.set(limit, statement)
      return statement
    }
  }
  return {
    scope: db.prepare('select scope_id, newest, row_count from search_scope where tenant_id = ? and memory_ref = ?'),
    waitingRows: db.prepare(`
      select ${columnsOfV}
        from search_waiting w
       cross join entry_version v
          on v.tenant_id = w.tenant_id
         and v.entry_id = w.entry_id
         and v.version = w.version
       where w.tenant_id = :tenantId
         and w.memory_ref = :memoryRef
         and w.recorded_position <= :position
         and ${notFenced('v')}
       order by w.recorded_position, w.place
       limit +:limit`),
    rowAtOrBefore: db.prepare(`
      select row_id, recorded_position
        from search_row
       where row_id <= ?
         and row_id > ?
       order by row_id desc
       limit 1`),
    countAfter: db.prepare('select count(*) from search_row where row_id > ? and row_id <= ?').pluck(),
    postings: db
      .prepare('select rowid from search_key where search_key match ? and rowid <= ? order by rowid desc limit +?')
      .pluck(),
    row: db.prepare(`
      select ${columnsOfV}, r.terms
        from search_row r
       cross join entry_version v
          on v.tenant_id = r.tenant_id
         and v.entry_id = r.entry_id
         and v.version = r.version
       where r.tenant_id = ?
         and r.row_id = ?
         and ${notFenced('v', 'v.tenant_id')}`),
    older: perLimit(
      (limit) => `
      select ${spokenOfV}, r.terms
        ${withTerms}
       where v.tenant_id = :tenantId
         and v.memory_ref = :memoryRef
         and (v.created_position, v.ordinal) < (:createdPosition, :ordinal)
         and ${visible}
       order by v.created_position desc, v.ordinal desc
       limit ${limit}`,
    ),
    newer: perLimit(
      (limit) => `
      select ${spokenOfV}, r.terms
        ${withTerms}
       where v.tenant_id = :tenantId
         and v.memory_ref = :memoryRef
         and (v.created_position, v.ordinal) > (:createdPosition, :ordinal)
         and ${visible}
       order by v.created_position, v.ordinal
       limit ${limit}`,
    ),
    nextWaiting: db.prepare(`
      select tenant_id as tenantId, memory_ref as memoryRef
        from search_waiting
       where tenant_id >= ?
         and (tenant_id, memory_ref) > (?, ?)
       order by tenant_id, memory_ref
       limit 1`),
    countWaiting: db
      .prepare('select count(*) from (select 1 from search_waiting where tenant_id = ? and memory_ref = ? limit +?)')
      .pluck(),
  }
}
