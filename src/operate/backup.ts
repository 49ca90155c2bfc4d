import { createHash } from 'node:crypto'
import { chmodSync, closeSync, createReadStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { type AppliedMigration, pendingMigrations } from '../adapters/sql/migrations.ts'
import { sqliteMigrations } from '../adapters/sqlite/migrate.ts'
import { ColophonError } from '../core/errors.ts'

/** The result of a backup. */
export type Backup = {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly tenants: number
}

/** 16 MiB per step: progress is reported often, and the event loop is not blocked for long. */
const pagesAtOnce = 4_096

/**
 * Copies a SQLite database from one snapshot, while a server may write to it. The copy gets its final name after it is complete, checked
 * and flushed to disk. So an interrupted copy cannot be mistaken for a backup.
 */
export async function backUp(
  databaseFile: string,
  file: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Backup> {
  if (!existsSync(databaseFile)) throw new ColophonError('not_found', 'There is no database to copy.')
  if (existsSync(file)) throw new ColophonError('already_exists', 'The backup file exists already.')
  const partial = `${file}.partial`
  rmSync(partial, { force: true })
  // Created with these permissions, so that other users can never read the copy.
  closeSync(openSync(partial, 'wx', 0o600))
  try {
    const source = new Database(databaseFile, { readonly: true, timeout: 10_000 })
    try {
      // An open read transaction keeps the snapshot: without it, every write of the server would restart the copy.
      source.exec('begin; select count(*) from sqlite_master')
      await source.backup(partial, {
        progress({ totalPages, remainingPages }) {
          onProgress(totalPages - remainingPages, totalPages)
          return pagesAtOnce
        },
      })
    } finally {
      source.close()
    }
    const { tenants } = checkDatabaseFile(partial)
    flush(partial)
    renameSync(partial, file)
    flush(dirname(file))
    return { file, tenants, ...(await digestOf(file)) }
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

/**
 * Checks that a file is a complete Colophon database whose schema this program knows. Leaves it as one file, without a write-ahead log.
 */
export function checkDatabaseFile(file: string): { readonly tenants: number } {
  let db: Database.Database | null = null
  try {
    db = new Database(file, { fileMustExist: true })
    chmodSync(file, 0o600)
    db.pragma('journal_mode = delete')
    const verdict = db.pragma('integrity_check(1)', { simple: true })
    if (verdict !== 'ok') throw corrupt('SQLite finds the file damaged.')
    pendingMigrations(sqliteMigrations, appliedIn(db))
    return db.prepare('select count(*) as tenants from tenant').get() as { tenants: number }
  } catch (error) {
    if (error instanceof ColophonError) throw error
    throw corrupt('The file is not a database that can be read.', error)
  } finally {
    db?.close()
  }
}

/** The migrations that were applied to a database. */
export function appliedIn(db: Database.Database): AppliedMigration[] {
  const isOurs = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'schema_migration'").get()
  if (isOurs === undefined) throw corrupt('The file is a database, but not one of Colophon.')
  return db.prepare('select number, name, checksum from schema_migration order by number').all() as AppliedMigration[]
}

function corrupt(message: string, cause?: unknown): ColophonError {
  return new ColophonError('storage_corrupt', message, cause === undefined ? {} : { cause })
}

/** Size and SHA-256 of a file, read as a stream, because it may be larger than memory. */
export async function digestOf(file: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    bytes += piece.length
    hash.update(piece)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Flushes a file to disk (fsync); for a folder, the names in it. */
export function flush(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
