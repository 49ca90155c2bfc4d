/** The statements of lists of a ref: one each, so each read is of one moment. */
import { versionColumns } from '../sql/version-rows.ts'
import { accessible } from './access.ts'
import { statement } from './connection.ts'
import { notFenced } from './fence.ts'
import { bothHalves, isLive } from './live-and-ended.ts'
import { byOrdinal, hasTag, isAtOrdinal, isOfTag, placeOfTag, recordedOf, scanPlaceSql } from './tag-rows.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

const ofScope = 'v.tenant_id = $1 and v.memory_ref = $2'
export const recordedBy = (position: string) => `v.recorded_position <= ${position}`
const listNotExpired = '(v.expires_at is null or v.expires_at > $3)'
/** Neither expired nor behind a fence. */
const isThere = `${listNotExpired} and ${notFenced('v')}`
const isAccessible = accessible('v', '$7', '$8')
const isListed = `${isThere} and ${isAccessible}`
const olderV = '(v.created_position, v.ordinal) < ($4, $5)'
const olderT = `t.place < ${scanPlaceSql('$4', '$5')}`
const visibleInList = `${recordedBy('$9')} and (v.ended_position is null or v.ended_position > $9)`
const byAge = 'order by v.created_position desc, v.ordinal desc'
const byTagAge = 'order by t.place desc'
/** The version that a row of a tag is of, if it has that tag. */
const taggedVersion = (tag: string) => (isOfHalf: string) =>
  `
        select ${columnsOfV}
          from entry_version v
         where v.tenant_id = $1
           and v.memory_ref = $2
           and v.created_position = p.created_position
           and ${isAtOrdinal('p')}
           and v.version = t.version
           and ${isOfHalf}
           and ${hasTag('v', tag)}
           and ${notFenced('v')}
         ${byOrdinal}`
/** Tag rows lead and each fetches its version by key (`offset 0` keeps the planner from turning that round). */
const tagJoin = (version: string, key: string) => `
       from entry_tag t
      cross join ${placeOfTag}
      cross join lateral (${version} offset 0) v
      where t.tenant_id = $1
        and ${isOfTag(key)}`

/** The page and the position it was read at, from one statement and so from one moment. */
const withPosition = (page: string) => `
   select c.position as at_position, v.*
     from tenant_clock c
     left join lateral (${page}) v on true
    where c.tenant_id = $1
    ${byAge}`

/** Versions that the reading run wrote itself before its current step. */
export const ownWrites = (own: string) => `
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

/** A condition on `v`, and the parameters of the last place that is examined. */
export type NarrowedList = { readonly condition: string; readonly toPosition: string; readonly toOrdinal: string }

/** Narrows a list by a filter, down to the last place that is examined. */
export const narrowed = (by: NarrowedList | undefined) =>
  by === undefined
    ? ''
    : `and (v.created_position, v.ordinal) >= (${by.toPosition}::bigint, ${by.toOrdinal}::bigint) and ${by.condition}`

const narrowedTag = (by: NarrowedList | undefined) =>
  by === undefined ? '' : `and t.place >= ${scanPlaceSql(by.toPosition, by.toOrdinal)} and ${by.condition}`

/** Lists as of a position. */
export function listsAt(by?: NarrowedList) {
  return {
    listAt: `select *
       from (${bothHalves(
         (isOfHalf) => `
         select ${columnsOfV}
           from entry_version v
          where ${ofScope}
            and ${isOfHalf}
            and ${olderV}
            and ${visibleInList}
            and ${isListed}
            ${narrowed(by)}
          ${byAge}
          limit $6`,
       )}) v
      ${byAge}
      limit $6`,
    listTagAt: `select ${columnsOfV}
       ${tagJoin(bothHalves(taggedVersion('$10')), '$11')}
        and ${recordedOf('t')} <= $9
        and (t.ended_position is null or t.ended_position > $9)
        and ${olderT}
        and ${listNotExpired}
        and ${isAccessible}
        ${narrowedTag(by)}
      ${byTagAge}
      limit $6`,
    listOwn: withOwnWrites(
      (isUnchanged) =>
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
               ${narrowed(by)}
             ${byAge}
             limit $6`,
        ),
      narrowed(by),
    ),
  }
}

export const listStatements = {
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
       ${tagJoin(taggedVersion('$9')(isLive), '$10')}
        and t.ended_position is null
        and ${olderT}
        and ${listNotExpired}
        and ${isAccessible}
      ${byTagAge}
      limit $6`),
  ),
  listAt: statement('list_at', listsAt().listAt),
  listTagAt: statement('list_tag_at', listsAt().listTagAt),
  listOwn: statement('list_own', listsAt().listOwn),
  listOwnTag: statement(
    'list_own_tag',
    withOwnWrites(
      (isUnchanged) => `
            select ${columnsOfV}
              ${tagJoin(bothHalves(taggedVersion('$11')), '$12')}
               and t.place <= ${scanPlaceSql('$9', String(Number.MAX_SAFE_INTEGER))}
               and ${olderT}
               and ${recordedOf('t')} <= $9
               and (t.ended_position is null or t.ended_position > $9)
               and ${isUnchanged}
             ${byTagAge}
             limit $6`,
      `and ${hasTag('v', '$11')}`,
    ),
  ),
  lastExamined: statement(
    'last_examined_place',
    `select created_position as "createdPosition", ordinal
       from (${bothHalves(
         (isOfHalf) => `
         select v.created_position, v.ordinal
           from entry_version v
          where ${ofScope}
            and ${isOfHalf}
            and (v.created_position, v.ordinal) < ($3, $4)
          ${byAge}
          limit $5`,
       )}) v
      ${byAge}
     offset $5 - 1
      limit 1`,
  ),
}
