import type { Database, Statement } from 'better-sqlite3'
import type { Place } from '../../core/entries/entry.ts'
import type { PostingList } from '../../core/search/candidate-rows.ts'
import type { IndexFilter } from '../../core/search/index-filter.ts'
import { indexedTerms, scopedFilterKey, scopedTermKey } from '../../core/search/indexed-terms.ts'
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
import { accessible, accessValues } from './access.ts'
import { notFenced } from './fence.ts'
import { rowIdOf, type ScopeRow, scopeColumns } from './search-table.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')
// Row ids already say the ref and the tenant. Statements by row id compare both nevertheless; the plus keeps them from another index.
const neighbourOfV = neighbourColumns.replace(/\w+/g, 'v.$&')

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
}

const noRow: ReadonlySet<number> = new Set()

/** Looks entries up by their terms. Every statement is bounded, because SQLite works on the caller's thread. */
export function createSearchStore(
  db: Database,
  index: SearchStore['index'],
  answer: <T>(work: () => T) => Promise<T>,
): SearchStore {
  const sql = prepare(db)

  function rowsAt(scope: ScopeRow, position: number): RowsAt {
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
  function readUnindexed(scope: ScopeRow, { newest }: RowsAt, query: FindQuery): FoundRow[] | null {
    const { tenantId, memoryRef, position, unindexedMax } = query
    const [after, upTo] = [rowIdOf(scope, scope.indexed), rowIdOf(scope, newest)]
    const rows = sql.unindexedRows.iterate({ tenantId, memoryRef, position, after, upTo, limit: unindexedMax + 1 })
    return takeWaiting(rows as IterableIterator<VersionRow>, unindexedMax)?.map(toFoundRow) ?? null
  }

  function postings(
    scope: ScopeRow,
    { newest, later }: RowsAt,
    term: QueryTerm,
    limit: number,
    narrowing: IndexFilter | null,
  ): PostingList {
    if (narrowing?.marks.some((any) => any.length === 0)) return { rows: [], isCut: false }
    const base = rowIdOf(scope, 0)
    const match = toMatch(String(scope.scope_id), term, narrowing)
    let ids = sql.postings.all(match, base + newest, limit + 1 + later.size) as number[]
    // In place: lists are long, and this is most of what a search with common words does.
    for (let at = 0; at < ids.length; at++) ids[at] = (ids[at] as number) - base
    if (later.size > 0) ids = ids.filter((nth) => !later.has(nth))
    const isCut = ids.length > limit
    if (isCut) ids.length = limit
    return { rows: ids, isCut }
  }

  /** How many indexed rows were recorded by then. */
  function countIndexed(scope: ScopeRow, { newest, later }: RowsAt): number {
    if (newest < scope.indexed)
      return scope.row_count - (sql.countRows.get(rowIdOf(scope, newest), rowIdOf(scope, scope.indexed)) as number)
    return scope.row_count - [...later].filter((nth) => nth <= scope.indexed).length
  }

  const find = db.transaction((query: FindQuery): FoundCandidates | null => {
    const { tenantId, memoryRef, position } = query
    const scope = sql.scope.get(tenantId, memoryRef) as ScopeRow | undefined
    if (scope === undefined) return { entries: 0, frequencies: query.terms.map(() => 0), rows: [], unindexed: 0 }
    const at = rowsAt(scope, position)
    const waiting = readUnindexed(scope, at, query)
    if (waiting === null) return null
    const indexed = { ...at, newest: Math.min(at.newest, scope.indexed) }
    const searched: SearchedScope = {
      indexed: { entries: countIndexed(scope, at), newest: indexed.newest },
      waiting,
      postings: (term, limit, narrowing) => postings(scope, indexed, term, limit, narrowing),
    }
    const plan = toFound(query, searched)
    const rows = examine(query, searched, plan.order, (nth) => {
      const row = sql.row.get(rowIdOf(scope, nth), tenantId, memoryRef) as VersionRow | undefined
      return row && toFoundRow(row)
    })
    return { ...plan.found, rows }
  })

  function around({ tenantId, memoryRef, position, now, access, places, reach }: Parameters<SearchStore['around']>[0]) {
    const bounds = { tenantId, memoryRef, position, now, ...accessValues(access) }
    const beside = (rows: Statement, { createdPosition, ordinal }: Place, limit: number) =>
      (rows.all({ ...bounds, createdPosition, ordinal, limit }) as NeighbourVersionRow[]).map(toNeighbourRow)
    return readAround(
      places,
      reach,
      (place, limit) => beside(sql.older, place, limit),
      (place, limit) => beside(sql.newer, place, limit),
    )
  }

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

/** A row whose terms are made when they are needed: many rows are read that are not visible, filtered out, or read twice. */
class RowWithTerms<Version extends { readonly content: string }> {
  readonly version: Version
  #terms: readonly string[] | undefined

  constructor(version: Version) {
    this.version = version
  }

  get terms(): readonly string[] {
    this.#terms ??= indexedTerms(this.version.content)
    return this.#terms
  }
}

function toFoundRow(row: VersionRow): FoundRow {
  return new RowWithTerms(toVersion(row))
}

function toNeighbourRow(row: NeighbourVersionRow): NeighbourRow {
  return new RowWithTerms(toNeighbourVersion(row))
}

const visible = `v.recorded_position <= :position
         and (v.ended_position is null or v.ended_position > :position)
         and (v.expires_at is null or v.expires_at > :now)
         and ${notFenced('v')}
         and ${accessible('v')}`

function prepare(db: Database) {
  return {
    scope: db.prepare(`select ${scopeColumns} from search_scope where tenant_id = ? and memory_ref = ?`),
    unindexedRows: db.prepare(`
      select ${columnsOfV}
        from entry_version v
       where v.row_id > :after
         and v.row_id <= :upTo
         and +v.tenant_id = :tenantId
         and +v.memory_ref = :memoryRef
         and v.recorded_position <= :position
         and ${notFenced('v')}
       order by v.row_id
       limit +:limit`),
    rowAtOrBefore: db.prepare(`
      select row_id, recorded_position
        from entry_version
       where row_id <= ?
         and row_id > ?
       order by row_id desc
       limit 1`),
    recordedLater: db
      .prepare('select row_id from entry_version where row_id > ? and row_id <= ? and +recorded_position > ?')
      .pluck(),
    countRows: db.prepare('select count(*) from entry_version where row_id > ? and row_id <= ?').pluck(),
    postings: db
      .prepare('select rowid from search_key where search_key match ? and rowid <= ? order by rowid desc limit +?')
      .pluck(),
    row: db.prepare(`
      select ${columnsOfV}
        from entry_version v
       where v.row_id = ?
         and +v.tenant_id = ?
         and +v.memory_ref = ?
         and ${notFenced('v', 'v.tenant_id')}`),
    older: db.prepare(`
      select ${neighbourOfV}
        from entry_version v
       where v.tenant_id = :tenantId
         and v.memory_ref = :memoryRef
         and (v.created_position, v.ordinal) < (:createdPosition, :ordinal)
         and ${visible}
       order by v.created_position desc, v.ordinal desc
       limit +:limit`),
    newer: db.prepare(`
      select ${neighbourOfV}
        from entry_version v
       where v.tenant_id = :tenantId
         and v.memory_ref = :memoryRef
         and (v.created_position, v.ordinal) > (:createdPosition, :ordinal)
         and ${visible}
       order by v.created_position, v.ordinal
       limit +:limit`),
    scopesAfter: db.prepare(`
      select tenant_id as tenantId, memory_ref as memoryRef, ${scopeColumns}
        from search_scope
       where tenant_id >= ?
         and (tenant_id, memory_ref) > (?, ?)
       order by tenant_id, memory_ref
       limit +?`),
    countUnindexed: db
      .prepare('select count(*) from (select 1 from entry_version where row_id > ? and row_id <= ? limit +?)')
      .pluck(),
  }
}
