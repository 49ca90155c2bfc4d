import type { AuditRow, Clock, Idempotency, Outcome } from '../../core/commit/batch.ts'
import { outcomeKeys, repeatedOutcome, type StoredOutcome } from '../../core/commit/idempotency.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { invariant } from '../../core/invariant.ts'
import { limits } from '../../core/limits.ts'
import type { Settled } from '../sql/group-commit.ts'
import type { Row } from '../sql/row-codec.ts'
import { clockRows } from '../sql/rows.ts'
import { CachedClocks } from './cached-clocks.ts'
import * as rows from './commit-rows.ts'
import * as sql from './commit-statements.ts'
import { query, type Send, type Transaction } from './connection.ts'
import type { Database } from './database.ts'
import { isConnectionLoss, isNodeLoss } from './errors.ts'
import { canBeOptimistic, commitOptimistically } from './optimistic-commit.ts'
import { loadParts, saveParts } from './parts/index.ts'
import type { Group } from './parts/part.ts'
import { type GroupState, type SealedGroup, sealGroup } from './seal-group.ts'
import { CommitOutcomeUnknown, toCallerError, toUnknownOutcome, withRetries } from './unknown-outcome.ts'

/**
 * Stores groups of batches of one tenant. A group that only puts and ends entries, by a cached clock, is
 * one statement (an optimistic commit). Otherwise the clock row is locked first, everything is decided under that lock, and all rows travel in
 * a few statements. Two round trips, however many batches share them.
 */
export function createCommitter(database: Database, now: () => number) {
  const clocks = new CachedClocks()

  /** One statement if the clock is cached. Otherwise, or if an assumption was wrong, under the lock. */
  async function commitOptimisticallyOrLocked(
    tenantId: string,
    batches: Group,
    unknownOutcomes: readonly CommitOutcomeUnknown[],
  ): Promise<readonly Settled[]> {
    const seen = clocks.take(tenantId)
    // One statement that writes several tables: a distributed database would collect the rows on its coordinator.
    const canBeOneStatement = !database.isDistributed && canBeOptimistic(batches)
    const isOptimistic = seen !== null && unknownOutcomes.length === 0 && canBeOneStatement
    const optimistic = isOptimistic ? await commitOptimistically(database, batches, seen, now()) : null
    if (optimistic !== null) {
      clocks.noteHit(tenantId)
      clocks.put(tenantId, optimistic.clock)
      return optimistic.settled
    }
    // In a queue of their own: writes do not wait behind the tenant's reads.
    const locked = await database.transaction(tenantId, 'writes', (tx) =>
      commitUnderLock(tx, batches, now(), unknownOutcomes),
    )
    if (isOptimistic && locked.found.lastHash !== seen.lastHash) clocks.noteMiss(tenantId)
    clocks.put(tenantId, locked.clock)
    return locked.settled
  }

  async function commitGroup(batches: Group): Promise<readonly Settled[]> {
    const tenant = batches[0]?.tenantId ?? ''
    invariant(
      batches.every((batch) => batch.tenantId === tenant),
      'a group has batches of one tenant',
    )
    try {
      return await withRetries((unknownOutcomes) => commitOptimisticallyOrLocked(tenant, batches, unknownOutcomes))
    } catch (error) {
      // Also of a commit that is overdue: it may still be stored, so no batch of it is sent again.
      const isOutage =
        error instanceof CommitOutcomeUnknown ||
        isConnectionLoss(error) ||
        isNodeLoss(error) ||
        isColophonError(error, 'overloaded') ||
        isColophonError(error, 'storage_unavailable')
      if (batches.length === 1 || isOutage)
        return batches.map(() => ({ status: 'rejected', reason: toCallerError(error) }))
      // One bad batch must not fail the others: each gets a transaction of its own.
      const alone: Settled[] = []
      for (const batch of batches) alone.push(...(await commitGroup([batch])))
      return alone
    }
  }

  return {
    commitGroup,
    async outcome(tenantId: string, idempotency: Idempotency): Promise<Outcome | null> {
      const found = await query<OutcomeRow>(database, sql.selectOutcomes, [tenantId, outcomeKeys(idempotency)])
      const stored = new Map(found.map((row) => [row.key, toStoredOutcome(row)]))
      return repeatedOutcome(idempotency, (key) => stored.get(key), now())
    },
  }
}

async function commitUnderLock(
  tx: Transaction,
  batches: Group,
  at: number,
  unknownOutcomes: readonly CommitOutcomeUnknown[],
): Promise<{ settled: readonly Settled[]; found: Clock; clock: Clock }> {
  const { send, commit } = tx
  const tenantId = batches[0]?.tenantId ?? ''
  const state = await lockAndLoad(send, tenantId, batches)
  const found = state.clock
  // The lock waits until a transaction of unknown outcome has ended, so its record is stored by now or never will be. Only an optimistic
  // commit may still be on its way: it stores nothing once this one has moved the clock, and is searched for again if this one gets lost too.
  for (const { lastRecord, settled } of unknownOutcomes) {
    if (lastRecord && (await isRecorded(send, tenantId, lastRecord))) return { settled, found, clock: found }
  }
  const group = sealGroup(batches, state, at)
  try {
    await commit(...write(send, tenantId, state, group, at))
  } catch (error) {
    throw toUnknownOutcome(error, group)
  }
  return { settled: group.settled, found, clock: state.clock }
}

async function isRecorded(send: Send, tenantId: string, record: AuditRow): Promise<boolean> {
  const { rows } = await send<{ hash: string }>(sql.selectAuditHash, [tenantId, record.position])
  return rows[0]?.hash === record.hash
}

async function lockAndLoad(send: Send, tenantId: string, batches: Group): Promise<GroupState> {
  const keys = batches.flatMap((batch) => (batch.idempotency ? outcomeKeys(batch.idempotency) : []))
  const [clock, outcomes, loaded] = await Promise.all([
    send<Row>(sql.lockClock, [tenantId]),
    keys.length === 0 ? null : send<OutcomeRow>(sql.selectOutcomes, [tenantId, keys]),
    loadParts(send, tenantId, batches),
  ])
  const [row] = clock.rows
  if (!row) throw new ColophonError('tenant_unknown', 'The tenant does not exist.')
  return {
    clock: clockRows.fromRow(row),
    outcomes: new Map(outcomes?.rows.map((stored) => [stored.key, toStoredOutcome(stored)])),
    loaded,
  }
}

function write(
  send: Send,
  tenantId: string,
  { clock, loaded }: GroupState,
  { sealed, outcomes }: SealedGroup,
  at: number,
): Promise<unknown>[] {
  const sent = saveParts(send, tenantId, sealed, at, loaded)
  const audit = sealed.flatMap((batch) => [...batch.auditBefore, ...(batch.audit ? [batch.audit] : [])])
  if (audit.length > 0) {
    const records = JSON.stringify(rows.auditRows(audit))
    const { position, lastHash, lastCreatedAt, redactionVersion, historyFrom } = clock
    invariant(audit.at(-1)?.hash === lastHash, 'the clock points at the last record')
    sent.push(
      send(sql.insertAudit, [tenantId, records]),
      send(sql.advance, [tenantId, position, lastHash, lastCreatedAt, redactionVersion, historyFrom]),
    )
  }
  if (outcomes.length > 0) {
    const expiredBefore = Math.max(...outcomes.map(({ stored }) => stored.createdAt)) - limits.idempotencyHoldMs
    sent.push(send(sql.saveOutcomes, [tenantId, JSON.stringify(rows.outcomeRows(outcomes))]))
    sent.push(send(sql.sweepOutcomes, [tenantId, expiredBefore, outcomes.length * 2]))
  }
  return sent
}

type OutcomeRow = { key: string; digest: string; outcome: string; created_at: number }

function toStoredOutcome(row: OutcomeRow): StoredOutcome {
  return { digest: row.digest, outcome: JSON.parse(row.outcome) as Outcome, createdAt: row.created_at }
}
