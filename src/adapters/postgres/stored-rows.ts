import type { StoredRows, StoredTable } from '../../ports/stored-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { pageStatement, storedTables, toStored } from '../sql/stored-rows.ts'
import { type Queryable, query, type SqlStatement, statement } from './connection.ts'

/** What comes before every number fits no column of four bytes. */
const page = (table: StoredTable): SqlStatement =>
  statement(
    `stored_${table.toLowerCase()}`,
    pageStatement(table, (number) =>
      typeof storedTables[table].before[number - 2] === 'number' ? `$${number}::bigint` : `$${number}`,
    ),
  )

const statements = Object.fromEntries(
  Object.keys(storedTables).map((table) => [table, page(table as StoredTable)]),
) as Record<StoredTable, SqlStatement>

export function createStoredRows(session: Queryable): StoredRows {
  return {
    async page(table, { tenantId, after, limit }) {
      const from = after ?? storedTables[table].before
      const rows = await query<Row>(session, statements[table], [tenantId, ...from, limit])
      return rows.map((row) => toStored(table, row))
    },
  }
}
