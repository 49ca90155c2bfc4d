import { ColophonError, type ErrorCode, isColophonError, UniqueViolationError } from '../../core/errors.ts'

const codeOfState: readonly (readonly [state: RegExp, code: ErrorCode, message: string])[] = [
  [/^(40001|40P01)$/, 'storage_busy', 'The database had to undo the transaction in favour of another.'],
  [/^55P03$/, 'storage_busy', 'Another transaction held the tenant too long.'],
  [/^(53100|53200)$/, 'storage_full', 'The database server has no room left.'],
  [/^25006$/, 'storage_read_only', 'The database server accepts no writes.'],
  [/^57014$/, 'storage_unavailable', 'The database took longer than the statement timeout.'],
  [/^(08...|57P0.|53300)$/, 'storage_unavailable', 'The database server is not reachable.'],
  [/^(28...|3D000)$/, 'storage_unavailable', 'The database server refused the log-in or does not have the database.'],
  // A name with a NUL character, which PostgreSQL cannot store: nothing of that name can exist.
  [/^22021$/, 'validation_error', 'A name holds a character that cannot be stored.'],
  [/^XX00[12]$/, 'storage_corrupt', 'The database server reports damaged data.'],
]

const socketCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH', 'EAI_AGAIN']

/** Thrown when the connection broke after the commit was sent: its outcome is unknown. */
export class CommitAnswerLost extends Error {}

/** Gives PostgreSQL's failures our codes. What is left is a bug, and is passed on as it is. */
export function toStorageError(error: unknown): unknown {
  if (isColophonError(error)) return error
  if (error instanceof CommitAnswerLost) return toStorageError(error.cause)
  // A call that was on its way when the store was closed.
  if (error instanceof Error && /pool after calling end/i.test(error.message)) {
    return new ColophonError('closed', 'The store was closed.', { cause: error })
  }
  const state = stateOf(error)
  if (isNodeLoss(error))
    return new ColophonError('storage_unavailable', 'A node of the database is not reachable.', { cause: error })
  if (isCollision(error)) return new UniqueViolationError('', { cause: error })
  const known = state === null ? undefined : codeOfState.find(([pattern]) => pattern.test(state))
  // The server's own message may quote a value of a failed statement, so it travels as the cause and is never shown.
  if (known) return new ColophonError(known[1], known[2], { cause: error, details: { sqlState: state } })
  if (isConnectionLoss(error)) {
    return new ColophonError('storage_unavailable', 'The connection to the database server was lost.', { cause: error })
  }
  return error
}

/** Whether running the same transaction again may succeed at once. */
export function isTransient(error: unknown): boolean {
  const state = stateOf(error)
  return state === '40001' || state === '40P01'
}

/** Whether a row is there already. The coordinator of a distributed database may report it without its state. */
export function isCollision(error: unknown): boolean {
  const state = stateOf(error)
  return (
    state === '23505' ||
    (state === internalError && /duplicate key value violates unique constraint/i.test(textOf(error)))
  )
}

/** What the coordinator of a distributed database reports without a state of its own. */
const internalError = 'XX000'
const nodeMessages =
  /could not connect|failed to connect|connection (?:to|not open)|remote node|remote host|server closed the connection|(?:failure|error) on connection/i

/**
 * Whether the coordinator of a distributed database could not reach a node. Its own connection is whole, so the transaction was undone. It is
 * also what is left to see of that if a later statement of the same transaction is refused.
 */
export function isNodeLoss(error: unknown): boolean {
  const state = stateOf(error)
  return state === abortedTransaction || (state === internalError && nodeMessages.test(textOf(error)))
}

/** A statement behind one that failed: the error of that one was not seen. */
const abortedTransaction = '25P02'

/** The first error that says more than that a statement before it had failed. */
export function firstCause(errors: readonly unknown[]): unknown {
  return errors.find((error) => stateOf(error) !== abortedTransaction) ?? errors[0]
}

function textOf(error: unknown): string {
  const { message = '', detail = '' } = (error ?? {}) as { message?: unknown; detail?: unknown }
  return `${message} ${detail}`
}

export function isConnectionLoss(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === 'string' && (socketCodes.includes(code) || /^(08...|57P0.)$/.test(code))) return true
  return (
    error instanceof Error &&
    /connection (terminated|ended|error)|client was closed|timeout exceeded when trying to connect|query read timeout/i.test(
      error.message,
    )
  )
}

function stateOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}
