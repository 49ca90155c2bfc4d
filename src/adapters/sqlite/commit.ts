import type { Database } from 'better-sqlite3'
import {
  type Batch,
  type Clock,
  keyOf,
  type Outcome,
  type Sealed,
  type SealedRewrite,
  toCommitted,
  toRepeated,
} from '../../core/batch.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { repeatedOutcome, type StoredOutcome } from '../../core/idempotency.ts'
import { limits } from '../../core/limits.ts'
import type { Redacted } from '../../core/redaction.ts'
import { sealBatch } from '../../core/seal.ts'
import type { Settled } from '../group-commit.ts'
import { once } from '../once.ts'
import {
  type ClockRow,
  clockColumns,
  type HeadRow,
  headColumns,
  runOf,
  toClock,
  toHead,
  toVersion,
  type VersionRow,
  versionColumns,
} from '../rows.ts'
import type { AdminTable } from './admin.ts'
import type { CompactionTable } from './compactions.ts'
import { createEraser } from './erase.ts'
import { toStorageError } from './errors.ts'
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
}

/** Stores groups of batches: one transaction, one flush to disk, each batch decided by the core. */
export function createCommitter(
  db: Database,
  { jobs, admin, runs, provenance, compactions, search, vectors }: Tables,
  now: () => number,
) {
  const sql = prepare(db)
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
      const first = repeatedOutcome(batch, storedOutcome(batch), at)
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
    const row = sql.clock.get(tenantId) as ClockRow | undefined
    if (!row) throw new ColophonError('tenant_unknown', 'The tenant does not exist.')
    const clock = toClock(row)
    clocks.set(tenantId, { clock, moved: false })
    return clock
  }

  function storedOutcome({ tenantId, idempotency }: Batch): StoredOutcome | undefined {
    if (idempotency === null) return undefined
    const row = sql.outcome.get(tenantId, idempotency.key) as
      | { digest: string; outcome: string; created_at: number }
      | undefined
    return row && { digest: row.digest, outcome: JSON.parse(row.outcome) as Outcome, createdAt: row.created_at }
  }

  function apply({ tenantId, idempotency }: Batch, sealed: Sealed, at: number): void {
    for (const end of sealed.endings) {
      sql.endVersion.run(end.endedPosition, end.endedReason, tenantId, end.memoryRef, end.entryId, end.version)
      for (const tag of end.tags) {
        sql.endTag.run(end.endedPosition, tenantId, end.memoryRef, tag, end.createdPosition, end.ordinal, end.version)
      }
    }
    for (const [place, v] of sealed.versions.entries()) {
      const { runId, runSequence } = runOf(v.origin)
      // biome-ignore format: one row, in the order of the statement
      sql.insertVersion.run(tenantId, v.memoryRef, v.entryId, v.version, v.content, JSON.stringify(v.tags), v.salt, v.createdAt,
        v.expiresAt, v.createdPosition, v.ordinal, v.recordedPosition, v.subject, JSON.stringify(v.origin), runId, runSequence,
        v.endedPosition, v.endedReason, v.classification && JSON.stringify(v.classification), v.classification?.claimId ?? null,
        v.digestPosition === v.recordedPosition ? null : v.digestPosition)
      search.add(tenantId, v, sealed.placeFrom + place)
      for (const tag of v.tags) {
        sql.insertTag.run(tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version, v.recordedPosition)
        if (v.endedPosition !== null)
          sql.endTag.run(v.endedPosition, tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version)
      }
    }
    for (const rewrite of sealed.rewrites) rewriteVersion(tenantId, rewrite)
    for (const erasure of sealed.erasures) eraseVersion(tenantId, erasure)
    for (const change of sealed.admin) admin.save(tenantId, change)
    for (const job of sealed.jobs) jobs.save(tenantId, job)
    for (const run of sealed.runs) runs.save(tenantId, run)
    for (const runId of sealed.runsPruned) runs.remove(tenantId, runId)
    provenance.save(tenantId, sealed)
    for (const compaction of sealed.compactions) compactions.save(tenantId, compaction)
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

  return { commitGroup }
}

export const selectClock = `select ${clockColumns} from tenant_clock where tenant_id = ?`

/** The plus before a column keeps SQLite from looking an entry up by its ref, which may hold a million others. */
function prepare(db: Database) {
  return {
    begin: db.prepare('begin immediate'),
    commit: db.prepare('commit'),
    rollback: db.prepare('rollback'),
    clock: db.prepare(selectClock),
    updateClock: db.prepare(`
      update tenant_clock
         set position = ?, last_hash = ?, last_created_at = ?, redaction_version = ?, history_from = ?
       where tenant_id = ?`),
    head: db.prepare(`
      select ${headColumns}
        from entry_version
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
       order by version desc
       limit 1`),
    insertVersion: db.prepare(`
      insert into entry_version (tenant_id, memory_ref, entry_id, version, content, tags, salt, created_at,
        expires_at, created_position, ordinal, recorded_position, subject, origin, run_id, run_sequence,
        ended_position, ended_reason, classification, claim_id, digest_position)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    insertTag: db.prepare(`
      insert into entry_tag (tenant_id, memory_ref, tag, created_position, ordinal, version, recorded_position)
      values (?, ?, ?, ?, ?, ?, ?)`),
    endVersion: db.prepare(`
      update entry_version
         set ended_position = ?, ended_reason = ?
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
         and version = ?`),
    endTag: db.prepare(`
      update entry_tag
         set ended_position = ?
       where tenant_id = ?
         and memory_ref = ?
         and tag = ?
         and created_position = ?
         and ordinal = ?
         and version = ?`),
    version: db.prepare(`
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and +memory_ref = ?
         and entry_id = ?
         and version = ?`),
    rewriteVersion: db.prepare(`
      update entry_version
         set content = ?, tags = ?, salt = ?, digest_position = ?
       where tenant_id = ?
         and entry_id = ?
         and version = ?`),
    removeTag: db.prepare(`
      delete from entry_tag
       where tenant_id = ?
         and memory_ref = ?
         and tag = ?
         and created_position = ?
         and ordinal = ?
         and version = ?`),
    insertAudit: db.prepare(`
      insert into audit (tenant_id, position, at, body, hash, refs)
      values (?, ?, ?, ?, ?, ?)`),
    outcome: db.prepare(`
      select digest, outcome, created_at
        from idempotency
       where tenant_id = ?
         and key = ?`),
    // A few expired keys go with every new one, so the table never holds more than a day or so of them.
    sweepOutcomes: db.prepare(`
      delete from idempotency
       where tenant_id = ?
         and key in (
           select key
             from idempotency
            where tenant_id = ?
              and created_at <= ?
            order by created_at
            limit 2)`),
    saveOutcome: db.prepare(`
      insert into idempotency (tenant_id, key, digest, outcome, created_at)
      values (?, ?, ?, ?, ?)
          on conflict (tenant_id, key) do update
         set digest = excluded.digest, outcome = excluded.outcome, created_at = excluded.created_at`),
  }
}
