import type { Database, Statement } from 'better-sqlite3'
import { versionColumns } from '../sql/version-rows.ts'
import { selectClock } from './commit-statements.ts'
import { notFenced } from './fence.ts'
import {
  columnsOfV,
  isThere,
  type ListStatements,
  listedColumnsOfV,
  listStatements,
  notExpired,
  ownLists,
  ownWrites,
  visible,
} from './list-statements.ts'

/** The statements of reads, each bounded by a limit. */

/** The plus keeps SQLite from searching by the ref, which may have a million other entries. */
const ofEntry = 'v.tenant_id = :tenantId and +v.memory_ref = :memoryRef and v.entry_id = :entryId'

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
  ...ownLists,
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
/** The text of a lookup of versions by key that match a filter. */
export function filteredVersions(condition: string): string {
  return `
      select ${columnsOfV}
        from json_each(:keys) k
       cross join entry_version v
       where v.tenant_id = :tenantId
         and +v.memory_ref = k.value ->> 'memoryRef'
         and v.entry_id = k.value ->> 'entryId'
         and v.version = k.value ->> 'version'
         and ${notFenced('v')}
         and ${condition}`
}

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
