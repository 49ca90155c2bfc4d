import type { Database } from 'better-sqlite3'

/**
 * Runs a transaction without a flush to disk, which would stop the process for milliseconds. The next durable transaction flushes this
 * one too. So it is only for work that may be lost with a power cut, because it is done again: nothing that depends on it is stored before it.
 */
export function unflushed<T>(db: Database, transaction: () => T): T {
  // Not as prepared statements: SQLite changes this setting when it compiles the pragma, not when it runs it.
  // Not by `db.pragma` either, which makes an object for the statement and takes ten times as long.
  db.exec('pragma synchronous = normal')
  try {
    return transaction()
  } finally {
    db.exec('pragma synchronous = full')
  }
}
