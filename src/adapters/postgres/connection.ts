import type { Pool, QueryResult, QueryResultRow } from 'pg'
import pg from 'pg'
import { ColophonError } from '../../core/errors.ts'
import { CommitUnknown, isConnectionLoss, toStorageError } from './errors.ts'

export const postgresLimits = {
  connectionsMax: 16,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 15_000,
  lockTimeoutMs: 10_000,
  idleInTransactionTimeoutMs: 30_000,
} as const

export type Statement = { readonly name: string; readonly text: string }

const known = new Map<string, Statement>()

/** Statements by name: the server parses and plans each once per connection. So a name stands for one text. */
export function statement(name: string, text: string): Statement {
  const made = { name: `colophon_${name}`, text }
  if (known.has(made.name)) throw new Error(`Two statements have the name ${name}.`)
  known.set(made.name, made)
  return made
}

/** Everything that the loaded files of the adapter can ask the server. */
export function knownStatements(): readonly Statement[] {
  return [...known.values()]
}

const int8 = 20

/** Connections that pipeline: what is sent together travels together, and the server answers in order. */
export function openPool(connectionString: string, connectionsMax: number): Pool {
  const pool = new pg.Pool({
    connectionString,
    max: connectionsMax,
    connectionTimeoutMillis: postgresLimits.connectTimeoutMs,
    statement_timeout: postgresLimits.statementTimeoutMs,
    lock_timeout: postgresLimits.lockTimeoutMs,
    idle_in_transaction_session_timeout: postgresLimits.idleInTransactionTimeoutMs,
    application_name: 'colophon',
    pipeline: true,
    types: {
      // Positions and instants stay far below 2^53, so a number holds them exactly.
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  } as pg.PoolConfig)
  // An idle connection that breaks is replaced when it is next needed; without a listener it would end the process.
  pool.on('error', () => {})
  // The same for one in use: whoever waits for its answer gets the error.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

export type Send = <Row extends QueryResultRow>(
  what: Statement,
  values: readonly unknown[],
) => Promise<QueryResult<Row>>

/** A pool, or one connection of it. */
export type Queryable = Pick<Pool, 'query'>

export async function query<Row extends QueryResultRow>(
  pool: Queryable,
  what: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return (await pool.query<Row>({ ...what, values: [...values] })).rows
  } catch (error) {
    throw toStorageError(error)
  }
}

export type Transaction = {
  readonly send: Send
  /** Sends the commit behind everything that was sent, and waits for all of it. */
  readonly commit: (...sent: readonly Promise<unknown>[]) => Promise<void>
}

/**
 * One transaction on one connection. Whatever `work` does not commit is rolled back; a connection in doubt is dropped.
 */
export async function transaction<T>(pool: Pool, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let finished = false
  let broken = false
  const send: Send = (what, values) => client.query({ ...what, values: [...values] })
  const commit: Transaction['commit'] = async (...sent) => {
    const ending = client.query('commit')
    finished = true
    const settled = await Promise.allSettled([...sent, ending])
    const errors = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    // A statement that the server refused settles it: nothing was committed. A lost connection settles nothing.
    const refused = errors.find((error) => !isConnectionLoss(error))
    if (refused !== undefined) throw refused
    if (errors.length > 0) throw new CommitUnknown('The connection was lost during the commit.', { cause: errors[0] })
    if ((await ending).command !== 'COMMIT') throw new ColophonError('storage_busy', 'The transaction was rolled back.')
  }
  try {
    // Not awaited: it travels with the first statement, which fails if this does.
    client.query('begin').catch(() => {})
    return await work({ send, commit })
  } catch (error) {
    broken = isConnectionLoss(error) || error instanceof CommitUnknown
    throw error
  } finally {
    if (!finished && !broken) await client.query('rollback').catch(() => (broken = true))
    client.release(broken)
  }
}
