import type { Database } from 'better-sqlite3'
import {
  type Batch,
  type Clock,
  type Idempotency,
  type Outcome,
  type Sealed,
  toCommitted,
  toRepeated,
} from '../../core/commit/batch.ts'
import { outcomeKeys, repeatedOutcome, type StoredOutcome } from '../../core/commit/idempotency.ts'
import { sealBatch } from '../../core/commit/seal.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { invariant } from '../../core/invariant.ts'
import { limits } from '../../core/limits.ts'
import type { Redacted } from '../../core/redaction/redaction.ts'
import type { Settled } from '../sql/group-commit.ts'
import type { Row } from '../sql/row-codec.ts'
import { clockRows } from '../sql/rows.ts'
import { prepareCommit } from './commit-statements.ts'
import { toStorageError } from './errors.ts'
import { prepareParts } from './parts/index.ts'
import type { SharedTables } from './parts/part.ts'

/** The clocks of one transaction: read once, advanced by each batch, written back once. */
type Clocks = Map<string, { clock: Clock; moved: boolean }>

/** Stores groups of batches: one transaction, one flush to disk, each batch decided by the core. */
export function createCommitter(db: Database, tables: SharedTables, now: () => number) {
  const sql = prepareCommit(db)
  const { parts, begin } = prepareParts(db, tables)

  /** One bad batch must not fail the others: a refusal touches nothing, and after a database error each gets its own transaction. */
  function commitGroup(batches: readonly Redacted<Batch>[]): readonly Settled[] {
    try {
      sql.begin.run()
      const clocks: Clocks = new Map()
      const settled = batches.map((batch) => commitOne(batch, clocks))
      for (const [tenantId, { clock, moved }] of clocks) {
        if (moved) saveClock(tenantId, clock)
      }
      tables.search.saveScopes()
      sql.commit.run()
      return settled
    } catch (error) {
      if (db.inTransaction) sql.rollback.run()
      tables.search.dropScopes()
      const reason = toStorageError(error)
      // A database that is busy or unavailable would fail again, once per batch, while the whole process waits.
      const isOutage = isColophonError(reason) && reason.code !== 'storage_full'
      if (batches.length === 1 || isOutage) return batches.map(() => ({ status: 'rejected', reason }))
      return batches.flatMap((batch) => commitGroup([batch]))
    }
  }

  function saveClock(tenantId: string, clock: Clock): void {
    const { position, lastHash, lastCreatedAt, redactionVersion, historyFrom } = clock
    const { changes } = sql.updateClock.run(position, lastHash, lastCreatedAt, redactionVersion, historyFrom, tenantId)
    invariant(changes === 1, 'a tenant has one clock, and it was read in the same transaction')
  }

  function commitOne(batch: Redacted<Batch>, clocks: Clocks): Settled {
    const at = now()
    let sealed: Sealed
    try {
      const first = repeatedOutcome(batch.idempotency, storedOutcomes(batch.tenantId, batch.idempotency), at)
      if (first) return { status: 'fulfilled', value: toRepeated(first) }
      sealed = sealBatch(batch, begin(batch.tenantId, clockOf(batch.tenantId, clocks)), at)
    } catch (error) {
      if (isColophonError(error)) return { status: 'rejected', reason: error }
      throw error
    }
    apply(batch, sealed, at)
    clocks.set(batch.tenantId, {
      clock: sealed.clock,
      moved: sealed.moved || clocks.get(batch.tenantId)?.moved === true,
    })
    return { status: 'fulfilled', value: toCommitted(sealed) }
  }

  function clockOf(tenantId: string, clocks: Clocks): Clock {
    const known = clocks.get(tenantId)
    if (known) return known.clock
    const row = sql.clock.get(tenantId) as Row | undefined
    if (!row) throw new ColophonError('tenant_unknown', 'The tenant does not exist.')
    const clock = clockRows.fromRow(row)
    clocks.set(tenantId, { clock, moved: false })
    return clock
  }

  function storedOutcomes(tenantId: string, idempotency: Idempotency | null) {
    const rows = idempotency ? (sql.outcomes.all(tenantId, ...outcomeKeys(idempotency)) as OutcomeRow[]) : []
    return (key: string): StoredOutcome | undefined => {
      const row = rows.find((found) => found.key === key)
      return row && { digest: row.digest, outcome: JSON.parse(row.outcome) as Outcome, createdAt: row.created_at }
    }
  }

  function apply({ tenantId, idempotency }: Batch, sealed: Sealed, at: number): void {
    for (const part of parts) part.clear?.(tenantId, sealed)
    for (const part of parts) part.save(tenantId, sealed, at)
    for (const audit of [...sealed.auditBefore, ...(sealed.audit ? [sealed.audit] : [])]) {
      const refs = audit.refs && JSON.stringify(audit.refs)
      sql.insertAudit.run(tenantId, audit.position, audit.at, audit.body, audit.hash, refs)
    }
    if (idempotency) {
      sql.saveOutcome.run(tenantId, idempotency.key, idempotency.digest, JSON.stringify(sealed.outcome), at)
      sql.sweepOutcomes.run(tenantId, tenantId, at - limits.idempotencyHoldMs)
    }
  }

  return {
    commitGroup,
    outcome: (tenantId: string, idempotency: Idempotency) =>
      repeatedOutcome(idempotency, storedOutcomes(tenantId, idempotency), now()),
  }
}

type OutcomeRow = { key: string; digest: string; outcome: string; created_at: number }
