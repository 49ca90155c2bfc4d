import Database from 'better-sqlite3'
import type { SchemaDifference } from '../../ports/database-snapshot.ts'
import { compareSchema, type SchemaFact } from '../sql/compare-schema.ts'
import { migrateSqlite } from './migrate.ts'

/** What a file has otherwise than the migrations make it, as after a change by hand: a trigger, or an index that is not there. */
export function schemaDifferences(db: Database.Database): SchemaDifference[] {
  expected ??= expectedSchema()
  const tables = new Set(expected.flatMap(({ what, name }) => (what === 'table' ? [name] : [])))
  return compareSchema(
    expected,
    factsOf(db).filter(({ what, table }) => what === 'table' || tables.has(table)),
  )
}

/** For a file that no server uses. */
export function schemaDifferencesIn(path: string): SchemaDifference[] {
  const file = new Database(path, { readonly: true, fileMustExist: true })
  try {
    return schemaDifferences(file)
  } finally {
    file.close()
  }
}

let expected: readonly SchemaFact[] | undefined

function expectedSchema(): readonly SchemaFact[] {
  const whole = new Database(':memory:')
  try {
    migrateSqlite(whole, 0)
    return factsOf(whole)
  } finally {
    whole.close()
  }
}

type OfTable = SchemaFact & { readonly table: string }

/** How these look is up to the version of SQLite. */
const isOfFullText = (table: string) => table.startsWith('search_key_')

function factsOf(db: Database.Database): OfTable[] {
  const objects = db.prepare('select type, name, tbl_name, sql from sqlite_schema').all() as {
    type: string
    name: string
    tbl_name: string
    sql: string | null
  }[]
  const columns = db.prepare(`
    select m.name as tableName, c.name, c.type || ' ' || c."notnull" || ' ' || c.pk || ' ' || c.hidden || ' ' || coalesce(c.dflt_value, '') as definition
      from sqlite_schema m, pragma_table_xinfo(m.name) c
     where m.type = 'table'`)
  const ofTables = columns.all() as { tableName: string; name: string; definition: string }[]
  return [
    ...objects.map(({ type, name, tbl_name: table, sql }): OfTable => {
      const what = type === 'view' ? 'table' : (type as 'table' | 'index' | 'trigger')
      // A name is the same in any case of letters, also to a trigger on our table.
      const of = table.toLowerCase()
      return { what, name, table: of, definition: sql === null || isOfFullText(of) ? null : normalised(sql) }
    }),
    ...ofTables.map(({ tableName, name, definition }): OfTable => {
      const table = tableName.toLowerCase()
      return { what: 'column', name: `${table}.${name}`, table, definition: isOfFullText(table) ? null : definition }
    }),
  ]
}

/** SQLite keeps a definition as it was written, and a renamed table in quotes. */
function normalised(sql: string): string {
  return sql
    .replace(/--[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .replaceAll('"', '')
    .trim()
}
