import type { PoolClient, QueryResult } from 'pg'
import { ColophonError } from '../../core/errors.ts'
import { invariant } from '../../core/invariant.ts'
import { host, type Send, sendBy, type Transaction, tenantIn, unnamedStatement } from './connection.ts'
import type { DatabaseOptions } from './database.ts'
import { CommitAnswerLost, firstCause, isConnectionLoss } from './errors.ts'
import { sendTenant } from './row-security.ts'

/**
 * Statements of one transaction. Before the first of a tenant, the transaction is set to that tenant. One that was opened for a tenant stays with it:
 * a statement whose first value is another text is a mistake.
 */
export function sendInTransaction(
  client: PoolClient,
  { pooler, isRowSecured, answerWaitMs, tenant: opened = host }: DatabaseOptions & { readonly tenant?: string },
): Send {
  const send = sendBy(client, pooler, answerWaitMs)
  if (!isRowSecured) return send
  let current = host
  return (what, values) => {
    const tenant = tenantIn(values)
    if (tenant !== host && tenant !== current && !what.isAcrossTenants) {
      invariant(opened === host || tenant === opened, 'a transaction has the rows of the tenant that it was opened for')
      current = tenant
      sendTenant(client, tenant, 'transaction').catch(() => {})
    }
    return send(what, values)
  }
}

export async function runTransaction<T>(
  client: PoolClient,
  begin: string,
  sendCommit: () => Promise<QueryResult>,
  options: DatabaseOptions & { readonly tenant: string },
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let finished = false
  let broken = false
  const send = sendInTransaction(client, options)
  const commit: Transaction['commit'] = async (...sent) => {
    const ending = sendCommit()
    finished = true
    const settled = await Promise.allSettled([...sent, ending])
    const errors = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    // A statement that the server refused settles it: nothing was committed. A lost connection settles nothing.
    const refused = errors.filter((error) => !isConnectionLoss(error))
    if (refused.length > 0) throw firstCause(refused)
    if (errors.length > 0)
      throw new CommitAnswerLost('The connection was lost during the commit.', { cause: errors[0] })
    if ((await ending).command !== 'COMMIT') throw new ColophonError('storage_busy', 'The transaction was rolled back.')
  }
  try {
    // Not awaited: it travels with the first statement, which fails if this does.
    client.query(begin).catch(() => {})
    return await work({ send, commit })
  } catch (error) {
    broken = isConnectionLoss(error) || error instanceof CommitAnswerLost
    throw error
  } finally {
    if (!finished && !broken) await send(unnamedStatement('rollback'), []).catch(() => (broken = true))
    client.release(broken)
  }
}
