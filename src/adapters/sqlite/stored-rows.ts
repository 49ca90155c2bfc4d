import type { Database, Statement } from 'better-sqlite3'
import { type RowKey, type StoredRows, type StoredTable, tagNameOf } from '../../ports/stored-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { pageStatement, storedTables, toStored } from '../sql/stored-rows.ts'

/**
 * Tags are stored by the number of their ref. With one comparison of the whole key, each page would read the rows of the ref from the first:
 * so a page has the rest of a ref, and then the refs after it.
 */
const tagsAfter = {
  inRef: 't.memory_ref = ? and (t.tag, t.created_position, t.ordinal, t.version) > (?, ?, ?, ?)',
  inLaterRefs: 't.memory_ref > ?',
}

export function createStoredRows(db: Database, answer: <T>(work: () => T) => Promise<T>): StoredRows {
  const statements = new Map<string, Statement>()
  const statementOf = (table: StoredTable, isAfter?: string): Statement => {
    const name = `${table} ${isAfter}`
    const known = statements.get(name) ?? db.prepare(pageStatement(table, () => '?', isAfter))
    statements.set(name, known)
    return known
  }
  const tags = (tenantId: string, from: RowKey, limit: number): Row[] => {
    const rows = statementOf('tags', tagsAfter.inRef).all(tenantId, ...from, limit) as Row[]
    const later = statementOf('tags', tagsAfter.inLaterRefs)
    return rows.length === limit ? rows : [...rows, ...(later.all(tenantId, from[0], limit - rows.length) as Row[])]
  }
  return {
    tagName: (_tenantId, memoryRef, tag) => tagNameOf(memoryRef, tag),
    page: (table, { tenantId, after, limit }) =>
      answer(() => {
        const from = after ?? storedTables[table].before
        const rows =
          table === 'tags' ? tags(tenantId, from, limit) : (statementOf(table).all(tenantId, ...from, limit) as Row[])
        return rows.map((row) => toStored(table, row))
      }),
  }
}
