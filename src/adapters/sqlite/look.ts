import Database from 'better-sqlite3'
import { pendingMigrations } from '../migrations.ts'
import { withStorageErrors } from './errors.ts'
import { sqliteMigrations } from './migrate.ts'

/** How many steps the schema lacks, without changing anything. Fails as opening would. */
export function pendingInSqlite(path: string): number {
  return withStorageErrors(() => {
    const db = new Database(path, { readonly: true, timeout: 2_000 })
    try {
      const register = db
        .prepare("select 1 from sqlite_master where type = 'table' and name = 'schema_migration'")
        .get()
      const applied = register ? db.prepare('select number, name, checksum from schema_migration').all() : []
      return pendingMigrations(sqliteMigrations, applied as Parameters<typeof pendingMigrations>[1]).length
    } finally {
      db.close()
    }
  })
}
