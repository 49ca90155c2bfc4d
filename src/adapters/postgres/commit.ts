import { type AdminKind, adminKeyOf } from '../../core/admin.ts'
import type { AuditRow, Batch, Clock, Idempotency, Outcome, SealedRewrite } from '../../core/commit/batch.ts'
import { keyOf } from '../../core/commit/batch.ts'
import { outcomeKeys, repeatedOutcome, type StoredOutcome } from '../../core/commit/idempotency.ts'
import { assert, ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { sourceKeyOf } from '../../core/provenance/source-event.ts'
import type { Redacted } from '../../core/redaction/redaction.ts'
import { compactionRows } from '../sql/compaction-rows.ts'
import type { Settled } from '../sql/group-commit.ts'
import type { Row } from '../sql/row-codec.ts'
import { clockRows, jobRows } from '../sql/rows.ts'
import { type RunHeadRow, toRunHead } from '../sql/run-rows.ts'
import { type HeadRow, toHead, toVersion, type VersionRow } from '../sql/version-rows.ts'
import { saveAdmin } from './admin.ts'
import * as rows from './commit-rows.ts'
import * as sql from './commit-statements.ts'
import { saveCompactions, selectCompactions } from './compactions.ts'
import { query, type Send, type Transaction } from './connection.ts'
import type { Database } from './database.ts'
import { doubtful, InDoubt, toCallerError, withRetries } from './doubt.ts'
import { eraseVersions } from './erase.ts'
import { isConnectionLoss } from './errors.ts'
import { saveForgetting } from './forget.ts'
import { type SnapshotRow, selectSnapshots } from './history.ts'
import { saveJobs } from './jobs.ts'
import { KnownClocks } from './known-clocks.ts'
import { saveProvenance } from './provenance.ts'
import { commitQuickly, mayBeQuick } from './quick-commit.ts'
import { removeRuns, saveRuns } from './runs.ts'
import { foldEndings, type GroupState, type SealedGroup, sealGroup, versionKey } from './seal-group.ts'
import { addToSearch, rewriteInSearch } from './search-table.ts'
import { rewriteVectors } from './vectors.ts'

type Group = readonly Redacted<Batch>[]

/**
 * Stores groups of batches of one tenant. A group that only puts and ends entries, by a clock that this process knows, is
 * one statement. Otherwise the clock row is locked first, everything is decided under that lock, and all rows travel in
 * a few statements. Two round trips, however many batches share them.
 */
export function createCommitter(database: Database, now: () => number) {
  const clocks = new KnownClocks()

  /** One statement if this process knows the clock. Otherwise, or if it was wrong about something, under the lock. */
  async function commitSomehow(
    tenantId: string,
    batches: Group,
    doubts: readonly InDoubt[],
  ): Promise<readonly Settled[]> {
    const seen = clocks.take(tenantId)
    const isTried = seen !== null && doubts.length === 0 && mayBeQuick(batches)
    const quick = isTried ? await commitQuickly(database, batches, seen, now()) : null
    if (quick !== null) {
      clocks.noteHit(tenantId)
      clocks.note(tenantId, quick.clock)
      return quick.settled
    }
    // Apart from the tenant's reads: those who write do not wait behind all who read.
    const locked = await database.transaction(tenantId, 'writes', (tx) => commitOnce(tx, batches, now(), doubts))
    if (isTried && locked.found.lastHash !== seen.lastHash) clocks.noteMiss(tenantId)
    clocks.note(tenantId, locked.clock)
    return locked.settled
  }

  async function commitGroup(batches: Group): Promise<readonly Settled[]> {
    const tenant = batches[0]?.tenantId ?? ''
    assert(
      batches.every((batch) => batch.tenantId === tenant),
      'a group holds one tenant',
    )
    try {
      return await withRetries((doubts) => commitSomehow(tenant, batches, doubts))
    } catch (error) {
      const isOutage = error instanceof InDoubt || isConnectionLoss(error) || isColophonError(error, 'overloaded')
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

async function commitOnce(
  tx: Transaction,
  batches: Group,
  at: number,
  doubts: readonly InDoubt[],
): Promise<{ settled: readonly Settled[]; found: Clock; clock: Clock }> {
  const { send, commit } = tx
  const tenantId = batches[0]?.tenantId ?? ''
  const state = await lockAndLoad(send, tenantId, batches)
  const found = state.clock
  // The lock waits for a doubtful transaction to end, so its record is there or will never be. Only a quick commit may still be on
  // its way: it stores nothing once this one has moved the clock, and is looked for again if this one gets lost too.
  for (const { lastRecord, settled } of doubts) {
    if (lastRecord && (await isRecorded(send, tenantId, lastRecord))) return { settled, found, clock: found }
  }
  const group = sealGroup(batches, state, at)
  try {
    await commit(...write(send, tenantId, state.clock, group, at))
  } catch (error) {
    throw doubtful(error, group)
  }
  return { settled: group.settled, found, clock: state.clock }
}

async function isRecorded(send: Send, tenantId: string, record: AuditRow): Promise<boolean> {
  const { rows } = await send<{ hash: string }>(sql.selectAuditHash, [tenantId, record.position])
  return rows[0]?.hash === record.hash
}

async function lockAndLoad(send: Send, tenantId: string, batches: Group): Promise<GroupState> {
  const entries = batches.flatMap((batch) => [...batch.revisions, ...batch.ends, ...batch.expects])
  const keys = batches.flatMap((batch) => (batch.idempotency ? outcomeKeys(batch.idempotency) : []))
  const jobIds = batches.flatMap(({ finish, holds, park, wakes, jobs }) => [
    ...(finish ? [finish.jobId] : []),
    ...(holds ? [holds.jobId] : []),
    ...(park ? [park.jobId] : []),
    ...wakes,
    ...jobs.flatMap(({ jobId, joins }) => (joins ? [jobId] : [])),
  ])
  const steps = batches.flatMap((batch) => batch.runs)
  const runIds = [
    ...steps.flatMap(({ run }) => [run.runId, ...(run.facts.fork ? [run.facts.fork.sourceRunId] : [])]),
    ...batches.flatMap(({ park, runsPruned }) => [...(park?.waitsFor ?? []), ...runsPruned]),
  ]
  const cutsHistory = batches.some((batch) => batch.historyFrom !== null || batch.runsPruned.length > 0)
  const scopes = steps.flatMap((step) => (step.claimsScope === null ? [] : [step.claimsScope]))
  const refs = entries.map((entry) => entry.memoryRef)
  const ids = entries.map((entry) => entry.entryId)
  const admin = batches.flatMap((batch) => batch.admin)
  const rewrites = batches.flatMap((batch) => [...batch.rewrites, ...batch.erasures])
  const claimIds = batches.flatMap((batch) => batch.claims.map(({ claim }) => claim.claimId))
  const told = batches.flatMap((batch) => batch.sourceEvents).filter(({ service }) => service !== null)
  const telling = batches.flatMap(({ tells }) => (tells === undefined ? [] : [tells]))
  const compactionIds = batches.flatMap((batch) =>
    batch.compactions.map((step) => ('undone' in step ? step.undone : step.made.compactionId)),
  )
  const [clock, heads, outcomes, jobs, revisions, versions, runs, active, claims, events, compactions, live, present] =
    await Promise.all([
      send<Row>(sql.lockClock, [tenantId]),
      entries.length === 0 ? null : send<HeadRow>(sql.selectHeads, [tenantId, refs, ids]),
      keys.length === 0 ? null : send<OutcomeRow>(sql.selectOutcomes, [tenantId, keys]),
      jobIds.length === 0 ? null : send<Row>(sql.lockJobs, [tenantId, jobIds]),
      admin.length === 0
        ? null
        : send<RevisionRow>(sql.selectRevisions, [tenantId, admin.map(({ kind }) => kind), admin.map(({ id }) => id)]),
      rewrites.length === 0
        ? null
        : send<VersionRow>(sql.lockVersions, [
            tenantId,
            rewrites.map((r) => r.entryId),
            rewrites.map((r) => r.version),
          ]),
      runIds.length === 0 ? null : send<RunHeadRow>(sql.selectRunHeads, [tenantId, runIds]),
      scopes.length === 0 ? null : send<ActiveRow>(sql.selectActive, [tenantId, scopes]),
      claimIds.length === 0 ? null : send<ClaimRevisionRow>(sql.selectClaims, [tenantId, claimIds]),
      told.length === 0
        ? null
        : send<SourceNameRow>(sql.selectSourceEvents, [
            tenantId,
            told.map(({ service }) => service),
            told.map(({ eventId }) => eventId),
          ]),
      compactionIds.length === 0 ? null : send<Row>(selectCompactions, [tenantId, compactionIds]),
      cutsHistory ? send<SnapshotRow>(selectSnapshots, [tenantId]) : null,
      telling.length === 0 ? null : send<{ source_event_id: string }>(sql.selectTold, [tenantId, telling]),
    ])
  const [row] = clock.rows
  if (!row) throw new ColophonError('tenant_unknown', 'The tenant does not exist.')
  return {
    clock: clockRows.fromRow(row),
    heads: new Map(
      heads?.rows.map((head) => [keyOf({ memoryRef: head.memory_ref, entryId: head.entry_id }), toHead(head)]),
    ),
    outcomes: new Map(outcomes?.rows.map((stored) => [stored.key, toStoredOutcome(stored)])),
    jobs: new Map(jobs?.rows.map(jobRows.fromRow).map((job) => [job.jobId, job])),
    versions: new Map(versions?.rows.map(toVersion).map((version) => [versionKey(version), version])),
    revisions: new Map(revisions?.rows.map((row) => [adminKeyOf(row), row.revision])),
    runs: new Map(runs?.rows.map((run) => [run.run_id, toRunHead(run)])),
    claims: new Map(claims?.rows.map((row) => [row.claim_id, row.revision])),
    sourceEvents: new Set(
      events?.rows.map((row) => sourceKeyOf({ service: row.service, eventId: row.event_id }) ?? ''),
    ),
    compactions: new Map(compactions?.rows.map(compactionRows.fromRow).map((made) => [made.compactionId, made])),
    snapshots: (live?.rows ?? []).map((row) => ({ position: row.snapshot_position, createdAt: row.created_at })),
    present: new Set(present?.rows.map((row) => row.source_event_id)),
    active: new Map(active?.rows.map((run) => [run.run_id, run.scope_id])),
  }
}

function write(
  send: Send,
  tenantId: string,
  clock: Clock,
  { sealed, outcomes }: SealedGroup,
  at: number,
): Promise<unknown>[] {
  const sent: Promise<unknown>[] = []
  const { versions, endings } = foldEndings(sealed)
  // Rewrites first: an ending that follows one in the group knows the new tags.
  sent.push(...sealed.flatMap((batch) => batch.rewrites).flatMap((rewrite) => rewriteVersion(send, tenantId, rewrite)))
  // Then erasures: what takes the place of something erased must find it free.
  const erasures = sealed.flatMap((batch) => batch.erasures)
  sent.push(...eraseVersions(send, tenantId, erasures))
  // Then endings: the database allows one live version per entry, and a revision ends one and adds one.
  if (endings.length > 0) {
    sent.push(send(sql.endVersions, [tenantId, ...rows.endingColumns(endings)]))
    sent.push(send(sql.endTags, [tenantId, ...rows.endingTagColumns(endings)]))
  }
  if (versions.length > 0) {
    sent.push(send(sql.insertVersions, [tenantId, JSON.stringify(rows.versionRows(versions))]))
    sent.push(addToSearch(send, tenantId, versions, Math.max(...sealed.map(({ placeFrom }) => placeFrom))))
  }
  const audit = sealed.flatMap((batch) => [...batch.auditBefore, ...(batch.audit ? [batch.audit] : [])])
  if (audit.length > 0) {
    const records = JSON.stringify(rows.auditRows(audit))
    const { position, lastHash, lastCreatedAt, redactionVersion, historyFrom } = clock
    sent.push(send(sql.advance, [tenantId, records, position, lastHash, lastCreatedAt, redactionVersion, historyFrom]))
  }
  const admin = new Map(sealed.flatMap((batch) => batch.admin).map((change) => [adminKeyOf(change), change]))
  sent.push(...saveAdmin(send, tenantId, [...admin.values()]))
  const jobs = new Map(sealed.flatMap((batch) => batch.jobs).map((job) => [job.jobId, job]))
  sent.push(...saveJobs(send, tenantId, [...jobs.values()]))
  sent.push(
    ...saveProvenance(send, tenantId, sealed),
    ...saveCompactions(
      send,
      tenantId,
      sealed.flatMap((batch) => batch.compactions),
    ),
    ...saveRuns(
      send,
      tenantId,
      sealed.flatMap((batch) => batch.runs),
    ),
    ...removeRuns(
      send,
      tenantId,
      sealed.flatMap((batch) => batch.runsPruned),
    ),
  )
  sent.push(...sealed.flatMap(({ forgetting }) => saveForgetting(send, tenantId, forgetting, at)))
  if (outcomes.length > 0) {
    const expiredBefore = Math.max(...outcomes.map(({ stored }) => stored.createdAt)) - limits.idempotencyHoldMs
    sent.push(send(sql.saveOutcomes, [tenantId, JSON.stringify(rows.outcomeRows(outcomes))]))
    sent.push(send(sql.sweepOutcomes, [tenantId, expiredBefore, outcomes.length * 2]))
  }
  return sent
}

function rewriteVersion(send: Send, tenantId: string, v: SealedRewrite): Promise<unknown>[] {
  const place = [v.memoryRef, v.createdPosition, v.ordinal, v.version]
  const removed = v.oldTags.filter((tag) => !v.tags.includes(tag))
  const added = v.tags.filter((tag) => !v.oldTags.includes(tag))
  const text = [v.content, JSON.stringify(v.tags), v.salt, v.digestPosition]
  return [
    send(sql.rewriteVersion, [tenantId, v.entryId, v.version, ...text]),
    ...rewriteInSearch(send, tenantId, v),
    ...rewriteVectors(send, tenantId, v),
    send(sql.removeTags, [tenantId, ...place, removed]),
    send(sql.addTags, [tenantId, ...place, added, v.recordedPosition, v.endedPosition]),
  ]
}

type ClaimRevisionRow = { claim_id: string; revision: number }
type SourceNameRow = { service: string; event_id: string }
type RevisionRow = { kind: AdminKind; id: string; revision: number }
type ActiveRow = { run_id: string; scope_id: string }
type OutcomeRow = { key: string; digest: string; outcome: string; created_at: number }

function toStoredOutcome(row: OutcomeRow): StoredOutcome {
  return { digest: row.digest, outcome: JSON.parse(row.outcome) as Outcome, createdAt: row.created_at }
}
