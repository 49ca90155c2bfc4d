import type { Database } from 'better-sqlite3'
import {
  type Batch,
  type Clock,
  type Idempotency,
  keyOf,
  type Outcome,
  type Sealed,
  type SealedRewrite,
  toCommitted,
  toRepeated,
} from '../../core/commit/batch.ts'
import { outcomeKeys, repeatedOutcome, type StoredOutcome } from '../../core/commit/idempotency.ts'
import { sealBatch } from '../../core/commit/seal.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Redacted } from '../../core/redaction/redaction.ts'
import type { Settled } from '../sql/group-commit.ts'
import { once } from '../sql/once.ts'
import type { Row } from '../sql/row-codec.ts'
import { clockRows } from '../sql/rows.ts'
import { type HeadRow, toHead, toVersion, type VersionRow, versionValues } from '../sql/version-rows.ts'
import type { AdminTable } from './admin.ts'
import { prepareCommit } from './commit-statements.ts'
import type { CompactionTable } from './compactions.ts'
import { createEraser } from './erase.ts'
import { toStorageError } from './errors.ts'
import type { ForgetTable } from './forget.ts'
import type { JobTable } from './jobs.ts'
import type { ProvenanceTable } from './provenance.ts'
import type { RunTable } from './runs.ts'
import type { SearchTable } from './search-table.ts'
import type { VectorTable } from './vectors.ts'

/** The clocks of one transaction: read once, advanced by each batch, written back once. */
type Clocks = Map<string, { clock: Clock; moved: boolean }>

type Tables = {
  readonly jobs: JobTable
  readonly admin: AdminTable
  readonly runs: RunTable
  readonly provenance: ProvenanceTable
  readonly compactions: CompactionTable
  readonly search: SearchTable
  readonly vectors: VectorTable
  readonly forget: ForgetTable
}

/** Stores groups of batches: one transaction, one flush to disk, each batch decided by the core. */
export function createCommitter(
  db: Database,
  { jobs, admin, runs, provenance, compactions, search, vectors, forget }: Tables,
  now: () => number,
) {
  const sql = prepareCommit(db)
  const eraseVersion = createEraser(db, search, vectors)

  /** One bad batch must not fail the others: a refusal touches nothing, and after a database error each gets its own transaction. */
  function commitGroup(batches: readonly Redacted<Batch>[]): readonly Settled[] {
    try {
      sql.begin.run()
      const clocks: Clocks = new Map()
      const settled = batches.map((batch) => commitOne(batch, clocks))
      for (const [tenantId, { clock, moved }] of clocks) {
        if (moved) saveClock(tenantId, clock)
      }
      sql.commit.run()
      return settled
    } catch (error) {
      if (db.inTransaction) sql.rollback.run()
      const reason = toStorageError(error)
      // A database that is busy or away would only be met again, once per batch, while the whole process waits.
      const isOutage = isColophonError(reason) && reason.code !== 'storage_full'
      if (batches.length === 1 || isOutage) return batches.map(() => ({ status: 'rejected', reason }))
      return batches.flatMap((batch) => commitGroup([batch]))
    }
  }

  function saveClock(tenantId: string, clock: Clock): void {
    const { position, lastHash, lastCreatedAt, redactionVersion, historyFrom } = clock
    sql.updateClock.run(position, lastHash, lastCreatedAt, redactionVersion, historyFrom, tenantId)
  }

  function commitOne(batch: Redacted<Batch>, clocks: Clocks): Settled {
    const at = now()
    let sealed: Sealed
    try {
      const first = repeatedOutcome(batch.idempotency, storedOutcomes(batch.tenantId, batch.idempotency), at)
      if (first) return { status: 'fulfilled', value: toRepeated(first) }
      sealed = sealBatch(
        batch,
        {
          clock: clockOf(batch.tenantId, clocks),
          head: once(keyOf, ({ memoryRef, entryId }) => {
            const row = sql.head.get(batch.tenantId, memoryRef, entryId) as HeadRow | undefined
            return row && toHead(row)
          }),
          version: ({ memoryRef, entryId, version }) => {
            const row = sql.version.get(batch.tenantId, memoryRef, entryId, version) as VersionRow | undefined
            return row && toVersion(row)
          },
          revision: ({ kind, id }) => admin.revision(batch.tenantId, kind, id),
          job: (jobId) => jobs.load(batch.tenantId, jobId) ?? undefined,
          run: (runId) => runs.head(batch.tenantId, runId),
          activeInScope: (scopeId) => runs.activeInScope(batch.tenantId, scopeId),
          oldestSnapshot: (madeAfter) => runs.oldestSnapshot(batch.tenantId, madeAfter),
          claim: (claimId) => provenance.revision(batch.tenantId, claimId),
          hasSourceEvent: (service, eventId) => provenance.hasSourceEvent(batch.tenantId, service, eventId),
          compaction: (compactionId) => compactions.load(batch.tenantId, compactionId),
          isSourceForgotten: (sourceEventId) => provenance.isForgotten(batch.tenantId, sourceEventId),
        },
        at,
      )
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
    // First: what takes the place of something erased must find it free.
    for (const erasure of sealed.erasures) eraseVersion(tenantId, erasure)
    for (const end of sealed.endings) {
      sql.endVersion.run(end.endedPosition, end.endedReason, tenantId, end.memoryRef, end.entryId, end.version)
      for (const tag of end.tags) {
        sql.endTag.run(end.endedPosition, tenantId, end.memoryRef, tag, end.createdPosition, end.ordinal, end.version)
      }
    }
    for (const [place, v] of sealed.versions.entries()) {
      sql.insertVersion.run(versionValues(tenantId, v))
      search.add(tenantId, v, sealed.placeFrom + place)
      for (const tag of v.tags) {
        sql.insertTag.run(tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version, v.recordedPosition)
        if (v.endedPosition !== null)
          sql.endTag.run(v.endedPosition, tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version)
      }
    }
    for (const rewrite of sealed.rewrites) rewriteVersion(tenantId, rewrite)
    for (const change of sealed.admin) admin.save(tenantId, change)
    for (const job of sealed.jobs) jobs.save(tenantId, job)
    for (const run of sealed.runs) runs.save(tenantId, run)
    for (const runId of sealed.runsPruned) runs.remove(tenantId, runId)
    provenance.save(tenantId, sealed)
    for (const compaction of sealed.compactions) compactions.save(tenantId, compaction)
    forget.save(tenantId, sealed.forgetting, at)
    for (const audit of [...sealed.auditBefore, ...(sealed.audit ? [sealed.audit] : [])]) {
      const refs = audit.refs && JSON.stringify(audit.refs)
      sql.insertAudit.run(tenantId, audit.position, audit.at, audit.body, audit.hash, refs)
    }
    if (idempotency) {
      sql.saveOutcome.run(tenantId, idempotency.key, idempotency.digest, JSON.stringify(sealed.outcome), at)
      sql.sweepOutcomes.run(tenantId, tenantId, at - limits.idempotencyHoldMs)
    }
  }

  /** Tags that held a secret are deleted as rows, not ended: their text must not stay in the file. */
  function rewriteVersion(tenantId: string, v: SealedRewrite): void {
    sql.rewriteVersion.run(v.content, JSON.stringify(v.tags), v.salt, v.digestPosition, tenantId, v.entryId, v.version)
    search.rewrite(tenantId, v)
    vectors.rewrite(tenantId, v)
    for (const tag of v.oldTags) {
      if (!v.tags.includes(tag)) sql.removeTag.run(tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version)
    }
    for (const tag of v.tags) {
      if (v.oldTags.includes(tag)) continue
      sql.insertTag.run(tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version, v.recordedPosition)
      if (v.endedPosition !== null) {
        sql.endTag.run(v.endedPosition, tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version)
      }
    }
  }

  return {
    commitGroup,
    outcome: (tenantId: string, idempotency: Idempotency) =>
      repeatedOutcome(idempotency, storedOutcomes(tenantId, idempotency), now()),
  }
}

type OutcomeRow = { key: string; digest: string; outcome: string; created_at: number }
