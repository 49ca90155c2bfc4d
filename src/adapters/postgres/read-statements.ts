/** The statements of reads: one each, so each read is of one moment. */
import { clockRows } from '../sql/rows.ts'
import { versionColumns } from '../sql/version-rows.ts'
import { accessible } from './access.ts'
import { statement } from './connection.ts'
import { notFenced } from './fence.ts'
import { bothHalves, isLive } from './live-and-ended.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

const ofScope = 'v.tenant_id = $1 and v.memory_ref = $2'
/**
 * `is true` keeps the planner from searching by the ref, which may have a million other entries: without statistics
 * (a young table) both ways look equally good to it.
 */
const ofEntry = 'v.tenant_id = $1 and v.entry_id = $3 and (v.memory_ref = $2) is true'
const recordedBy = (position: string) => `v.recorded_position <= ${position}`
const listNotExpired = '(v.expires_at is null or v.expires_at > $3)'
/** Neither expired nor behind a fence. */
const isThere = `${listNotExpired} and ${notFenced('v')}`
const isAccessible = accessible('v', '$7', '$8')
const isListed = `${isThere} and ${isAccessible}`
const olderV = '(v.created_position, v.ordinal) < ($4, $5)'
const olderT = '(t.created_position, t.ordinal) < ($4, $5::bigint)'
const visibleInList = `${recordedBy('$9')} and (v.ended_position is null or v.ended_position > $9)`
const byAge = 'order by v.created_position desc, v.ordinal desc'
const byTagAge = 'order by t.created_position desc, t.ordinal desc'
/** The version that a tag is of. */
const taggedVersion = (isOfHalf: string) => `
        select ${columnsOfV}
          from entry_version v
         where v.tenant_id = $1
           and v.memory_ref = $2
           and v.created_position = t.created_position
           and v.ordinal = t.ordinal
           and v.version = t.version
           and ${isOfHalf}
           and ${notFenced('v')}`
/** Tag rows lead and each fetches its version by key (`offset 0` keeps the planner from turning that round). */
const tagJoin = (version: string) => `
       from entry_tag t
      cross join lateral (${version} offset 0) v
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
        where (v.memory_ref = $2) is true
          and ${notFenced('v')}`

/** A snapshot and the run's own writes as one list. The snapshot half is limited by itself: writes of others since then cost nothing. */
const withOwnWrites = (snapshot: (isUnchanged: string) => string, ownFilter = '') => `
     with own as materialized (
            select distinct on (entry_id) *
              from (${ownWrites('$10')}) mine
             order by entry_id, version desc),
          snapshot as (${snapshot(`${listNotExpired} and ${isAccessible} and v.entry_id not in (select entry_id from own)`)})
     select * from (
       select * from own v
        where ${olderV}
          and ${listNotExpired}
          and ${isAccessible}
          ${ownFilter}
        union all
       select * from snapshot) v
      ${byAge}
      limit $6`

export const readStatements = {
  clock: statement(
    'clock',
    `select ${clockRows.columns}
       from tenant_clock
      where tenant_id = $1`,
  ),
  clocks: statement('clocks', 'select tenant_id, position from tenant_clock where tenant_id = any($1)', {
    isAcrossTenants: true,
  }),
  getAt: statement(
    'get_at',
    `select ${columnsOfV}
       from entry_version v
      where ${ofEntry}
        and ${notFenced('v')}
        and (v.expires_at is null or v.expires_at > $4)
        and ${recordedBy('$5')}
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
             where ${ofEntry}
               and ${notFenced('v')}
               and ${recordedBy('$5')}
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
        and ${isListed}
      ${byAge}
      limit $6`),
  ),
  listTagNow: statement(
    'list_tag_now',
    withPosition(`
     select ${columnsOfV}
       ${tagJoin(taggedVersion(isLive))}
        and t.tag = $9
        and t.ended_position is null
        and ${olderT}
        and ${listNotExpired}
        and ${isAccessible}
      ${byTagAge}
      limit $6`),
  ),
  listAt: statement(
    'list_at',
    `select *
       from (${bothHalves(
         (isOfHalf) => `
         select ${columnsOfV}
           from entry_version v
          where ${ofScope}
            and ${isOfHalf}
            and ${olderV}
            and ${visibleInList}
            and ${isListed}
          ${byAge}
          limit $6`,
       )}) v
      ${byAge}
      limit $6`,
  ),
  listTagAt: statement(
    'list_tag_at',
    `select ${columnsOfV}
       ${tagJoin(bothHalves(taggedVersion))}
        and t.tag = $10
        and t.recorded_position <= $9
        and (t.ended_position is null or t.ended_position > $9)
        and ${olderT}
        and ${listNotExpired}
        and ${isAccessible}
      ${byTagAge}
      limit $6`,
  ),
  listOwn: statement(
    'list_own',
    withOwnWrites((isUnchanged) =>
      bothHalves(
        (isOfHalf) => `
            select ${columnsOfV}
              from entry_version v
             where ${ofScope}
               and ${isOfHalf}
               and v.created_position <= $9
               and ${olderV}
               and ${visibleInList}
               and ${notFenced('v')}
               and ${isUnchanged}
             ${byAge}
             limit $6`,
      ),
    ),
  ),
  listOwnTag: statement(
    'list_own_tag',
    withOwnWrites(
      (isUnchanged) => `
            select ${columnsOfV}
              ${tagJoin(bothHalves(taggedVersion))}
               and t.tag = $11
               and t.created_position <= $9
               and ${olderT}
               and t.recorded_position <= $9
               and (t.ended_position is null or t.ended_position > $9)
               and ${isUnchanged}
             ${byTagAge}
             limit $6`,
      'and exists (select 1 from json_array_elements_text(v.tags::json) as tag where tag = $11)',
    ),
  ),
  versions: statement(
    'versions',
    `select ${columnsOfV}
       from unnest($2::text[], $3::text[], $4::bigint[]) with ordinality as wanted (memory_ref, entry_id, version, place)
       join entry_version v
         on v.tenant_id = $1
        and v.entry_id = wanted.entry_id
        and v.version = wanted.version
        and (v.memory_ref = wanted.memory_ref) is true
        and ${notFenced('v')}
      order by wanted.place`,
  ),
  scan: statement(
    'scan_versions',
    `select ${columnsOfV}
       from entry_version v
      where v.tenant_id = $1
        and (v.entry_id, v.version) > ($2, $3)
        and ${notFenced('v')}
      order by v.entry_id, v.version
      limit $4`,
  ),
  // The index has a condition, which the statement repeats so that the planner may use it.
  recent: statement(
    'recent_versions',
    `select ${columnsOfV}
       from entry_version v
      where v.tenant_id = $1
        and v.recorded_position >= 0
        and v.recorded_position <= $2
        and (v.recorded_position, v.entry_id, v.version) < ($2, $3, $4)
        and ${notFenced('v')}
      order by v.recorded_position desc, v.entry_id desc, v.version desc
      limit $5`,
  ),
  // Instants never fall as positions rise, so a binary search finds the position in a few lookups by key, without an index.
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
    `select position, at, body, hash, refs
       from audit
      where tenant_id = $1
        and position between $2 and $3
      order by position
      limit $4`,
  ),
}
