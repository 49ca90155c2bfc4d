import type { AuditRow, Clock } from '../../core/commit/batch.ts'
import { isAccessible } from '../../core/entries/access.ts'
import { scanStart } from '../../core/entries/as-of.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import type {
  AuditQuery,
  EntryPage,
  GetQuery,
  ListQuery,
  MatchingPage,
  MatchingQuery,
  Storage,
} from '../../ports/storage.ts'
import type { Row } from '../sql/row-codec.ts'
import { auditTableRows, clockRows } from '../sql/rows.ts'
import { afterEverything, toVersion, type VersionRow } from '../sql/version-rows.ts'
import { accessValues } from './access.ts'
import { type Queryable, query, unnamedStatement } from './connection.ts'
import { filterSql } from './filter.ts'
import { listsAt } from './list-statements.ts'
import { listAll } from './provenance-statements.ts'
import { readStatements as sql, versionsByKey } from './read-statements.ts'
import { tagKey } from './tag-rows.ts'

/** Everything that reads entries: one statement each, so each read is of one moment. */
export function createReader(pool: Queryable) {
  async function clock(tenantId: string): Promise<Clock | null> {
    const [row] = await query<Row>(pool, sql.clock, [tenantId])
    return row ? clockRows.fromRow(row) : null
  }

  async function get({ tenantId, memoryRef, entryId, view, now }: GetQuery): Promise<EntryVersion | null> {
    const position = view.position ?? Number.MAX_SAFE_INTEGER
    const [row] =
      view.own.length > 0
        ? await query<VersionRow>(pool, sql.getOwn, [
            tenantId,
            memoryRef,
            entryId,
            now,
            position,
            JSON.stringify(view.own),
          ])
        : await query<VersionRow>(pool, sql.getAt, [tenantId, memoryRef, entryId, now, position])
    const version = row ? toVersion(row) : null
    return version !== null && isAccessible(version, view.access) ? version : null
  }

  async function list({ tenantId, memoryRef, tag, view, now, before, limit }: ListQuery): Promise<EntryPage> {
    // A run's own writes may be newer than its snapshot; the snapshot half has its own bound.
    const from = scanStart(before, view.own.length > 0 ? null : view.position)
    const place = [from.createdPosition, from.ordinal]
    const scope = [tenantId, memoryRef, now, ...place, limit, ...accessValues(view.access)]
    const tagValue = tag === null ? [] : [tag, tagKey(tenantId, memoryRef, tag)]
    if (view.position === null && view.own.length === 0) {
      const rows = await query<VersionRow & { at_position: number }>(
        pool,
        tag === null ? sql.listNow : sql.listTagNow,
        [...scope, ...tagValue],
      )
      const versions = rows.filter((row) => row.entry_id !== null).map(toVersion)
      return { position: rows[0]?.at_position ?? 0, versions }
    }
    const position = view.position ?? (await clock(tenantId))?.position ?? 0
    const values = [...scope, position]
    const rows =
      view.own.length > 0
        ? await query<VersionRow>(pool, tag === null ? sql.listOwn : sql.listOwnTag, [
            ...values,
            JSON.stringify(view.own),
            ...tagValue,
          ])
        : await query<VersionRow>(pool, tag === null ? sql.listAt : sql.listTagAt, [...values, ...tagValue])
    return { position, versions: rows.map(toVersion) }
  }

  // The rows that a position shows do not change, so the two statements need no transaction.
  async function listMatching(asked: MatchingQuery): Promise<MatchingPage> {
    const { tenantId, memoryRef, tag, view, now, before, limit, filter, examinedMax, includesEnded } = asked
    const from = scanStart(before, view.own.length > 0 ? null : view.position)
    const place = [from.createdPosition, from.ordinal]
    const [last] = await query<Place>(pool, sql.lastExamined, [tenantId, memoryRef, ...place, examinedMax])
    const access = accessValues(view.access)
    const values: unknown[] = includesEnded
      ? [tenantId, memoryRef, view.position, now, ...place, limit, ...access]
      : [tenantId, memoryRef, now, ...place, limit, ...access, view.position]
    if (view.own.length > 0) values.push(JSON.stringify(view.own))
    else if (tag !== null) values.push(tag, tagKey(tenantId, memoryRef, tag))
    values.push(last?.createdPosition ?? 0, last?.ordinal ?? 0)
    const { condition, values: ofFilter } = filterSql(filter, values.length, view.position)
    const by = { condition, toPosition: `$${values.length - 1}`, toOrdinal: `$${values.length}` }
    const lists = listsAt(by)
    const list = view.own.length > 0 ? lists.listOwn : tag === null ? lists.listAt : lists.listTagAt
    const text = includesEnded ? listAll(by) : list
    const rows = await query<VersionRow>(pool, unnamedStatement(text), [...values, ...ofFilter])
    return { versions: rows.map(toVersion), examinedTo: rows.length < limit ? (last ?? null) : null }
  }

  async function versions(
    ...[tenantId, keys, filter, position]: Parameters<Storage['versions']>
  ): Promise<EntryVersion[]> {
    const values: unknown[] = [
      tenantId,
      keys.map((key) => key.memoryRef),
      keys.map((key) => key.entryId),
      keys.map((key) => key.version),
    ]
    if (filter === undefined) return (await query<VersionRow>(pool, sql.versions, values)).map(toVersion)
    const { condition, values: ofFilter } = filterSql(filter, values.length, position)
    const matching = unnamedStatement(versionsByKey(`and ${condition}`))
    return (await query<VersionRow>(pool, matching, [...values, ...ofFilter])).map(toVersion)
  }

  async function scanVersions({
    tenantId,
    after,
    limit,
  }: Parameters<Storage['scanVersions']>[0]): Promise<EntryVersion[]> {
    const from = after ?? { entryId: '', version: 0 }
    return (await query<VersionRow>(pool, sql.scan, [tenantId, from.entryId, from.version, limit])).map(toVersion)
  }

  async function recentVersions({
    tenantId,
    after,
    limit,
  }: Parameters<Storage['recentVersions']>[0]): Promise<EntryVersion[]> {
    const { recordedPosition, entryId, version } = after ?? afterEverything
    return (await query<VersionRow>(pool, sql.recent, [tenantId, recordedPosition, entryId, version, limit])).map(
      toVersion,
    )
  }

  async function positionAt(tenantId: string, instant: number): Promise<number> {
    const [row] = await query<{ position: number }>(pool, sql.positionAt, [tenantId, instant])
    return row?.position ?? 0
  }

  async function audit({
    tenantId,
    from,
    to,
    limit,
    charactersMax = limits.pageCharactersMax,
  }: AuditQuery): Promise<AuditRow[]> {
    const rows = await query<Row>(pool, sql.audit, [tenantId, from, to, limit, charactersMax])
    return rows.map(auditTableRows.fromRow)
  }

  return { clock, get, list, listMatching, versions, scanVersions, recentVersions, positionAt, audit }
}
