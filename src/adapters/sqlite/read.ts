import type { Database } from 'better-sqlite3'
import type { AuditRow, Clock } from '../../core/batch.ts'
import type { EntryVersion } from '../../core/entry.ts'
import { scanFrom } from '../../core/view.ts'
import type { GetQuery, ListQuery, Page, Storage } from '../../ports/storage.ts'
import { type AuditTableRow, toAuditRow, toVersion, type VersionRow, versionColumns } from '../rows.ts'
import { selectClock, toClock } from './commit.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

/** Everything that reads entries. Each statement is bounded by a limit, because SQLite works on the caller's thread. */
export function createReader(db: Database) {
  const sql = prepare(db)

  function clock(tenantId: string): Clock | null {
    const row = sql.clock.get(tenantId) as Parameters<typeof toClock>[0] | undefined
    return row ? toClock(row) : null
  }

  function get({ tenantId, memoryRef, entryId, view, now }: GetQuery): EntryVersion | null {
    const key = { tenantId, memoryRef, entryId, now }
    const row =
      view.own.length > 0
        ? sql.getOwn.get({ ...key, position: atPosition(view.position), own: JSON.stringify(view.own) })
        : view.position === null
          ? sql.getNow.get(tenantId, memoryRef, entryId, now)
          : sql.getAt.get({ ...key, position: view.position })
    return row ? toVersion(row as VersionRow) : null
  }

  /** One read transaction, so that the rows and the position they are said to be of belong together. */
  const list: (query: ListQuery) => Page = db.transaction((query: ListQuery): Page => {
    const { tenantId, memoryRef, view, now, limit } = query
    const position = view.position ?? clock(tenantId)?.position ?? 0
    // A run's own writes may be newer than its snapshot; the snapshot half has its own bound.
    const from = scanFrom(query.before, view.own.length > 0 ? null : view.position)
    const bounds = { tenantId, memoryRef, now, limit, fromPosition: from.createdPosition, fromOrdinal: from.ordinal }
    const tag = query.tag === null ? {} : { tag: query.tag }
    const rows =
      view.own.length > 0
        ? (query.tag === null ? sql.listOwn : sql.listOwnTag).all({
            ...bounds,
            ...tag,
            position,
            own: JSON.stringify(view.own),
          })
        : view.position === null
          ? (query.tag === null ? sql.listNow : sql.listTagNow).all({ ...bounds, ...tag })
          : (query.tag === null ? sql.listAt : sql.listTagAt).all({ ...bounds, ...tag, position })
    return { position, versions: (rows as VersionRow[]).map(toVersion) }
  })

  function versions(...[tenantId, keys]: Parameters<Storage['versions']>): EntryVersion[] {
    return keys.flatMap((key) => {
      const row = sql.version.get(tenantId, key.memoryRef, key.entryId, key.version)
      return row ? [toVersion(row as VersionRow)] : []
    })
  }

  function positionAt(tenantId: string, instant: number): number {
    const row = sql.positionAt.get({ tenantId, instant }) as { position: number } | undefined
    return row?.position ?? 0
  }

  function audit({ tenantId, from, to, limit }: Parameters<Storage['audit']>[0]): AuditRow[] {
    return (sql.audit.all(tenantId, from, to, limit) as AuditTableRow[]).map(toAuditRow)
  }

  return { clock, get, list, versions, positionAt, audit }
}

function atPosition(position: number | null): number {
  return position ?? Number.MAX_SAFE_INTEGER
}

const notExpired = '(v.expires_at is null or v.expires_at > :now)'
const visible = 'recorded_position <= :position and (ended_position is null or ended_position > :position)'
const ofScope = 'v.tenant_id = :tenantId and v.memory_ref = :memoryRef'
const olderV = '(v.created_position, v.ordinal) < (:fromPosition, :fromOrdinal)'
const olderT = '(t.created_position, t.ordinal) < (:fromPosition, :fromOrdinal)'
const byAge = 'order by v.created_position desc, v.ordinal desc'
const byTagAge = 'order by t.created_position desc, t.ordinal desc'
const tagJoin = `
        from entry_tag t
       cross join entry_version v
          on v.tenant_id = t.tenant_id
         and v.memory_ref = t.memory_ref
         and v.created_position = t.created_position
         and v.ordinal = t.ordinal
         and v.version = t.version
       where t.tenant_id = :tenantId
         and t.memory_ref = :memoryRef
         and t.tag = :tag`

/**
 * Versions that the reading run wrote itself before its current step. The cross join keeps SQLite from scanning the
 * whole ref instead of looking up the run.
 */
const ownWrites = `
        select ${columnsOfV}
          from json_each(:own) w
         cross join entry_version v indexed by entry_version_by_run
         where v.tenant_id = :tenantId
           and v.run_id = w.value ->> 'runId'
           and v.run_sequence < w.value ->> 'beforeSequence'
           and v.memory_ref = :memoryRef`

/** A snapshot and the run's own writes as one list. The snapshot half is limited by itself: writes of others since then cost nothing. */
const withOwnWrites = (snapshot: { where: string; order: string }, ownFilter = '') => `
      with own as materialized (
             select ${versionColumns}
               from (select mine.*, row_number() over (partition by entry_id order by version desc) as nth from (${ownWrites}) mine)
              where nth = 1),
           snapshot as (${snapshot.where}
                and ${notExpired}
                and v.entry_id not in (select entry_id from own)
              ${snapshot.order}
              limit :limit)
      select * from (
        select * from own v
         where ${olderV}
           and ${notExpired}
           ${ownFilter}
         union all
        select * from snapshot) v
       ${byAge}
       limit :limit`

function prepare(db: Database) {
  return {
    clock: db.prepare(selectClock),
    getNow: db.prepare(`
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and memory_ref = ?
         and entry_id = ?
         and ended_position is null
         and (expires_at is null or expires_at > ?)`),
    getAt: db.prepare(`
      select ${columnsOfV}
        from entry_version v
       where ${ofScope}
         and v.entry_id = :entryId
         and ${visible}
         and ${notExpired}`),
    getOwn: db.prepare(`
      with own as (${ownWrites} and v.entry_id = :entryId),
           seen as (
             select * from (select * from own order by version desc limit 1)
              union all
             select ${columnsOfV}
               from entry_version v
              where ${ofScope}
                and v.entry_id = :entryId
                and ${visible}
                and not exists (select 1 from own))
      select *
        from seen v
       where ${notExpired}`),
    listNow: db.prepare(`
      select ${columnsOfV}
        from entry_version v
       where ${ofScope}
         and v.ended_position is null
         and ${olderV}
         and ${notExpired}
       ${byAge}
       limit :limit`),
    listAt: db.prepare(`
      select ${columnsOfV}
        from entry_version v
       where ${ofScope}
         and ${olderV}
         and ${visible}
         and ${notExpired}
       ${byAge}
       limit :limit`),
    listTagNow: db.prepare(`
      select ${columnsOfV}
        ${tagJoin}
         and t.ended_position is null
         and ${olderT}
         and ${notExpired}
       ${byTagAge}
       limit :limit`),
    listTagAt: db.prepare(`
      select ${columnsOfV}
        ${tagJoin}
         and t.recorded_position <= :position
         and (t.ended_position is null or t.ended_position > :position)
         and ${olderT}
         and ${notExpired}
       ${byTagAge}
       limit :limit`),
    listOwn: db.prepare(
      withOwnWrites({
        where: `
             select ${columnsOfV}
               from entry_version v
              where ${ofScope}
                and v.created_position <= :position
                and ${olderV}
                and ${visible}`,
        order: byAge,
      }),
    ),
    listOwnTag: db.prepare(
      withOwnWrites(
        {
          where: `
             select ${columnsOfV}
               ${tagJoin}
                and t.created_position <= :position
                and ${olderT}
                and t.recorded_position <= :position
                and (t.ended_position is null or t.ended_position > :position)`,
          order: byTagAge,
        },
        'and exists (select 1 from json_each(v.tags) where value = :tag)',
      ),
    ),
    version: db.prepare(`
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and memory_ref = ?
         and entry_id = ?
         and version = ?`),
    // Instants never fall as positions rise, so halving finds the place in a few look-ups by key, without an index.
    positionAt: db.prepare(`
      with recursive search (low, high) as (
        select 0, position from tenant_clock where tenant_id = :tenantId
         union all
        select case when a.at <= :instant then a.position else low end,
               case when a.at <= :instant then high else a.position - 1 end
          from search
          join audit a
            on a.tenant_id = :tenantId
           and a.position = (low + high + 1) / 2
         where low < high)
      select low as position
        from search
       where low = high`),
    audit: db.prepare(`
      select position, at, kind, record, hash, changes
        from audit
       where tenant_id = ?
         and position between ? and ?
       order by position
       limit ?`),
  }
}
