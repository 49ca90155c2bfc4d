import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/**
 * The lock of a server on a data folder. It is a lock of the operating system on a separate database file. So it ends with
 * the process, also after a crash, and a reused process id cannot be mistaken for it.
 */
export type DataLock = { tellUrl(url: string): void; release(): void }

const nameOfLock = 'server.lock'
/** How long a starting server waits for commands that read the lock. It does not wait for another server. */
const readersTakeMs = 1_000
const nameOfNote = 'server.json'

/** Locks the data folder; null if another process has the lock. */
export function lockDataDir(dataDir: string): DataLock | null {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, nameOfLock)
  const db = new Database(file, { timeout: readersTakeMs })
  chmodSync(file, 0o600)
  try {
    db.exec('begin exclusive')
  } catch (error) {
    db.close()
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return null
    throw error
  }
  const note = join(dataDir, nameOfNote)
  return {
    tellUrl: (url) => writeFileSync(note, `${JSON.stringify({ url })}\n`, { mode: 0o600 }),
    release() {
      rmSync(note, { force: true })
      db.close()
    },
  }
}

/** The URL of the server that uses the data folder; null if there is none. Readers share the lock, so they do not block each other. */
export function holderOf(dataDir: string): { readonly url: string } | null {
  const file = join(dataDir, nameOfLock)
  if (!existsSync(file)) return null
  const db = new Database(file, { timeout: 0, readonly: true })
  try {
    db.prepare('select count(*) from sqlite_master').get()
    return null
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error
  } finally {
    db.close()
  }
  try {
    return JSON.parse(readFileSync(join(dataDir, nameOfNote), 'utf8')) as { url: string }
  } catch {
    return { url: 'http://… (the server is starting)' }
  }
}
