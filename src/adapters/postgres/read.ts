import type { Pool } from 'pg'
import type { AuditRow, Clock } from '../../core/batch.ts'
import type { EntryVersion } from '../../core/entry.ts'
import { scanFrom } from '../../core/view.ts'
import type { GetQuery, ListQuery, Page, Storage } from '../../ports/storage.ts'
import { type AuditTableRow, toAuditRow, toVersion, type VersionRow, versionColumns } from '../rows.ts'
import { toClock } from './commit.ts'
import { query, statement } from './connection.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

/** Everything that reads entries: one statement each, so each read is of one moment. */
export function createReader(pool: Pool) {
  async function clock(tenantId: string): Promise<Clock | null> {
    const [row] = await query<Parameters<typeof toClock>[0]>(pool, sql.clock, [tenantId])
    return row ? toClock(row) : null
  }

  async function clocks(tenantIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await query<{ tenant_id: string; position: number }>(pool, sql.clocks, [tenantIds])
    return new Map(rows.map((row) => [row.tenant_id, row.position]))
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
    return row ? toVersion(row) : null
  }

  async function list({ tenantId, memoryRef, tag, view, now, before, limit }: ListQuery): Promise<Page> {
    // A run's own writes may be newer than its snapshot; the snapshot half has its own bound.
    const from = scanFrom(before, view.own.length > 0 ? null : view.position)
    const scope = [tenantId, memoryRef, now, from.createdPosition, from.ordinal, limit]
    const tagValue = tag === null ? [] : [tag]
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
        : await query<VersionRow>(
            pool,
            tag === null ? sql.listAt : sql.listTagAt,
            tag === null ? values : [...values, tag],
          )
    return { position, versions: rows.map(toVersion) }
  }

  async function versions(...[tenantId, keys]: Parameters<Storage['versions']>): Promise<EntryVersion[]> {
    const rows = await query<VersionRow>(pool, sql.versions, [
      tenantId,
      keys.map((key) => key.memoryRef),
      keys.map((key) => key.entryId),
      keys.map((key) => key.version),
    ])
    return rows.map(toVersion)
  }

  async function positionAt(tenantId: string, instant: number): Promise<number> {
    const [row] = await query<{ position: number }>(pool, sql.positionAt, [tenantId, instant])
    return row?.position ?? 0
  }

  async function audit({ tenantId, from, to, limit }: Parameters<Storage['audit']>[0]): Promise<AuditRow[]> {
    return (await query<AuditTableRow>(pool, sql.audit, [tenantId, from, to, limit])).map(toAuditRow)
  }

  return { clock, clocks, get, list, versions, positionAt, audit }
}

const ofScope = 'v.tenant_id = $1 and v.memory_ref = $2'
const listNotExpired = '(v.expires_at is null or v.expires_at > $3)'
const olderV = '(v.created_position, v.ordinal) < ($4, $5)'
const olderT = '(t.created_position, t.ordinal) < ($4, $5)'
const visibleInList = 'v.recorded_position <= $7 and (v.ended_position is null or v.ended_position > $7)'
const byAge = 'order by v.created_position desc, v.ordinal desc'
const tagJoin = `
       from entry_tag t
       join entry_version v
         on v.tenant_id = t.tenant_id
        and v.memory_ref = t.memory_ref
        and v.created_position = t.created_position
        and v.ordinal = t.ordinal
        and v.version = t.version
      where t.tenant_id = $1
        and t.memory_ref = $2`

/** The page and the position it was read at, from one statement and so from one moment. */
const withPosition = (page: string) => `
   select c.position as at_position, v.*
     from tenant_clock c
     left join lateral (${page}) v on true
    where c.tenant_id = $1
    ${byAge}`

/** Versions that the reading run wrote itself before its current step. */
const ownWrites = (own: string) => `
       select ${columnsOfV}
         from json_to_recordset(${own}::json) as w ("runId" text, "beforeSequence" bigint)
         join entry_version v
           on v.tenant_id = $1
          and v.run_id = w."runId"
          and v.run_sequence < w."beforeSequence"
        where v.memory_ref = $2`

/** A snapshot and the run's own writes as one list. The snapshot half is limited by itself: writes of others since then cost nothing. */
const withOwnWrites = (snapshot: string, ownFilter = '') => `
     with own as materialized (
            select distinct on (entry_id) *
              from (${ownWrites('$8')}) mine
             order by entry_id, version desc),
          snapshot as (${snapshot}
               and ${listNotExpired}
               and v.entry_id not in (select entry_id from own)
             ${byAge}
             limit $6)
     select * from (
       select * from own v
        where ${olderV}
          and ${listNotExpired}
          ${ownFilter}
        union all
       select * from snapshot) v
      ${byAge}
      limit $6`

const sql = {
  clock: statement(
    'clock',
    `select position, last_hash, last_created_at, redaction_version
       from tenant_clock
      where tenant_id = $1`,
  ),
  clocks: statement('clocks', 'select tenant_id, position from tenant_clock where tenant_id = any($1)'),
  getAt: statement(
    'get_at',
    `select ${columnsOfV}
       from entry_version v
      where ${ofScope}
        and v.entry_id = $3
        and (v.expires_at is null or v.expires_at > $4)
        and v.recorded_position <= $5
        and (v.ended_position is null or v.ended_position > $5)`,
  ),
  getOwn: statement(
    'get_own',
    `with own as (${ownWrites('$6')} and v.entry_id = $3),
          seen as (
            (select * from own order by version desc limit 1)
             union all
            select ${columnsOfV}
              from entry_version v
             where ${ofScope}
               and v.entry_id = $3
               and v.recorded_position <= $5
               and (v.ended_position is null or v.ended_position > $5)
               and not exists (select 1 from own))
     select *
       from seen v
      where v.expires_at is null or v.expires_at > $4`,
  ),
  listNow: statement(
    'list_now',
    withPosition(`
     select ${columnsOfV}
       from entry_version v
      where ${ofScope}
        and v.ended_position is null
        and ${olderV}
        and ${listNotExpired}
      ${byAge}
      limit $6`),
  ),
  listTagNow: statement(
    'list_tag_now',
    withPosition(`
     select ${columnsOfV}
       ${tagJoin}
        and t.tag = $7
        and t.ended_position is null
        and ${olderT}
        and ${listNotExpired}
      order by t.created_position desc, t.ordinal desc
      limit $6`),
  ),
  listAt: statement(
    'list_at',
    `select ${columnsOfV}
       from entry_version v
      where ${ofScope}
        and ${olderV}
        and ${visibleInList}
        and ${listNotExpired}
      ${byAge}
      limit $6`,
  ),
  listTagAt: statement(
    'list_tag_at',
    `select ${columnsOfV}
       ${tagJoin}
        and t.tag = $8
        and t.recorded_position <= $7
        and (t.ended_position is null or t.ended_position > $7)
        and ${olderT}
        and ${listNotExpired}
      order by t.created_position desc, t.ordinal desc
      limit $6`,
  ),
  listOwn: statement(
    'list_own',
    withOwnWrites(`
            select ${columnsOfV}
              from entry_version v
             where ${ofScope}
               and v.created_position <= $7
               and ${olderV}
               and ${visibleInList}`),
  ),
  listOwnTag: statement(
    'list_own_tag',
    withOwnWrites(
      `
            select ${columnsOfV}
              ${tagJoin}
               and t.tag = $9
               and t.created_position <= $7
               and ${olderT}
               and t.recorded_position <= $7
               and (t.ended_position is null or t.ended_position > $7)`,
      'and exists (select 1 from json_array_elements_text(v.tags::json) as tag where tag = $9)',
    ),
  ),
  versions: statement(
    'versions',
    `select ${columnsOfV}
       from unnest($2::text[], $3::text[], $4::bigint[]) with ordinality as wanted (memory_ref, entry_id, version, place)
       join entry_version v
         on v.tenant_id = $1
        and v.memory_ref = wanted.memory_ref
        and v.entry_id = wanted.entry_id
        and v.version = wanted.version
      order by wanted.place`,
  ),
  // Instants never fall as positions rise, so halving finds the place in a few look-ups by key, without an index.
  positionAt: statement(
    'position_at',
    `with recursive search (low, high) as (
       select 0::bigint, position from tenant_clock where tenant_id = $1
        union all
       select case when a.at <= $2 then a.position else low end,
              case when a.at <= $2 then high else a.position - 1 end
         from search
         join audit a
           on a.tenant_id = $1
          and a.position = (low + high + 1) / 2
        where low < high)
     select low as position
       from search
      where low = high`,
  ),
  audit: statement(
    'audit',
    `select position, at, kind, record, hash, changes
       from audit
      where tenant_id = $1
        and position between $2 and $3
      order by position
      limit $4`,
  ),
}
