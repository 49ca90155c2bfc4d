import { ColophonError, type ErrorCode, isColophonError, UniqueViolationError } from '../../core/errors.ts'

const codeOfPrefix: readonly (readonly [prefix: string, code: ErrorCode, message: string])[] = [
  ['SQLITE_FULL', 'storage_full', 'The disk has no room for the database.'],
  ['SQLITE_BUSY', 'storage_busy', 'Another process holds the database.'],
  ['SQLITE_LOCKED', 'storage_busy', 'Another connection holds the database.'],
  ['SQLITE_READONLY', 'storage_read_only', 'The database file cannot be written.'],
  ['SQLITE_PERM', 'storage_read_only', 'This process lacks permission to open the database file.'],
  ['SQLITE_CANTOPEN', 'storage_unavailable', 'The database file cannot be opened.'],
  ['SQLITE_CORRUPT', 'storage_corrupt', 'The database file is damaged.'],
  ['SQLITE_NOTADB', 'storage_corrupt', 'The file is not a database.'],
  ['SQLITE_IOERR', 'storage_unavailable', 'The database file could not be read or written.'],
]

/** Gives SQLite's failures our codes. What is left is a bug, and is passed on as it is. */
export function toStorageError(error: unknown): unknown {
  if (isColophonError(error)) return error
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return error
  if (/^SQLITE_CONSTRAINT_(?:PRIMARYKEY|UNIQUE|ROWID)$/.test(code))
    return new UniqueViolationError('', { cause: error })
  const known = codeOfPrefix.find(([prefix]) => code.startsWith(prefix))
  // SQLite's own message may quote a value of a failed statement, so it travels as the cause and is never shown.
  return known === undefined
    ? error
    : new ColophonError(known[1], known[2], { cause: error, details: { sqlite: code } })
}

export function withStorageErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toStorageError(error)
  }
}
