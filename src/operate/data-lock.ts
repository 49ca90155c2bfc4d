import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/**
 * Says that a server uses a data folder. The lock is one of the operating system's, held through a database file of its
 * own: it ends with the process, however that ends, and no number of a dead process can be mistaken for it.
 */
export type DataLock = { tellUrl(url: string): void; release(): void }

const nameOfLock = 'server.lock'
/** Commands look at the lock for a moment; a server that starts waits for them, not for another server. */
const looksTakeMs = 1_000
const nameOfNote = 'server.json'

/** Null when another process has it. */
export function lockDataDir(dataDir: string): DataLock | null {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, nameOfLock)
  const db = new Database(file, { timeout: looksTakeMs })
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

/** Where the server that holds the folder can be reached; null when none holds it. Looking shares the lock, so looks do not meet. */
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
    return { url: 'http://… (it is just starting)' }
  }
}
