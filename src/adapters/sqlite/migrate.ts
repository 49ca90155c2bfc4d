import type { Database } from 'better-sqlite3'
import { foldName } from '../../core/people/spelling.ts'
import { type AppliedMigration, type Migration, pendingMigrations, readMigrations } from '../sql/migrations.ts'

export const sqliteMigrations: readonly Migration[] = readMigrations(new URL('./migrations/', import.meta.url))

/**
 * Brings the schema up to date. The write lock is taken before looking, and each step is recorded in the transaction
 * that makes it: two processes that start together cannot both apply it, and a crash leaves whole steps only.
 */
export function migrateSqlite(db: Database, now: number, migrations: readonly Migration[] = sqliteMigrations): void {
  if (pendingIn(db, migrations).length === 0) return
  // SQLite cannot normalise text.
  db.function('nfc', { deterministic: true }, (text) => foldName(String(text)))
  const run = db.transaction(() => {
    db.exec(`create table if not exists schema_migration (
      number integer not null primary key, name text not null, checksum text not null, applied_at integer not null) strict`)
    for (const step of pendingMigrations(migrations, applied(db))) {
      db.prepare('insert into schema_migration (number, name, checksum, applied_at) values (?, ?, ?, ?)').run(
        step.number,
        step.name,
        step.checksum,
        now,
      )
      db.exec(step.sql)
    }
  })
  run.immediate()
}

/** The migrations that the database lacks, without changing anything. Refuses a schema that this program does not know. */
export function pendingIn(db: Database, migrations: readonly Migration[] = sqliteMigrations): Migration[] {
  const exists = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'schema_migration'").get()
  return pendingMigrations(migrations, exists === undefined ? [] : applied(db))
}

function applied(db: Database): AppliedMigration[] {
  return db.prepare('select number, name, checksum from schema_migration order by number').all() as AppliedMigration[]
}
