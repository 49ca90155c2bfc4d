/** The statements of reads: one each, so each read is of one moment. */
import { clockRows } from '../sql/rows.ts'
import { versionColumns } from '../sql/version-rows.ts'
import { excerptCharacters } from '../sql/write-excerpts.ts'
import { statement } from './connection.ts'
import { notFenced } from './fence.ts'
import { firstUpTo } from './first-up-to.ts'
import { listStatements, ownWrites, recordedBy } from './list-statements.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

/**
 * `is true` keeps the planner from searching by the ref, which may have a million other entries: without statistics
 * (a young table) both ways look equally good to it.
 */
const ofEntry = 'v.tenant_id = $1 and v.entry_id = $3 and (v.memory_ref = $2) is true'

/** Versions by key, of those that fulfil a condition on `v`. */
export const versionsByKey = (condition = '') => `
     select ${columnsOfV}
       from unnest($2::text[], $3::text[], $4::bigint[]) with ordinality as wanted (memory_ref, entry_id, version, place)
       join entry_version v
         on v.tenant_id = $1
        and v.entry_id = wanted.entry_id
        and v.version = wanted.version
        and (v.memory_ref = wanted.memory_ref) is true
        and ${notFenced('v')}
        ${condition}
      order by wanted.place`
export const readStatements = {
  clock: statement(
    'clock',
    `select ${clockRows.columns}
       from tenant_clock
      where tenant_id = $1`,
  ),
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
  ...listStatements,
  versions: statement('versions', versionsByKey()),
  scan: statement(
    'scan_versions',
    `select ${columnsOfV}
       from entry_version v
      where v.tenant_id = $1
        and (v.entry_id, v.version) > ($2, $3::bigint)
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
        and (v.recorded_position, v.entry_id, v.version) < ($2, $3, $4::bigint)
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
    firstUpTo(
      '$5',
      'body',
      'position',
      `select position, at, body, hash, refs
         from audit
        where tenant_id = $1
          and position between $2 and $3
        order by position
        limit $4`,
    ),
  ),
  writeExcerpts: statement(
    'write_excerpts',
    `select w.nth, a.at, left(a.body, ${excerptCharacters}) as head,
            strpos(a.body, w.name) as named_at, strpos(a.body, $4) as list_at
       from unnest($2::bigint[], $3::text[]) with ordinality as w (position, name, nth)
       join audit a
         on a.tenant_id = $1
        and a.position = w.position`,
  ),
}
