import type { Database, Statement } from 'better-sqlite3'
import { neighbourColumns } from '../sql/search-rows.ts'
import { versionColumns } from '../sql/version-rows.ts'
import { accessible, hiddenFrom } from './access.ts'
import { notFenced } from './fence.ts'
import { scopeColumns } from './search-table.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')
// Row ids already say the ref and the tenant. Statements by row id compare both nevertheless; the plus keeps them from another index.
const neighbourOfV = neighbourColumns.replace(/\w+/g, 'v.$&')

const visible = `v.recorded_position <= :position
         and (v.ended_position is null or v.ended_position > :position)
         and (v.expires_at is null or v.expires_at > :now)
         and ${notFenced('v')}
         and ${accessible('v')}`

type SearchStatement =
  | 'scope'
  | 'unindexedRows'
  | 'rowAtOrBefore'
  | 'recordedLater'
  | 'hidden'
  | 'countRows'
  | 'postings'
  | 'row'
  | 'older'
  | 'newer'
  | 'scopesAfter'
  | 'countUnindexed'

/** The text of a lookup of a row that matches a filter. */
export const filteredRow = (condition: string) => `
      select ${columnsOfV}
        from entry_version v
       where v.row_id = :rowId
         and +v.tenant_id = :tenantId
         and +v.memory_ref = :memoryRef
         and ${notFenced('v')}
         and ${condition}`

/** The text of a lookup of unindexed rows that match a filter. */
export const filteredUnindexed = (condition: string) => `
      select v.entry_id as entryId, v.version
        from entry_version v
       where v.row_id > :after
         and v.row_id <= :upTo
         and +v.tenant_id = :tenantId
         and +v.memory_ref = :memoryRef
         and ${condition}`

/** The statements of searches. */
export function prepareSearch(db: Database): Record<SearchStatement, Statement> {
  return {
    scope: db.prepare(`select ${scopeColumns} from search_scope where tenant_id = ? and memory_ref = ?`),
    unindexedRows: db.prepare(`
      select ${columnsOfV}
        from entry_version v
       where v.row_id > :after
         and v.row_id <= :upTo
         and +v.tenant_id = :tenantId
         and +v.memory_ref = :memoryRef
         and v.recorded_position <= :position
         and ${notFenced('v')}
       order by v.row_id
       limit +:limit`),
    rowAtOrBefore: db.prepare(`
      select row_id, recorded_position
        from entry_version
       where row_id <= ?
         and row_id > ?
       order by row_id desc
       limit 1`),
    recordedLater: db
      .prepare('select row_id from entry_version where row_id > ? and row_id <= ? and +recorded_position > ?')
      .pluck(),
    hidden: db
      .prepare(`
      select row_id
        from entry_version v
       where v.tenant_id = :tenantId
         and v.memory_ref = :memoryRef
         and v.recorded_position <= :position
         and ${hiddenFrom('v')}`)
      .pluck(),
    countRows: db.prepare('select count(*) from entry_version where row_id > ? and row_id <= ?').pluck(),
    postings: db
      .prepare(`
      select rowid - :base
        from search_key
       where search_key match :match
         and rowid > :after
         and rowid <= :upTo
       order by rowid desc
       limit +:limit`)
      .pluck(),
    row: db.prepare(`
      select ${columnsOfV}
        from entry_version v
       where v.row_id = ?
         and +v.tenant_id = ?
         and +v.memory_ref = ?
         and ${notFenced('v', 'v.tenant_id')}`),
    older: db.prepare(`
      select ${neighbourOfV}
        from entry_version v
       where v.tenant_id = :tenantId
         and v.memory_ref = :memoryRef
         and (v.created_position, v.ordinal) < (:createdPosition, :ordinal)
         and ${visible}
       order by v.created_position desc, v.ordinal desc
       limit +:limit`),
    newer: db.prepare(`
      select ${neighbourOfV}
        from entry_version v
       where v.tenant_id = :tenantId
         and v.memory_ref = :memoryRef
         and (v.created_position, v.ordinal) > (:createdPosition, :ordinal)
         and ${visible}
       order by v.created_position, v.ordinal
       limit +:limit`),
    scopesAfter: db.prepare(`
      select tenant_id as tenantId, memory_ref as memoryRef, ${scopeColumns}
        from search_scope
       where tenant_id >= ?
         and (tenant_id, memory_ref) > (?, ?)
       order by tenant_id, memory_ref
       limit +?`),
    countUnindexed: db
      .prepare('select count(*) from (select 1 from entry_version where row_id > ? and row_id <= ? limit +?)')
      .pluck(),
  }
}
