import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { withStorageErrors } from './errors.ts'
import { pendingIn, sqliteMigrations } from './migrate.ts'

/** How many migrations are pending, without changing anything. Fails as opening would. */
export function pendingSqliteMigrations(path: string): number {
  if (!existsSync(path)) return sqliteMigrations.length
  return withStorageErrors(() => {
    const db = new Database(path, { readonly: true, timeout: 2_000 })
    try {
      return pendingIn(db).length
    } finally {
      db.close()
    }
  })
}
