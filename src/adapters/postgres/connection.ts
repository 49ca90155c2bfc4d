import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg'
import pg from 'pg'
import { toStorageError } from './errors.ts'
import { HostsPool, urlsOfHosts } from './hosts.ts'

/** What is between this process and the server: nothing, or a pooler that gives each transaction any connection it has. */
export type Pooler = 'none' | 'transaction'

export const postgresLimits = {
  connectionsMax: 16,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 15_000,
  lockTimeoutMs: 10_000,
  idleInTransactionTimeoutMs: 30_000,
  /** How long the answer to a commit may take. Longer than the lock timeout: a statement that waits for a lock is refused before. */
  commitWaitMs: 12_000,
  /**
   * How long the answer to any other statement may take, from when it is sent. The server ends each after the statement timeout, and several travel
   * together: what takes longer is mostly a connection without a server behind it, or several statements that each waited long.
   */
  answerWaitMs: 30_000,
  /** How long a statement may take that examines every row of a tenant. The slowest took 0.9 s for 100,000 entries with four tags each. */
  scanTimeoutMs: 300_000,
} as const

export type SqlStatement = {
  readonly name: string
  readonly text: string
  /** Runs before a request is authenticated: such statements have a queue of their own. */
  readonly isBeforeAuth?: boolean
  /** Reads several tenants, so it has no tenant as its first value, and runs in the role that sees no content. */
  readonly isAcrossTenants?: boolean
  /** Changes rows, so sent by itself it is a commit. */
  readonly isWrite?: boolean
  /** Examines every row of a tenant, so sent by itself it may take longer than other statements. */
  readonly isScan?: boolean
}

/** In place of a tenant: for the statements of the process itself. */
export const host = ''

/** The tenant of a statement: its first value. */
export function tenantIn([first]: readonly unknown[]): string {
  return typeof first === 'string' ? first : host
}

const known = new Map<string, SqlStatement>()
/** Not `for update`, which sent by itself changes nothing. */
const changesRows = /\binsert\s+into\b|\bdelete\s+from\b|\bupdate\s+\w+\s+((as\s+)?\w+\s+)?set\b/i

/** Statements by name: the server parses and plans each once per connection. So a name stands for one text. */
export function statement(name: string, text: string, more: Omit<SqlStatement, 'name' | 'text'> = {}): SqlStatement {
  const made = { name: `colophon_${name}`, text, isWrite: changesRows.test(text), ...more }
  if (known.has(made.name)) throw new Error(`Two statements have the name ${name}.`)
  known.set(made.name, made)
  return made
}

/** A statement whose text depends on the call, such as on a filter. The server plans it each time, for the values that it has. */
export function unnamedStatement(text: string): SqlStatement {
  return { name: '', text }
}

/** All statements of the loaded files. */
export function knownStatements(): readonly SqlStatement[] {
  return [...known.values()]
}

/**
 * The tenant of a call, as the row of its table: rows that are given with an insert are stored under its `tenant_id`. Where tables are
 * distributed by tenant, the insert then runs on the node of the tenant; with `$1` in its place the rows would travel through the coordinator.
 */
export const tenantOfCall = '(select tenant_id from tenant where tenant_id = $1) as c'

/**
 * Lists among the values of a statement, for `unnest` and `any`. As sub-selects: the server would make a plan for the length of the list at every
 * call, which takes longer than the work for a few rows.
 */
export const lists = (...typedParameters: readonly string[]) =>
  typedParameters.map((parameter) => `(select ${parameter}[])`).join(', ')

const int8 = 20

/** Connections that pipeline: what is sent together travels together, and the server answers in order. */
export function openPool(
  connectionString: string,
  connectionsMax: number,
  pooler: Pooler = 'none',
  role: string | null = null,
): Pool {
  const urls = urlsOfHosts(role === null ? connectionString : inRole(connectionString, role))
  const config = {
    max: connectionsMax,
    connectionTimeoutMillis: postgresLimits.connectTimeoutMs,
    // A session behind a pooler is not ours to set up: there each transaction brings its limits and its role along.
    ...(pooler === 'none'
      ? {
          statement_timeout: postgresLimits.statementTimeoutMs,
          lock_timeout: postgresLimits.lockTimeoutMs,
          idle_in_transaction_session_timeout: postgresLimits.idleInTransactionTimeoutMs,
        }
      : {}),
    application_name: 'colophon',
    pipeline: true,
    types: {
      // Positions and instants stay far below 2^53, so a number represents them exactly.
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  } as pg.PoolConfig
  const pool = urls.length > 1 ? new HostsPool(urls, config) : new pg.Pool({ connectionString: urls[0], ...config })
  // An idle connection that breaks is replaced when it is next needed; without a listener it would end the process.
  pool.on('error', () => {})
  // The same for one in use: the caller that waits for its answer gets the error.
  pool.on('connect', (client) => {
    client.on('error', () => {})
    // Not awaited: it travels with the first statement, which fails too if the connection is lost. Behind a pooler no session keeps plans.
    if (pooler === 'none') client.query(planByIndex).catch(() => {})
  })
  return pool
}

/** The server refuses the connection if it cannot have the role: no statement runs in another. */
function inRole(connectionString: string, role: string): string {
  const option = encodeURIComponent(`-c role=${role}`)
  const given = /[?&]options=([^&]*)/
  if (given.test(connectionString)) return connectionString.replace(given, (all) => `${all}%20${option}`)
  return `${connectionString}${connectionString.includes('?') ? '&' : '?'}options=${option}`
}

/**
 * Every statement finds its rows by an index. A plan that was made while a table had one page reads all of it, and a connection keeps that plan until
 * the table is analysed again. Compiling such plans would take longer than they do. What the operator has set stays.
 */
const planByIndex = `
  select set_config(name, 'off', false)
    from pg_settings
   where name in ('enable_seqscan', 'jit')
     and source = 'default'`

export type Send = <Row extends QueryResultRow>(
  what: SqlStatement,
  values: readonly unknown[],
) => Promise<QueryResult<Row>>

/** The whole database, or one connection to it. */
export type Queryable = { readonly send: Send }

/** The limit of a statement, as the driver has it: a statement that takes longer fails, and its connection is closed. */
export function answeredWithin(ms: number): object {
  return { query_timeout: ms }
}

/** Statements of one connection, by name where the server may remember them for us. */
export function sendBy(
  client: Pick<PoolClient, 'query'>,
  pooler: Pooler,
  answerWaitMs: number = postgresLimits.answerWaitMs,
): Send {
  // Later than the server, which says why.
  const limitOf = ({ isScan }: SqlStatement) =>
    answeredWithin(answerWaitMs + (isScan ? postgresLimits.scanTimeoutMs : 0))
  if (pooler === 'none') return (what, values) => client.query({ ...what, values: [...values], ...limitOf(what) })
  return (named, values) => {
    const what = { text: named.text }
    return client.query({ ...what, values: [...values], ...limitOf(named) })
  }
}

export async function query<Row extends QueryResultRow>(
  database: Queryable,
  what: SqlStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return (await database.send<Row>(what, values)).rows
  } catch (error) {
    throw toStorageError(error)
  }
}

export type Transaction = {
  readonly send: Send
  /** Sends the commit behind everything that was sent, and waits for all of it. */
  readonly commit: (...sent: readonly Promise<unknown>[]) => Promise<void>
}
