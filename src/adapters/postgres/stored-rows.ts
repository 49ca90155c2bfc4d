import type { StoredRows, StoredTable } from '../../ports/stored-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { pageStatement, storedTables, toStored } from '../sql/stored-rows.ts'
import { type Queryable, query, type SqlStatement, statement } from './connection.ts'
import { bothHalves } from './live-and-ended.ts'

/** The place of a version is in two indexes here. With one join over both, each page of tags would read all versions of the tenant. */
const tagsWithVersions = (tenant: string) => `
  entry_tag t
  left join lateral (${bothHalves(
    (isOfHalf) => `
    select v.entry_id, v.tags, v.recorded_position, v.ended_position
      from entry_version v
     where v.tenant_id = ${tenant}
       and v.memory_ref = t.memory_ref
       and v.created_position = t.created_position
       and v.ordinal = t.ordinal
       and v.version = t.version
       and ${isOfHalf}`,
  )}) v on true`

/** What comes before every number fits no column of four bytes. */
const page = (table: StoredTable): SqlStatement =>
  statement(
    `stored_${table.toLowerCase()}`,
    pageStatement(
      table,
      (number) => (typeof storedTables[table].before[number - 2] === 'number' ? `$${number}::bigint` : `$${number}`),
      '$1',
      table === 'tags' ? tagsWithVersions : storedTables[table].from,
    ),
  )

const statements = Object.fromEntries(
  Object.keys(storedTables).map((table) => [table, page(table as StoredTable)]),
) as Record<StoredTable, SqlStatement>

/**
 * Small rows are read many at once: a page is a round trip, and the process goes on meanwhile. Others stay at what `verify` asks for: an audit record may
 * name a thousand entries, and a source event has its messages.
 */
const pageRows = { versions: 200, tags: 400, assertions: 200 } as const

export function createStoredRows(session: Queryable): StoredRows {
  return {
    pageRows,
    async page(table, { tenantId, after, limit }) {
      const from = after ?? storedTables[table].before
      const rows = await query<Row>(session, statements[table], [tenantId, ...from, limit])
      return rows.map((row) => toStored(table, row))
    },
  }
}
