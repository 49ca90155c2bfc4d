import { neighbourColumns } from '../sql/search-rows.ts'
import { versionColumns } from '../sql/version-rows.ts'
import { accessible, hiddenFrom } from './access.ts'
import { lists, statement } from './connection.ts'
import { notFenced } from './fence.ts'
import { bothHalves } from './live-and-ended.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')
const neighbourOfV = neighbourColumns.replace(/\w+/g, 'v.$&')

const visibleAround = `v.recorded_position <= $3
             and (v.ended_position is null or v.ended_position > $3)
             and (v.expires_at is null or v.expires_at > $4)
             and ${notFenced('v')}
             and ${accessible('v', '$8', '$9')}`

const beside = (side: 'older' | 'newer') => {
  const order = side === 'older' ? 'v.created_position desc, v.ordinal desc' : 'v.created_position, v.ordinal'
  const half = (isOfHalf: string) => `
        select ${neighbourOfV}
          from entry_version v
         where v.tenant_id = $1
           and v.memory_ref = $2
           and ${isOfHalf}
           and (v.created_position, v.ordinal) ${side === 'older' ? '<' : '>'} (p.created_position, p.ordinal)
           and ${visibleAround}
         order by ${order}
         limit $7`
  return `
      (select * from (${bothHalves(half)}) v order by ${order} limit $7)`
}

/** By number: see the indexes of `entry_version`. */
const ofRef = `v.tenant_id = $1
        and v.memory_ref = $2
        and v.nth > 0`

/** Rows by number, of those that fulfil a condition on `v`. */
export const rowsByNumber = (condition = '') => `
     select ${columnsOfV}, v.nth
       from unnest(${lists('$3::bigint')}) as wanted (nth),
            lateral (select * from entry_version v where ${ofRef} and v.nth = wanted.nth offset 0) as v
      where ${notFenced('v')}
        ${condition}`

/** The keys of unindexed rows that fulfil a condition on `v`. */
export const unindexedMatches = (condition: string) => `
     select v.entry_id as "entryId", v.version
       from entry_version v
      where ${ofRef}
        and v.nth > $3
        and v.nth <= $4
        and ${condition}`

/** The statements of searches. */
export const searchStatements = {
  scope: statement(
    'search_scope',
    `select s.newest, s.highest_position, s.unordered_to,
            coalesce(p.indexed, 0) as indexed, coalesce(p.row_count, 0) as row_count
       from search_scope s
       left join search_progress p
         on p.tenant_id = $1
        and p.memory_ref = $2
        and p.rules >= $3
      where s.tenant_id = $1
        and s.memory_ref = $2`,
  ),
  // Numbers rise with positions, so halving finds the newest one.
  newestAt: statement(
    'search_newest_at',
    `with recursive search (low, high) as (
       select 0::bigint, $4::bigint
        union all
       select case when later.nth is null then (low + high + 1) / 2 else low end,
              case when later.nth is null then high else later.nth - 1 end
         from search
         left join lateral (
           select nth
             from (select v.nth, v.recorded_position
                     from entry_version v
                    where ${ofRef}
                      and v.nth > low
                      and v.nth <= (low + high + 1) / 2
                    order by v.nth desc
                    limit 1) as middle
            where middle.recorded_position > $3) as later on true
        where low < high)
     select low as newest,
            (select count(*)
               from entry_version v
              where ${ofRef}
                and v.nth > low
                and v.nth <= $5) as since
       from search
      where low >= high`,
  ),
  recordedLater: statement(
    'search_recorded_later',
    `select v.nth
       from entry_version v
      where ${ofRef}
        and v.nth <= $4
        and (v.recorded_position > $3) is true`,
  ),
  hidden: statement(
    'search_hidden_rows',
    `select v.nth
       from entry_version v
      where ${ofRef}
        and (v.recorded_position <= $3) is true
        and ${hiddenFrom('v', '$4')}`,
  ),
  unindexed: statement(
    'search_unindexed_rows',
    `select ${columnsOfV}
       from entry_version v
      where ${ofRef}
        and v.nth > $4
        and v.nth <= $5
        and (v.recorded_position <= $3) is true
        and ${notFenced('v')}
      order by v.nth
      limit $6`,
  ),
  rows: statement('search_rows', rowsByNumber()),
  around: statement(
    'search_around',
    `select ${neighbourOfV}, p.place
       from unnest(${lists('$5::bigint', '$6::bigint')}) with ordinality as p (created_position, ordinal, place)
      cross join lateral (${beside('older')} union all ${beside('newer')}) v
      order by p.place, v.created_position, v.ordinal`,
  ),
}
