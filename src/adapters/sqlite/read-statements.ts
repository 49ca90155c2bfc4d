import type { Database, Statement } from 'better-sqlite3'
import { listedColumns, versionColumns } from '../sql/version-rows.ts'
import { accessible } from './access.ts'
import { selectClock } from './commit-statements.ts'
import { notFenced } from './fence.ts'

/** The statements of reads, each bounded by a limit. */

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')
const listedColumnsOfV = listedColumns.replace(/\w+/g, 'v.$&')

const notExpired = '(v.expires_at is null or v.expires_at > :now)'
/** Neither expired nor behind a fence; in lists, also within the access of the reader. */
const isThere = `${notExpired} and ${notFenced('v')}`
const isListed = `${isThere} and ${accessible('v')}`
const visible = 'recorded_position <= :position and (ended_position is null or ended_position > :position)'
/** The plus keeps SQLite from searching by the ref, which may have a million other entries. */
const ofEntry = 'v.tenant_id = :tenantId and +v.memory_ref = :memoryRef and v.entry_id = :entryId'
const ofScope = 'v.tenant_id = :tenantId and v.memory_ref = :memoryRef'
const olderV = '(v.created_position, v.ordinal) < (:fromPosition, :fromOrdinal)'
const olderT = '(t.created_position, t.ordinal) < (:fromPosition, :fromOrdinal)'
/** The position that the rows of a statement were read at. */
const positionNow = '(select position from tenant_clock where tenant_id = :tenantId) as at_position'
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
           and v.memory_ref = :memoryRef
           and ${notFenced('v')}`

/** A snapshot and the run's own writes as one list. The snapshot half is limited by itself: writes of others since then cost nothing. */
const withOwnWrites = (snapshot: { where: string; order: string }, ownFilter = '') => `
      with own as materialized (
             select ${versionColumns}
               from (select mine.*, row_number() over (partition by entry_id order by version desc) as nth from (${ownWrites}) mine)
              where nth = 1),
           snapshot as (${snapshot.where}
                and ${isListed}
                and v.entry_id not in (select entry_id from own)
              ${snapshot.order}
              limit +:limit)
      select * from (
        select * from own v
         where ${olderV}
           and ${notExpired}
           and ${accessible('v')}
           ${ownFilter}
         union all
        select * from snapshot) v
       ${byAge}
       limit +:limit`

/** The lists of current entries and of those at a position, all or those with a tag. */
const listStatements = (columns: string) => ({
  now: `
      select ${columns}, ${positionNow}
        from entry_version v
       where ${ofScope}
         and v.ended_position is null
         and ${olderV}
         and ${isListed}
       ${byAge}
       limit +:limit`,
  at: `
      select ${columns}
        from entry_version v
       where ${ofScope}
         and ${olderV}
         and ${visible}
         and ${isListed}
       ${byAge}
       limit +:limit`,
  tagNow: `
      select ${columns}, ${positionNow}
        ${tagJoin}
         and t.ended_position is null
         and ${olderT}
         and ${isListed}
       ${byTagAge}
       limit +:limit`,
  tagAt: `
      select ${columns}
        ${tagJoin}
         and t.recorded_position <= :position
         and (t.ended_position is null or t.ended_position > :position)
         and ${olderT}
         and ${isListed}
       ${byTagAge}
       limit +:limit`,
})

const readStatements = {
  clock: selectClock,
  getNow: `
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
         and ended_position is null
         and (expires_at is null or expires_at > ?)
         and ${notFenced('entry_version', 'entry_version.tenant_id')}`,
  getAt: `
      select ${columnsOfV}
        from entry_version v
       where ${ofEntry}
         and ${visible}
         and ${isThere}`,
  getOwn: `
      with own as (${ownWrites} and v.entry_id = :entryId),
           seen as (
             select * from (select * from own order by version desc limit 1)
              union all
             select ${columnsOfV}
               from entry_version v
              where ${ofEntry}
                and ${visible}
                and ${notFenced('v')}
                and not exists (select 1 from own))
      select *
        from seen v
       where ${notExpired}`,
  listOwn: withOwnWrites({
    where: `
             select ${columnsOfV}
               from entry_version v
              where ${ofScope}
                and v.created_position <= :position
                and ${olderV}
                and ${visible}`,
    order: byAge,
  }),
  listOwnTag: withOwnWrites(
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
  version: `
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
         and version = ?
         and ${notFenced('entry_version', 'entry_version.tenant_id')}`,
  scan: `
      select ${versionColumns}
        from entry_version
       where tenant_id = :tenantId
         and (entry_id, version) > (:entryId, :version)
         and ${notFenced('entry_version')}
       order by entry_id, version
       limit +:limit`,
  recent: `
      select ${versionColumns}
        from entry_version indexed by entry_version_by_recording
       where tenant_id = :tenantId
         and recorded_position <= :recordedPosition
         and (recorded_position, entry_id, version) < (:recordedPosition, :entryId, :version)
         and ${notFenced('entry_version')}
       order by recorded_position desc, entry_id desc, version desc
       limit +:limit`,
  // Instants never fall as positions rise, so a binary search finds the position in a few lookups by key, without an index.
  positionAt: `
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
       where low = high`,
  audit: `
      select position, at, body, hash, refs
        from audit
       where tenant_id = ?
         and position between ? and ?
       order by position
       limit +?`,
}

export type ListStatements = Record<keyof ReturnType<typeof listStatements>, Statement>

export type ReadStatements = Record<keyof typeof readStatements, Statement> & {
  readonly list: ListStatements
  readonly shown: ListStatements
}

export function prepareReads(db: Database): ReadStatements {
  return {
    ...prepareEach(db, readStatements),
    list: prepareEach(db, listStatements(columnsOfV)),
    shown: prepareEach(db, listStatements(listedColumnsOfV)),
  }
}

function prepareEach<Name extends string>(
  db: Database,
  statements: Readonly<Record<Name, string>>,
): Record<Name, Statement> {
  const prepared = Object.entries<string>(statements).map(([name, sql]) => [name, db.prepare(sql)])
  return Object.fromEntries(prepared) as Record<Name, Statement>
}
