import type { Database } from 'better-sqlite3'
import type { AuditRow, Clock } from '../../core/commit/batch.ts'
import { isAccessible } from '../../core/entries/access.ts'
import { scanStart } from '../../core/entries/as-of.ts'
import type { EntryVersion, ListedVersion, Place } from '../../core/entries/entry.ts'
import { firstUpTo } from '../../core/first-up-to.ts'
import type { AuditQuery, GetQuery, ListQuery, MatchingPage, MatchingQuery, Storage } from '../../ports/storage.ts'
import type { Row } from '../sql/row-codec.ts'
import { auditTableRows, clockRows } from '../sql/rows.ts'
import {
  afterEverything,
  type ListedVersionRow,
  toListedVersion,
  toVersion,
  type VersionRow,
} from '../sql/version-rows.ts'
import { accessValues } from './access.ts'
import { createStatementCache, filterSql } from './filter.ts'
import { filteredLists, type ListStatements } from './list-statements.ts'
import { listAll } from './provenance-statements.ts'
import { filteredVersions, prepareReads } from './read-statements.ts'

/** Everything that reads entries. Each statement is bounded by a limit, because SQLite works on the caller's thread. */
export function createReader(db: Database) {
  const sql = prepareReads(db)
  const prepared = createStatementCache(db)

  function clock(tenantId: string): Clock | null {
    const row = sql.clock.get(tenantId) as Row | undefined
    return row ? clockRows.fromRow(row) : null
  }

  function get({ tenantId, memoryRef, entryId, view, now }: GetQuery): EntryVersion | null {
    const key = { tenantId, memoryRef, entryId, now }
    const row =
      view.own.length > 0
        ? sql.getOwn.get({ ...key, position: atPosition(view.position), own: JSON.stringify(view.own) })
        : view.position === null
          ? sql.getNow.get(tenantId, memoryRef, entryId, now)
          : sql.getAt.get({ ...key, position: view.position })
    const version = row ? toVersion(row as VersionRow) : null
    return version !== null && isAccessible(version, view.access) ? version : null
  }

  function rowsOf({ tenantId, memoryRef, tag, view, now, before, limit }: ListQuery, list: ListStatements): unknown[] {
    // A run's own writes may be newer than its snapshot; the snapshot half has its own bound.
    const from = scanStart(before, view.own.length > 0 ? null : view.position)
    const place = { fromPosition: from.createdPosition, fromOrdinal: from.ordinal }
    const bounds = { tenantId, memoryRef, now, limit, ...place, ...accessValues(view.access) }
    const asked = tag === null ? bounds : { ...bounds, tag }
    if (view.own.length > 0) {
      const own = { position: atPosition(view.position), own: JSON.stringify(view.own) }
      return (tag === null ? sql.listOwn : sql.listOwnTag).all({ ...asked, ...own })
    }
    if (view.position === null) return (tag === null ? list.now : list.tagNow).all(asked)
    return (tag === null ? list.at : list.tagAt).all({ ...asked, position: view.position })
  }

  /** One kind of list: its statements, and what becomes of their rows. */
  function lister<R, V>(statements: ListStatements, toListed: (row: R) => V) {
    type ListRow = R & { readonly at_position?: number }
    const listWithClock = db.transaction((query: ListQuery) => {
      const position = clock(query.tenantId)?.position ?? 0
      return { position, versions: (rowsOf(query, statements) as ListRow[]).map(toListed) }
    })
    return (query: ListQuery): { position: number; versions: V[] } => {
      const rows = rowsOf(query, statements) as ListRow[]
      const position = query.view.position ?? rows[0]?.at_position
      // Current rows say the position that they were read at. If there are none, it is read with them.
      return position === undefined ? listWithClock(query) : { position, versions: rows.map(toListed) }
    }
  }

  const listMatching: (query: MatchingQuery) => MatchingPage = db.transaction((query) => {
    const { tenantId, memoryRef, tag, view, now, before, limit, filter, examinedMax, includesEnded } = query
    const from = scanStart(before, view.own.length > 0 ? null : view.position)
    const scope = { tenantId, memoryRef, fromPosition: from.createdPosition, fromOrdinal: from.ordinal }
    const last = sql.lastExamined.get({ ...scope, skipped: examinedMax - 1 }) as Place | undefined
    const { condition, values } = filterSql(filter, view.position)
    const lists = filteredLists(condition)
    const text = includesEnded
      ? listAll(`and (v.created_position, v.ordinal) >= (:toPosition, :toOrdinal) and ${condition}`)
      : view.own.length > 0
        ? lists.own
        : tag === null
          ? lists.at
          : lists.tagAt
    const rows = prepared(text).all({
      ...{ ...scope, now, limit, position: view.position, ...accessValues(view.access), ...values },
      ...{ toPosition: last?.createdPosition ?? 0, toOrdinal: last?.ordinal ?? 0 },
      ...(view.own.length > 0 ? { own: JSON.stringify(view.own) } : {}),
      ...(tag === null ? {} : { tag }),
    }) as VersionRow[]
    return { versions: rows.map(toVersion), examinedTo: rows.length < limit ? (last ?? null) : null }
  })

  function versions(...[tenantId, keys, filter, position]: Parameters<Storage['versions']>): EntryVersion[] {
    if (filter !== undefined) {
      const { condition, values } = filterSql(filter, position)
      const rows = prepared(filteredVersions(condition)).all({ tenantId, keys: JSON.stringify(keys), ...values })
      return (rows as VersionRow[]).map(toVersion)
    }
    return keys.flatMap((key) => {
      const row = sql.version.get(tenantId, key.memoryRef, key.entryId, key.version)
      return row ? [toVersion(row as VersionRow)] : []
    })
  }

  function scanVersions({ tenantId, after, limit }: Parameters<Storage['scanVersions']>[0]): EntryVersion[] {
    const from = after ?? { entryId: '', version: 0 }
    return (sql.scan.all({ tenantId, limit, ...from }) as VersionRow[]).map(toVersion)
  }

  function recentVersions({ tenantId, after, limit }: Parameters<Storage['recentVersions']>[0]): EntryVersion[] {
    return (sql.recent.all({ tenantId, limit, ...(after ?? afterEverything) }) as VersionRow[]).map(toVersion)
  }

  function positionAt(tenantId: string, instant: number): number {
    const row = sql.positionAt.get({ tenantId, instant }) as { position: number } | undefined
    return row?.position ?? 0
  }

  function audit({ tenantId, from, to, limit, charactersMax }: AuditQuery): AuditRow[] {
    const rows = sql.audit.iterate(tenantId, from, to, limit) as IterableIterator<Row>
    return firstUpTo(rows, ({ body }) => String(body).length, charactersMax).map(auditTableRows.fromRow)
  }

  const list = lister<VersionRow, EntryVersion>(sql.list, toVersion)
  const listShown = lister<ListedVersionRow, ListedVersion>(sql.shown, toListedVersion)
  return { clock, get, list, listShown, listMatching, versions, scanVersions, recentVersions, positionAt, audit }
}

function atPosition(position: number | null): number {
  return position ?? Number.MAX_SAFE_INTEGER
}
