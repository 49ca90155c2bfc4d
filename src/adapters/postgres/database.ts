import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg'
import { ColophonError } from '../../core/errors.ts'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import {
  type Pooler,
  postgresLimits,
  type Queryable,
  type Send,
  type SqlStatement,
  sendBy,
  type Transaction,
} from './connection.ts'
import { CommitAnswerLost, isConnectionLoss } from './errors.ts'

const { statementTimeoutMs, lockTimeoutMs, idleInTransactionTimeoutMs } = postgresLimits
const limitsOfTransaction =
  `set local statement_timeout = ${statementTimeoutMs}; set local lock_timeout = ${lockTimeoutMs}; ` +
  `set local idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`

/** Without a pooler the session has the limits; behind one every transaction has its own. */
function beginning(pooler: Pooler, mode = ''): string {
  return pooler === 'none' ? `begin${mode}` : `begin${mode}; ${limitsOfTransaction}`
}

/** A connection that a caller keeps for longer than one transaction. */
export type Session = Queryable & {
  readonly client: PoolClient
  readonly begin: (mode: string) => Promise<unknown>
  readonly release: (isBroken: boolean) => void
}

/** In place of a tenant: for the statements of the process itself. */
export const host = ''

/** The kind of calls that are made before a request is authenticated. */
const beforeAuth = 'keys'
/** One in so many connections is for those calls. */
const connectionsPerKeyLookUp = 4

/**
 * The connections of this process, given to tenants by a fair queue. Each kind of call has a queue of its own, so that the writes and
 * leases of a tenant do not wait behind its reads.
 */
export class Database implements Queryable {
  readonly #pool: Pool
  readonly #pooler: Pooler
  readonly #connections: FairSemaphore
  readonly #keyLookUps: FairSemaphore

  constructor(pool: Pool, connectionsMax: number, pooler: Pooler) {
    this.#pool = pool
    this.#pooler = pooler
    this.#connections = new FairSemaphore('database', connectionsMax)
    this.#keyLookUps = new FairSemaphore('database', Math.ceil(connectionsMax / connectionsPerKeyLookUp))
  }

  /** One statement by itself. Its first value is the tenant in whose queue it waits. */
  readonly send: Send = <Row extends QueryResultRow>(what: SqlStatement, values: readonly unknown[]) => {
    const tenant = typeof values[0] === 'string' ? values[0] : host
    return this.#sendAlone<Row>(tenant, what.isBeforeAuth ? beforeAuth : 'reads', what, values)
  }

  /** One statement that is a commit by itself. When its answer gets lost, its outcome is unknown. */
  async write(tenant: string, what: SqlStatement, values: readonly unknown[]): Promise<QueryResult> {
    try {
      return await this.#sendAlone(tenant, 'writes', what, values)
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      throw new CommitAnswerLost('The connection was lost during the commit.', { cause: error })
    }
  }

  #sendAlone<Row extends QueryResultRow>(tenant: string, kind: string, what: SqlStatement, values: readonly unknown[]) {
    if (this.#pooler === 'none')
      return this.#run(tenant, kind, () => this.#pool.query<Row>({ ...what, values: [...values] }))
    return this.transaction(tenant, kind, async ({ send, commit }) => {
      const sent = send<Row>(what, values)
      await commit(sent)
      return sent
    })
  }

  /**
   * One transaction on one connection. Whatever `work` does not commit is rolled back; a connection whose state is unknown is dropped.
   */
  transaction<T>(tenant: string, kind: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#run(tenant, kind, async () => runTransaction(await this.#pool.connect(), this.#pooler, work))
  }

  /** A connection for a caller that keeps it for a while; it counts as one call until it is released. */
  keep(kind: string): Promise<Session> {
    return new Promise((resolve, reject) => {
      const hold = async () => {
        const client = await this.#pool.connect()
        await new Promise<void>((over) => {
          const release = (isBroken: boolean) => {
            client.release(isBroken)
            over()
          }
          const begin = (mode: string) => client.query(beginning(this.#pooler, mode))
          resolve({ client, send: sendBy(client, this.#pooler), begin, release })
        })
      }
      this.#run(host, kind, hold).catch(reject)
    })
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  /**
   * Before authentication a tenant may be invented. So all calls of that kind together count as one tenant, and the tenants that they name
   * take turns only among themselves.
   */
  #run<T>(tenant: string, kind: string, work: () => Promise<T>): Promise<T> {
    if (kind !== beforeAuth) return this.#connections.run(`${tenant} ${kind}`, work)
    return this.#keyLookUps.run(tenant, () => this.#connections.run(`${host} ${kind}`, work))
  }
}

async function runTransaction<T>(
  client: PoolClient,
  pooler: Pooler,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let finished = false
  let broken = false
  const send = sendBy(client, pooler)
  const commit: Transaction['commit'] = async (...sent) => {
    const ending = client.query('commit')
    finished = true
    const settled = await Promise.allSettled([...sent, ending])
    const errors = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    // A statement that the server refused settles it: nothing was committed. A lost connection settles nothing.
    const refused = errors.find((error) => !isConnectionLoss(error))
    if (refused !== undefined) throw refused
    if (errors.length > 0)
      throw new CommitAnswerLost('The connection was lost during the commit.', { cause: errors[0] })
    if ((await ending).command !== 'COMMIT') throw new ColophonError('storage_busy', 'The transaction was rolled back.')
  }
  try {
    // Not awaited: it travels with the first statement, which fails if this does.
    client.query(beginning(pooler)).catch(() => {})
    return await work({ send, commit })
  } catch (error) {
    broken = isConnectionLoss(error) || error instanceof CommitAnswerLost
    throw error
  } finally {
    if (!finished && !broken) await client.query('rollback').catch(() => (broken = true))
    client.release(broken)
  }
}
