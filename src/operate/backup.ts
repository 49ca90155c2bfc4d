import { createHash } from 'node:crypto'
import { chmodSync, closeSync, createReadStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { type AppliedMigration, pendingMigrations } from '../adapters/sql/migrations.ts'
import { sqliteMigrations } from '../adapters/sqlite/migrate.ts'
import { ColophonError } from '../core/errors.ts'

export type Backup = {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly tenants: number
}

/** 16 MiB at a time: often enough to show how far it is, and no other work of this process waits long. */
const pagesAtOnce = 4_096

/**
 * Copies the database as it is at one moment, while a server may go on writing to it. The copy gets its name only once it
 * is whole, checked and on disk: what is left of a copy that was cut off cannot be mistaken for one.
 */
export async function backUp(
  databaseFile: string,
  file: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Backup> {
  if (!existsSync(databaseFile)) throw new ColophonError('not_found', 'There is no database to copy.')
  if (existsSync(file)) throw new ColophonError('already_exists', 'The file of the backup is there already.')
  const partial = `${file}.partial`
  rmSync(partial, { force: true })
  // Made with these permissions, so that the copy is never readable by others, not even for a moment.
  closeSync(openSync(partial, 'wx', 0o600))
  try {
    const source = new Database(databaseFile, { readonly: true, timeout: 10_000 })
    try {
      // A read that stays open holds the moment: no write of the server makes the copy start over.
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

/** Whether a file is a whole database of ours that this program understands. Leaves it as one file, without a log beside it. */
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

export function appliedIn(db: Database.Database): AppliedMigration[] {
  const isOurs = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'schema_migration'").get()
  if (isOurs === undefined) throw corrupt('The file is a database, but not one of Colophon.')
  return db.prepare('select number, name, checksum from schema_migration order by number').all() as AppliedMigration[]
}

function corrupt(message: string, cause?: unknown): ColophonError {
  return new ColophonError('storage_corrupt', message, cause === undefined ? {} : { cause })
}

/** Size and digest of a file, read piece by piece: it may be larger than memory. */
export async function digestOf(file: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    bytes += piece.length
    hash.update(piece)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** On disk, not only in the system's cache; of a folder, the names in it. */
export function flush(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
