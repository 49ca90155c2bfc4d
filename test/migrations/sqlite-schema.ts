import type { Database } from 'better-sqlite3'

/** What SQLite keeps of each table and index, ordered by name, without comments. */
export function describeSqlite(db: Database): string {
  const rows = db
    .prepare(`select sql from sqlite_master where sql is not null order by tbl_name, type desc, name`)
    .pluck()
    .all() as string[]
  return rows.map((sql) => `${normalise(sql)};\n`).join('')
}

/** Line by line as it was written, so that a review sees which column changed. */
function normalise(sql: string): string {
  return sql
    .split('\n')
    .map((line) => line.replace(/--.*/, '').trimEnd().replace(/\s+/g, ' '))
    .filter((line) => line !== '')
    .join('\n')
}

export type SqliteIndex = { readonly table: string; readonly name: string; readonly columns: readonly string[] }

/** Primary keys are among them: SQLite keeps each as an index of its own. */
export function readIndexes(db: Database): SqliteIndex[] {
  return readTables(db).flatMap((table) => {
    const indexes = db.pragma(`index_list(${table})`) as { name: string }[]
    return indexes.map(({ name }) => {
      const columns = db.pragma(`index_info(${name})`) as { name: string }[]
      return { table, name, columns: columns.map((column) => column.name) }
    })
  })
}

export function readTables(db: Database): string[] {
  const tables = `select name from sqlite_master where type = 'table' order by name`
  return db.prepare(tables).pluck().all() as string[]
}
