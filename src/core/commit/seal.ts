import type { AdminKind, SealedAdmin } from '../admin.ts'
import { auditBatch } from '../audit/audit.ts'
import { type Compaction, sealCompaction } from '../compaction/compaction.ts'
import { blankVersion, type EntryVersion } from '../entries/entry.ts'
import { isExpired } from '../entries/view.ts'
import { ColophonError, invalid } from '../errors.ts'
import { sealForgetting } from '../forget/forgetting.ts'
import { checkLease, claimJob, enqueueJob, finishJob, type Job, parkJob, wakeJob } from '../jobs/job.ts'
import { sealImportedClaims, sealImportedVersions, standingOf } from '../portable/seal-import.ts'
import { sealClaim, sealSourceEvent } from '../provenance/seal-claim.ts'
import type { Redacted } from '../redaction/redaction.ts'
import { expiredReason, sealHistory } from '../retention.ts'
import type { RunHead } from '../run/run.ts'
import { isRecordedEnd } from '../run/run-record.ts'
import { sealRun } from '../run/seal-run.ts'
import { joinDelivery } from '../webhooks/coalesced-delivery.ts'
import type {
  AuditRow,
  Batch,
  Clock,
  EntryHead,
  Sealed,
  SealedEnding,
  SealedErasure,
  SealedRewrite,
  VersionKey,
} from './batch.ts'
import { keyOf } from './batch.ts'

/** What the lock showed: the clock, the newest version of each entry the batch names, and the job it completes. */
export type CommitState = {
  readonly clock: Clock
  readonly head: (key: { memoryRef: string; entryId: string }) => EntryHead | undefined
  /** A stored version with its text, for rewriting or erasing it. */
  readonly version: (key: VersionKey) => EntryVersion | undefined
  /** The revision of an administered record; 0 when there is none. */
  readonly revision: (key: { kind: AdminKind; id: string }) => number
  readonly job: (jobId: string) => Job | undefined
  readonly run: (runId: string) => RunHead | undefined
  /** The run that is under way in a scope. */
  readonly activeInScope: (scopeId: string) => string | undefined
  /** The revision of a claim; 0 when there is none. */
  readonly claim: (claimId: string) => number
  readonly hasSourceEvent: (service: string, eventId: string) => boolean
  readonly compaction: (compactionId: string) => Compaction | undefined
  /** The oldest snapshot that a run under way reads, of runs made after the instant; null when there is none. */
  readonly oldestSnapshot: (madeAfter: number) => number | null
  /** Whether a source event is gone, or behind a fence. */
  readonly isSourceForgotten: (sourceEventId: string) => boolean
}

/**
 * Decides a batch under the tenant's lock: checks what it expects, gives it the next position and its instant, and
 * says exactly which rows to write. Pure, so every database does the same thing; it throws before anything is written.
 */
export function sealBatch(batch: Redacted<Batch>, state: CommitState, now: number): Sealed {
  const { clock } = state
  if (batch.redactionVersion !== clock.redactionVersion) {
    throw new ColophonError('redaction_stale', 'Secrets or redaction rules changed before this batch was stored.')
  }
  checkExpectations(batch, state)
  if (batch.tells !== undefined && state.isSourceForgotten(batch.tells)) {
    throw new ColophonError('source_event_erased', 'What this would tell was forgotten.')
  }
  // A clock that jumps back must not make a later entry look older than an earlier one.
  const { position, at, prev, before } = standingOf(batch, clock, now)
  const { imported } = batch
  const versions: EntryVersion[] = []
  const endings: SealedEnding[] = []

  batch.puts.forEach((put, ordinal) => {
    if (put.expiresAt !== null && put.expiresAt <= now) throw invalid('expiresAt', 'must lie in the future')
    const { endsAtOnce, isDerived: _checked, classification = null, ...entry } = put
    const life = lifeFrom(position, endsAtOnce)
    versions.push({
      ...blankVersion,
      ...entry,
      classification,
      version: 1,
      createdAt: at,
      createdPosition: position,
      ordinal,
      ...life,
    })
  })
  for (const revision of batch.revisions) {
    const head = state.head(revision)
    const { revives, endsAtOnce, ...text } = revision
    const ended = head === undefined || head.endedPosition !== null
    if (head === undefined || isExpired(head, now) || (ended && !revives)) {
      throw new ColophonError('version_conflict', 'The entry to revise is not there, or not any more.')
    }
    if (!ended) endings.push(endHead(head, position, 'revised'))
    versions.push({ ...head, ...text, version: head.version + 1, ...lifeFrom(position, endsAtOnce) })
  }
  const over = new Set(endings.map(keyOf))
  for (const end of batch.ends) {
    const head = state.head(end)
    // What has expired is nobody's to end any more but the sweeper's, which ends nothing else.
    const isDue = head !== undefined && isExpired(head, now) === (end.reason === expiredReason)
    if (!isDue || head.endedPosition !== null || over.has(keyOf(end))) continue
    over.add(keyOf(end))
    endings.push(endHead(head, position, end.reason))
  }

  versions.push(...sealImportedVersions(imported, position))

  const runs = batch.runs.map((step) =>
    sealRun(step, { clock, head: state.run, activeInScope: state.activeInScope }, now),
  )
  const rewrites = sealRewrites(batch, state, position)
  const erasures = sealErasures(batch, state)
  const { historyFrom, runsPruned } = sealHistory(batch, state, now)
  const admin = sealAdmin(batch, state, at)
  const claims = [
    ...batch.claims.map((step) => sealClaim(step, state.claim(step.claim.claimId), position)),
    ...sealImportedClaims(imported),
  ]
  const sourceEvents = [
    ...batch.sourceEvents.map((event) => sealSourceEvent(event, state.hasSourceEvent, position)),
    ...(imported?.sourceEvents ?? []),
  ]
  const compactions = [
    ...batch.compactions.map((step) => sealCompaction(step, state.compaction, position, at)),
    ...(imported?.compactions ?? []),
  ]
  const { payloadsRedacted, sourceRewrites } = batch
  const forgetting = sealForgetting(batch.forgetting, position)
  const { fences, sources, auditRefs, outcomes } = forgetting
  const forgotten = [fences, sources, auditRefs, outcomes, forgetting.compactions]
  const changes = [
    ...forgotten,
    versions,
    endings,
    rewrites,
    erasures,
    admin,
    claims,
    sourceEvents,
    payloadsRedacted,
    sourceRewrites,
    compactions,
    runsPruned,
    imported?.positions ?? [],
  ]
  const isCut = historyFrom > clock.historyFrom
  // What is left of a run that is over is a record like any other.
  const endsRun = runs.some(({ run }) => isRecordedEnd(run))
  const moved = isCut || endsRun || batch.counts !== null || changes.some(({ length }) => length > 0)
  const audit = moved
    ? auditBatch(batch, {
        position,
        at,
        prev,
        versions,
        endings,
        rewrites,
        erasures,
        admin,
        claims,
        sourceEvents,
        sourceRewrites,
        payloadsRedacted,
        compactions,
        historyFrom: isCut ? historyFrom : null,
        runs,
        runsPruned,
        forgetting,
      })
    : null
  return {
    clock: audit === null ? clock : nextClock(batch, { ...clock, historyFrom }, audit),
    moved,
    versions,
    endings,
    rewrites,
    erasures,
    runsPruned,
    audit,
    auditBefore: before,
    placeFrom: imported?.firstLine ?? 0,
    admin,
    jobs: sealJobs(batch, state, now),
    runs,
    sourceEvents,
    payloadsRedacted,
    sourceRewrites,
    claims,
    compactions,
    forgetting,
    outcome: {
      position: moved ? position : clock.position,
      entries: [...versions, ...rewrites].map(({ memoryRef, entryId, version }) => ({ memoryRef, entryId, version })),
      ended: endings.map(({ memoryRef, entryId }) => ({ memoryRef, entryId })),
      jobs: batch.jobs.map((job) => job.jobId),
      admin: admin.map(({ id }) => id),
      ...(runs.length === 0 ? {} : { runs: runs.map(({ run }) => run.runId) }),
    },
  }
}

function nextClock(batch: Batch, clock: Clock, audit: AuditRow): Clock {
  const redactionVersion = clock.redactionVersion + (batch.changesRedaction ? 1 : 0)
  return {
    position: audit.position,
    lastHash: audit.hash,
    lastCreatedAt: Math.max(clock.lastCreatedAt, audit.at),
    redactionVersion,
    historyFrom: clock.historyFrom,
  }
}

function sealRewrites(batch: Batch, state: CommitState, position: number): SealedRewrite[] {
  return batch.rewrites.flatMap((rewrite): SealedRewrite[] => {
    const stored = state.version(rewrite)
    if (stored === undefined || stored.salt !== rewrite.readSalt) return []
    const { content, tags, salt } = rewrite
    return [{ ...stored, content, tags, salt, digestPosition: position, oldTags: stored.tags }]
  })
}

function sealErasures(batch: Batch, state: CommitState): SealedErasure[] {
  return batch.erasures.flatMap((key): SealedErasure[] => {
    const stored = state.version(key)
    if (stored === undefined) return []
    const { memoryRef, entryId, version, createdPosition, ordinal, tags } = stored
    return [{ memoryRef, entryId, version, createdPosition, ordinal, tags }]
  })
}

function sealAdmin(batch: Batch, state: CommitState, at: number): SealedAdmin[] {
  return batch.admin.flatMap(({ kind, id, body, expects }): SealedAdmin[] => {
    const current = state.revision({ kind, id })
    if (expects !== null && expects !== current) {
      throw new ColophonError('version_conflict', 'Another writer changed it first.', {
        details: { expected: expects, actual: current },
      })
    }
    if (body === null) return current === 0 ? [] : [{ kind, id, record: null, revision: current }]
    const revision = current + 1
    return [{ kind, id, record: { kind, id, revision, body, updatedAt: at }, revision }]
  })
}

function lifeFrom(position: number, endsAtOnce: string | undefined) {
  const end = endsAtOnce === undefined ? null : position
  return { recordedPosition: position, digestPosition: position, endedPosition: end, endedReason: endsAtOnce ?? null }
}

function endHead(head: EntryHead, position: number, reason: string): SealedEnding {
  return { ...head, endedPosition: position, endedReason: reason }
}

function checkExpectations(batch: Batch, state: CommitState): void {
  for (const expectation of batch.expects) {
    const head = state.head(expectation)
    const isOver = head === undefined || head.endedPosition !== null
    const version = head !== undefined && isOver === (expectation.isEnded ?? false) ? head.version : 0
    if (version !== expectation.version) {
      throw new ColophonError('version_conflict', 'The entry has another version than expected.', {
        details: { expected: expectation.version, actual: version },
      })
    }
  }
}

function sealJobs(batch: Batch, state: CommitState, now: number): Job[] {
  const load = state.job
  const jobs = batch.jobs.map(({ lease, joins, ...job }) => {
    if (joins) return joinDelivery(load(job.jobId), job, now)
    const queued = enqueueJob(job, now)
    return lease === undefined ? queued : claimJob(queued, lease, now)
  })
  const known = (jobId: string): Job => {
    const job = load(jobId)
    if (job === undefined) throw new ColophonError('job_not_found', 'The job does not exist.')
    return job
  }
  if (batch.holds !== null) checkLease(known(batch.holds.jobId), batch.holds.leaseToken)
  if (batch.finish !== null) jobs.push(finishJob(known(batch.finish.jobId), batch.finish, now))
  if (batch.park !== null) {
    // What it waits for may have happened since it looked; the wake that told of it found the job still at work.
    const isOver = batch.park.waitsFor.some((runId) => state.run(runId)?.endedAt != null)
    const dueAt = isOver ? now : batch.park.dueAt
    jobs.push(parkJob(known(batch.park.jobId), { leaseToken: batch.park.leaseToken, dueAt }))
  }
  for (const jobId of batch.wakes) {
    const job = load(jobId)
    if (job?.status === 'queued') jobs.push(wakeJob(job, now))
  }
  return jobs
}

/** The newest versions as they stand once a sealed batch is applied: the next batch of the same group must see them. */
export function headsAfter(sealed: Sealed): EntryHead[] {
  return [...sealed.endings, ...sealed.versions]
}
