import type { Statement } from 'better-sqlite3'
import { listedColumns, versionColumns } from '../sql/version-rows.ts'
import { accessible } from './access.ts'
import { notFenced } from './fence.ts'

/** The statements of lists of a ref, each bounded by a limit. */

export const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')
export const listedColumnsOfV = listedColumns.replace(/\w+/g, 'v.$&')

export const notExpired = '(v.expires_at is null or v.expires_at > :now)'
/** Neither expired nor behind a fence; in lists, also within the access of the reader. */
export const isThere = `${notExpired} and ${notFenced('v')}`
const isListed = `${isThere} and ${accessible('v')}`
export const visible = 'recorded_position <= :position and (ended_position is null or ended_position > :position)'
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
export const ownWrites = `
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

/** A filter on `v`, down to the last place that is examined. */
const narrowed = (filter: string | undefined, row: string) =>
  filter === undefined ? '' : `and (${row}.created_position, ${row}.ordinal) >= (:toPosition, :toOrdinal) and ${filter}`

/** The entries that a run sees. */
const listOwn = (filter?: string) =>
  withOwnWrites(
    {
      where: `
             select ${columnsOfV}
               from entry_version v
              where ${ofScope}
                and v.created_position <= :position
                and ${olderV}
                and ${visible}
                ${narrowed(filter, 'v')}`,
      order: byAge,
    },
    narrowed(filter, 'v'),
  )

/** The lists of current entries and of those at a position, all or those with a tag. */
export const listStatements = (columns: string, filter?: string) => ({
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
         ${narrowed(filter, 'v')}
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
         ${narrowed(filter, 't')}
       ${byTagAge}
       limit +:limit`,
})

export type ListStatements = Record<keyof ReturnType<typeof listStatements>, Statement>

/** Lists of a run, and the steps of filtered ones. */
export const ownLists = {
  listOwn: listOwn(),
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
  /** The place of the last row that a step of a filtered list examines. */
  lastExamined: `
      select created_position as createdPosition, ordinal
        from entry_version v indexed by entry_version_by_age
       where ${ofScope}
         and ${olderV}
       ${byAge}
       limit 1
      offset +:skipped`,
}

/** The texts of lists that a filter narrows, down to the last place that is examined. */
export function filteredLists(filter: string) {
  const { at, tagAt } = listStatements(columnsOfV, filter)
  return { at, tagAt, own: listOwn(filter) }
}
