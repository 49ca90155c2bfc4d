import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Batch, Clock, EntryHead, Outcome, Sealed, SealedEnding, VersionKey } from '../../core/batch.ts'
import { keyOf } from '../../core/batch.ts'
import type { EntryVersion } from '../../core/entry.ts'
import { assert, ColophonError, isColophonError } from '../../core/errors.ts'
import { repeatedOutcome, type StoredOutcome } from '../../core/idempotency.ts'
import type { Job } from '../../core/job.ts'
import { limits } from '../../core/limits.ts'
import type { Redacted } from '../../core/redaction.ts'
import { headsAfter, sealBatch } from '../../core/seal.ts'
import type { Settled } from '../group-commit.ts'
import { type HeadRow, type JobRow, toHead, toJob } from '../rows.ts'
import * as sql from './commit-statements.ts'
import { CommitUnknown, type Send, type Transaction, transaction } from './connection.ts'
import { isConnectionLoss, isTransient, toStorageError } from './errors.ts'
import { saveJobs } from './jobs.ts'

type Group = readonly Redacted<Batch>[]

/** What the lock showed, and what earlier batches of the same group have added to it since. */
type GroupState = {
  clock: Clock
  readonly heads: Map<string, EntryHead>
  readonly outcomes: Map<string, StoredOutcome>
  readonly jobs: Map<string, Job>
}

/**
 * Stores groups of batches of one tenant: the clock row is locked first, everything is decided under that lock, and
 * all rows travel in a few statements. Two round trips, however many batches share them.
 */
export function createCommitter(pool: Pool, now: () => number) {
  return async function commitGroup(batches: Group): Promise<readonly Settled[]> {
    try {
      return await withRetries(() => transaction(pool, (tx) => commitOnce(tx, batches, now())))
    } catch (error) {
      if (batches.length === 1 || isOutage(error))
        return batches.map(() => ({ status: 'rejected', reason: toCallerError(error) }))
      // One bad batch must not fail the others: each gets a transaction of its own.
      const alone: Settled[] = []
      for (const batch of batches) alone.push(...(await commitGroup([batch])))
      return alone
    }
  }
}

async function commitOnce({ send, commit }: Transaction, batches: Group, at: number): Promise<readonly Settled[]> {
  const tenantId = batches[0]?.tenantId
  assert(tenantId !== undefined && batches.every((batch) => batch.tenantId === tenantId), 'a group holds one tenant')
  const state = await lockAndLoad(send, tenantId, batches)
  const sealed: Sealed[] = []
  const outcomes: { key: string; stored: StoredOutcome }[] = []
  const settled = batches.map((batch): Settled => {
    try {
      const key = batch.idempotency?.key
      const first = repeatedOutcome(batch, key === undefined ? undefined : state.outcomes.get(key), at)
      if (first) return { status: 'fulfilled', value: { outcome: first, repeated: true, versions: [] } }
      const next = sealBatch(
        batch,
        {
          clock: state.clock,
          head: (entry) => state.heads.get(keyOf(entry)),
          job: batch.finish === null ? undefined : state.jobs.get(batch.finish.jobId),
        },
        at,
      )
      sealed.push(next)
      state.clock = next.clock
      for (const head of headsAfter(next)) state.heads.set(keyOf(head), head)
      for (const job of next.jobs) state.jobs.set(job.jobId, job)
      if (batch.idempotency) {
        const stored = { digest: batch.idempotency.digest, outcome: next.outcome, createdAt: at }
        state.outcomes.set(batch.idempotency.key, stored)
        outcomes.push({ key: batch.idempotency.key, stored })
      }
      return { status: 'fulfilled', value: { outcome: next.outcome, repeated: false, versions: next.versions } }
    } catch (error) {
      if (isColophonError(error)) return { status: 'rejected', reason: error }
      throw error
    }
  })
  await commit(...write(send, tenantId, state.clock, sealed, outcomes))
  return settled
}

async function lockAndLoad(send: Send, tenantId: string, batches: Group): Promise<GroupState> {
  const entries = batches.flatMap((batch) => [...batch.revisions, ...batch.ends, ...batch.expects])
  const keys = batches.flatMap((batch) => (batch.idempotency ? [batch.idempotency.key] : []))
  const jobIds = batches.flatMap((batch) => (batch.finish ? [batch.finish.jobId] : []))
  const refs = entries.map((entry) => entry.memoryRef)
  const ids = entries.map((entry) => entry.entryId)
  const [clock, heads, outcomes, jobs] = await Promise.all([
    send<ClockRow>(sql.lockClock, [tenantId]),
    entries.length === 0 ? null : send<HeadRow>(sql.selectHeads, [tenantId, refs, ids]),
    keys.length === 0 ? null : send<OutcomeRow>(sql.selectOutcomes, [tenantId, keys]),
    jobIds.length === 0 ? null : send<JobRow>(sql.lockJobs, [tenantId, jobIds]),
  ])
  const [row] = clock.rows
  if (!row) throw new ColophonError('tenant_unknown', 'The tenant does not exist.')
  return {
    clock: toClock(row),
    heads: new Map(
      heads?.rows.map((head) => [keyOf({ memoryRef: head.memory_ref, entryId: head.entry_id }), toHead(head)]),
    ),
    outcomes: new Map(outcomes?.rows.map((stored) => [stored.key, toStoredOutcome(stored)])),
    jobs: new Map(jobs?.rows.map((job) => [job.job_id, toJob(job)])),
  }
}

function write(
  send: Send,
  tenantId: string,
  clock: Clock,
  sealed: readonly Sealed[],
  outcomes: readonly { key: string; stored: StoredOutcome }[],
): Promise<unknown>[] {
  const sent: Promise<unknown>[] = []
  const { versions, endings } = foldEndings(sealed)
  // Endings first: the database allows one live version per entry, and a revision ends one and adds one.
  if (endings.length > 0) sent.push(send(sql.endVersions, [tenantId, JSON.stringify(sql.endingRows(endings))]))
  if (versions.length > 0) sent.push(send(sql.insertVersions, [tenantId, JSON.stringify(sql.versionRows(versions))]))
  const audit = sealed.flatMap((batch) => (batch.audit ? [batch.audit] : []))
  if (audit.length > 0) {
    const records = JSON.stringify(sql.auditRows(audit))
    sent.push(send(sql.advance, [tenantId, records, clock.position, clock.lastHash, clock.lastCreatedAt]))
  }
  const jobs = new Map(sealed.flatMap((batch) => batch.jobs).map((job) => [job.jobId, job]))
  if (jobs.size > 0) sent.push(...saveJobs(send, tenantId, [...jobs.values()]))
  if (outcomes.length > 0) sent.push(send(sql.saveOutcomes, [tenantId, JSON.stringify(sql.outcomeRows(outcomes))]))
  return sent
}

/** A version that a later batch of the same group ended is stored as ended at once; the rest are updates of older rows. */
function foldEndings(sealed: readonly Sealed[]): { versions: EntryVersion[]; endings: SealedEnding[] } {
  const versions = new Map(sealed.flatMap((batch) => batch.versions).map((version) => [versionKey(version), version]))
  const endings = sealed
    .flatMap((batch) => batch.endings)
    .filter((ending) => {
      const fresh = versions.get(versionKey(ending))
      if (!fresh) return true
      versions.set(versionKey(ending), {
        ...fresh,
        endedPosition: ending.endedPosition,
        endedReason: ending.endedReason,
      })
      return false
    })
  return { versions: [...versions.values()], endings }
}

function versionKey(version: VersionKey): string {
  return `${keyOf(version)}\u0000${version.version}`
}

async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= limits.commitAttemptsMax || !(isTransient(error) || isConnectionLoss(error))) throw error
      await delay(attempt * attempt * 10 * (0.5 + Math.random()))
    }
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof CommitUnknown || isConnectionLoss(error)
}

function toCallerError(error: unknown): unknown {
  return toStorageError(error instanceof CommitUnknown ? error.cause : error)
}

type ClockRow = { position: number; last_hash: string; last_created_at: number; redaction_version: number }
type OutcomeRow = { key: string; digest: string; outcome: string; created_at: number }

export function toClock(row: ClockRow): Clock {
  return {
    position: row.position,
    lastHash: row.last_hash,
    lastCreatedAt: row.last_created_at,
    redactionVersion: row.redaction_version,
  }
}

function toStoredOutcome(row: OutcomeRow): StoredOutcome {
  return { digest: row.digest, outcome: JSON.parse(row.outcome) as Outcome, createdAt: row.created_at }
}
