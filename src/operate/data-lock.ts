import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/**
 * The lock of a server on its data folder. It is a lock of the operating system, on a database file of its own. It ends with the
 * process, also after a crash, and does not depend on process ids.
 */
export type DataLock = {
  /** Stores the address of the server, for commands that find the folder locked. */
  recordUrl(url: string): void
  release(): void
}

const lockFile = 'server.lock'
/** Commands hold a shared lock for a moment. A starting server waits that long for them, not for another server. */
const sharedLockWaitMs = 1_000
const urlFile = 'server.json'

/** Locks a data folder; null when another process has the lock. */
export function lockDataDir(dataDir: string): DataLock | null {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, lockFile)
  const db = new Database(file, { timeout: sharedLockWaitMs })
  chmodSync(file, 0o600)
  try {
    db.exec('begin exclusive')
  } catch (error) {
    db.close()
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return null
    throw error
  }
  const addressFile = join(dataDir, urlFile)
  return {
    recordUrl: (url) => writeFileSync(addressFile, `${JSON.stringify({ url })}\n`, { mode: 0o600 }),
    release() {
      rmSync(addressFile, { force: true })
      db.close()
    },
  }
}

/** The address of the server that has locked the folder; null when there is none. It takes a shared lock, so commands do not block each other. */
export function findLockHolder(dataDir: string): { readonly url: string } | null {
  const file = join(dataDir, lockFile)
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
    return JSON.parse(readFileSync(join(dataDir, urlFile), 'utf8')) as { url: string }
  } catch {
    return { url: 'http://… (the server is starting)' }
  }
}
