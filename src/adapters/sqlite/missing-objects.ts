import Database from 'better-sqlite3'
import { migrateSqlite } from './migrate.ts'

/**
 * The tables, columns, indexes and triggers that a database of this version has and this file lacks, as after a change by hand. A server
 * prepares its statements on their first use, so it would find some of them late, and an index never.
 */
export function missingObjects(path: string): string[] {
  const file = new Database(path, { readonly: true, fileMustExist: true })
  const whole = new Database(':memory:')
  try {
    migrateSqlite(whole, 0)
    const known = new Set(objectsOf(file))
    return objectsOf(whole).filter((name) => !known.has(name))
  } finally {
    file.close()
    whole.close()
  }
}

function objectsOf(db: Database.Database): string[] {
  return db
    .prepare(`
      select type || ' ' || name from sqlite_schema
       union all
      select 'column ' || m.name || '.' || c.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'
       order by 1`)
    .pluck()
    .all() as string[]
}
