import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import {
  answeredWithin,
  host,
  type Pooler,
  postgresLimits,
  type Queryable,
  type Send,
  type SqlStatement,
  type Transaction,
  tenantIn,
  unnamedStatement,
} from './connection.ts'
import { CommitAnswerLost, isConnectionLoss } from './errors.ts'
import { type AnswerEarly, disconnect, OverdueCommits } from './overdue-commits.ts'
import { hostRole, sendTenant, tenantRole } from './row-security.ts'
import { runTransaction, sendInTransaction } from './run-transaction.ts'

const { statementTimeoutMs, lockTimeoutMs, idleInTransactionTimeoutMs } = postgresLimits
const limitsOfTransaction =
  `set local statement_timeout = ${statementTimeoutMs}; set local lock_timeout = ${lockTimeoutMs}; ` +
  `set local idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`

export type DatabaseOptions = {
  readonly connectionsMax: number
  readonly pooler: Pooler
  /** Whether the database has policies for rows: then every statement runs in a role that they hold for. */
  readonly isRowSecured: boolean
  /** Whether tables are distributed over several nodes: then limits must reach these, and one statement writes one table. */
  readonly isDistributed: boolean
  /** How long the answer to a commit may take before its caller is answered with an unknown outcome. */
  readonly commitWaitMs: number
  /** How long the answer to any other statement may take before its connection is given up. */
  readonly answerWaitMs: number
}

/** Without a pooler the session has the limits and the role; behind one every transaction has its own. To other nodes only those of a transaction travel. */
function beginning({ pooler, isRowSecured, isDistributed }: DatabaseOptions, mode = '', role = tenantRole): string {
  const hasOwnRole = isRowSecured && (pooler === 'transaction' || role !== tenantRole)
  return [
    `begin${mode}`,
    ...(isDistributed ? [`set local citus.propagate_set_commands = 'local'`] : []),
    ...(pooler === 'transaction' || isDistributed ? [limitsOfTransaction] : []),
    ...(hasOwnRole ? [`set local role ${role}`] : []),
    // The connection may be set to the tenant that used it before.
    ...(isRowSecured ? [`set local colophon.tenant = ''`] : []),
  ].join('; ')
}

/** A connection that a caller keeps for longer than one transaction. */
export type Session = Queryable & {
  readonly begin: (mode: string) => Promise<unknown>
  readonly release: (isBroken: boolean) => void
}

/** The tenant of a connection whose setting failed: it is sent again before the next statement, whatever that one's tenant is. */
const unknownTenant = '\u0000'

/** The kind of calls that are made before a request is authenticated. */
const beforeAuth = 'keys'
/** One in so many connections is for those calls. */
const connectionsPerKeyLookUp = 4
/** One in so many connections is never used for writes: reads go on while commits are overdue. */
const connectionsPerRead = 4
/** One in so many connections at most is used by statements that examine every row of a tenant: they take minutes. */
const connectionsPerScan = 4
/** They wait for each other as long as one may take. */
const scanQueue = { queueMax: 1_000, queuePerTenantMax: 1_000, waitMs: postgresLimits.scanTimeoutMs }

/**
 * The connections of this process, given to tenants by a fair queue. Each kind of call has a queue of its own, so that the writes and
 * leases of a tenant do not wait behind its reads.
 */
export class Database implements Queryable {
  readonly #pool: Pool
  readonly #options: DatabaseOptions
  /** The tenant that each connection is set to, outside transactions. */
  readonly #tenantOf = new WeakMap<PoolClient, string>()
  readonly #connections: FairSemaphore
  readonly #keyLookUps: FairSemaphore
  readonly #writes: FairSemaphore
  readonly #scans: FairSemaphore
  /** Connections with a statement that examines every row of a tenant. */
  readonly #scanning = new Set<PoolClient>()
  #isEnding = false
  readonly #overdue: OverdueCommits

  constructor(pool: Pool, options: DatabaseOptions) {
    const { connectionsMax, commitWaitMs } = options
    this.#pool = pool
    this.#options = options
    this.#connections = new FairSemaphore('database', connectionsMax)
    this.#keyLookUps = new FairSemaphore('database', Math.ceil(connectionsMax / connectionsPerKeyLookUp))
    this.#scans = new FairSemaphore('database', Math.ceil(connectionsMax / connectionsPerScan), scanQueue)
    const forReads = Math.ceil(connectionsMax / connectionsPerRead)
    this.#writes = new FairSemaphore('database', Math.max(connectionsMax - forReads, 1))
    this.#overdue = new OverdueCommits(commitWaitMs, forReads)
  }

  get isDistributed(): boolean {
    return this.#options.isDistributed
  }

  /** Commits that the server did not confirm in time. */
  get commitsOverdue(): number {
    return this.#overdue.count
  }

  /** One statement by itself. Its first value is the tenant in whose queue it waits. */
  readonly send: Send = <Row extends QueryResultRow>(what: SqlStatement, values: readonly unknown[]) => {
    const tenant = tenantIn(values)
    return this.#sendAlone<Row>(tenant, what.isBeforeAuth ? beforeAuth : 'reads', what, values)
  }

  /** One statement that is a commit by itself. When its answer gets lost, its outcome is unknown. */
  async write(tenant: string, what: SqlStatement, values: readonly unknown[]): Promise<QueryResult> {
    try {
      return await this.#sendAlone(tenant, 'writes', { ...what, isWrite: true }, values)
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      throw new CommitAnswerLost('The connection was lost during the commit.', { cause: error })
    }
  }

  #sendAlone<Row extends QueryResultRow>(tenant: string, kind: string, what: SqlStatement, values: readonly unknown[]) {
    const { pooler, isRowSecured, isDistributed } = this.#options
    if (what.isScan) return this.#scan<Row>(tenant, what, values)
    const isOfHost = isRowSecured && what.isAcrossTenants === true
    // A write may wait for a lock on another node: the limit for that is one of its transaction.
    const needsTransaction = pooler === 'transaction' || isOfHost || (isDistributed && what.isWrite === true)
    if (!needsTransaction)
      return this.#run<QueryResult<Row>>(tenant, kind, what.isWrite === true, async (answerEarly) =>
        this.#sendOn(await this.#pool.connect(), what, values, answerEarly),
      )
    const role = isOfHost ? hostRole : tenantRole
    return this.#transaction(tenant, kind, { role, isWrite: what.isWrite === true }, async ({ send, commit }) => {
      const sent = send<Row>(what, values)
      await commit(sent)
      return sent
    })
  }

  /** In a transaction with a limit of its own. The commit follows the answer: behind a statement that takes long it would be overdue. */
  #scan<Row extends QueryResultRow>(tenant: string, what: SqlStatement, values: readonly unknown[]) {
    const options = { role: tenantRole, isWrite: false, isScan: true }
    const scan = () =>
      this.#transaction(tenant, 'reads', options, async ({ send, commit }) => {
        const limit = send(unnamedStatement(`set local statement_timeout = ${postgresLimits.scanTimeoutMs}`), [])
        const [result] = await Promise.all([send<Row>(what, values), limit])
        await commit()
        return result
      })
    return this.#scans.run(tenant, scan)
  }

  async #sendOn<Row extends QueryResultRow>(
    client: PoolClient,
    what: SqlStatement,
    values: readonly unknown[],
    answerEarly: AnswerEarly,
  ): Promise<QueryResult<Row>> {
    let isBroken = false
    try {
      const tenant = tenantIn(values)
      // A statement without a tenant must not see the rows of the one that used the connection before.
      if (this.#options.isRowSecured && (this.#tenantOf.get(client) ?? host) !== tenant) {
        this.#tenantOf.set(client, tenant)
        // Not awaited: it travels with the statement, which sees no row of the tenant if this fails.
        sendTenant(client, tenant, 'session').catch(() => this.#tenantOf.set(client, unknownTenant))
      }
      const limit = what.isWrite ? {} : answeredWithin(this.#options.answerWaitMs)
      const answer = client.query<Row>({ ...what, values: [...values], ...limit })
      if (!what.isWrite) return await answer
      const result = await this.#overdue.watch(client, answer, answerEarly)
      if (result.rowCount) this.#overdue.noteConfirmed()
      return result
    } catch (error) {
      isBroken = isConnectionLoss(error)
      throw error
    } finally {
      client.release(isBroken)
    }
  }

  /**
   * One transaction on one connection. Whatever `work` does not commit is rolled back; a connection whose state is unknown is dropped.
   */
  transaction<T>(tenant: string, kind: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction(tenant, kind, { role: tenantRole, isWrite: true }, work)
  }

  /** A transaction that changes no row: for statements with settings of their own. */
  readTransaction<T>(tenant: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction(tenant, 'reads', { role: tenantRole, isWrite: false }, work)
  }

  #transaction<T>(
    tenant: string,
    kind: string,
    { role, isWrite, isScan = false }: { readonly role: string; readonly isWrite: boolean; readonly isScan?: boolean },
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const begin = beginning(this.#options, '', role)
    const options = { ...this.#options, tenant }
    return this.#run<T>(tenant, kind, isWrite, async (answerEarly) => {
      const client = await this.#pool.connect()
      const commit = async () => {
        const answer = await this.#overdue.watch(client, client.query('commit'), answerEarly)
        // Only these always have rows. Without rows the server confirms a commit also while a standby stalls.
        if (kind === 'writes') this.#overdue.noteConfirmed()
        return answer
      }
      if (isScan) this.#scanning.add(client)
      // Its connection was still being made when the end began.
      if (isScan && this.#isEnding) disconnect(client)
      return runTransaction(client, begin, commit, options, work).finally(() => this.#scanning.delete(client))
    })
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
          const send = sendInTransaction(client, this.#options)
          const begin = (mode: string) => send(unnamedStatement(beginning(this.#options, mode)), [])
          resolve({ send, begin, release })
        })
      }
      this.#run(host, kind, false, hold).catch(reject)
    })
  }

  end(): Promise<void> {
    this.#isEnding = true
    this.#overdue.close()
    for (const client of this.#scanning) disconnect(client)
    return this.#pool.end()
  }

  /**
   * Before authentication a tenant may be invented. So all calls of that kind together count as one tenant, and the tenants that they name
   * take turns only among themselves. A caller that is answered early leaves its slot in use until the work is done.
   */
  async #run<T>(
    tenant: string,
    kind: string,
    isWrite: boolean,
    work: (answerEarly: AnswerEarly) => Promise<T>,
  ): Promise<T> {
    if (isWrite) this.#overdue.refuseWhileStalled()
    return new Promise<T>((resolve, reject) => {
      const queue = `${kind === beforeAuth ? host : tenant} ${kind}`
      const run = () => this.#connections.run(queue, () => work(reject))
      const running =
        kind === beforeAuth ? this.#keyLookUps.run(tenant, run) : isWrite ? this.#writes.run(queue, run) : run()
      running.then(resolve, reject)
    })
  }
}
