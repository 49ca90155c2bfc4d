import type { Database, Statement } from 'better-sqlite3'
import type { StoredRows, StoredTable } from '../../ports/stored-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { pageStatement, storedTables, toStored } from '../sql/stored-rows.ts'

export function createStoredRows(db: Database, answer: <T>(work: () => T) => Promise<T>): StoredRows {
  const statements = new Map<StoredTable, Statement>()
  const statementOf = (table: StoredTable): Statement => {
    const known = statements.get(table) ?? db.prepare(pageStatement(table, () => '?', 't.tenant_id'))
    statements.set(table, known)
    return known
  }
  return {
    page: (table, { tenantId, after, limit }) =>
      answer(() => {
        const from = after ?? storedTables[table].before
        return (statementOf(table).all(tenantId, ...from, limit) as Row[]).map((row) => toStored(table, row))
      }),
  }
}
