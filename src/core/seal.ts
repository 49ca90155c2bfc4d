import { auditBatch } from './audit.ts'
import type { Batch, Clock, EntryHead, Sealed, SealedEnding } from './batch.ts'
import { keyOf } from './batch.ts'
import type { EntryVersion } from './entry.ts'
import { ColophonError, invalid } from './errors.ts'
import { enqueueJob, finishJob, type Job } from './job.ts'
import type { Redacted } from './redaction.ts'
import { isExpired } from './view.ts'

/** What the lock showed: the clock, the newest version of each entry the batch names, and the job it completes. */
export type CommitState = {
  readonly clock: Clock
  readonly head: (key: { memoryRef: string; entryId: string }) => EntryHead | undefined
  readonly job: Job | undefined
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
  const position = clock.position + 1
  // A clock that jumps back must not make a later entry look older than an earlier one.
  const at = Math.max(now, clock.lastCreatedAt)
  const versions: EntryVersion[] = []
  const endings: SealedEnding[] = []

  batch.puts.forEach((put, ordinal) => {
    if (put.expiresAt !== null && put.expiresAt <= now) throw invalid('expiresAt', 'must lie in the future')
    versions.push({ ...put, version: 1, createdAt: at, createdPosition: position, ordinal, ...openFrom(position) })
  })
  for (const revision of batch.revisions) {
    const head = state.head(revision)
    const { revives, ...text } = revision
    const ended = head === undefined || head.endedPosition !== null
    if (head === undefined || isExpired(head, now) || (ended && !revives)) {
      throw new ColophonError('version_conflict', 'The entry to revise is not there, or not any more.')
    }
    if (!ended) endings.push(endHead(head, position, 'revised'))
    versions.push({ ...head, ...text, version: head.version + 1, ...openFrom(position) })
  }
  for (const end of batch.ends) {
    const head = state.head(end)
    const live = head !== undefined && head.endedPosition === null && !isExpired(head, now)
    if (live && !endings.some((ending) => keyOf(ending) === keyOf(end)))
      endings.push(endHead(head, position, end.reason))
  }

  const moved = versions.length > 0 || endings.length > 0
  const audit = moved ? auditBatch(batch, { position, at, prev: clock.lastHash, versions, endings }) : null
  return {
    clock: audit === null ? clock : { ...clock, position, lastHash: audit.hash, lastCreatedAt: at },
    moved,
    versions,
    endings,
    audit,
    jobs: sealJobs(batch, state.job, now),
    outcome: {
      position: moved ? position : clock.position,
      entries: versions.map(({ memoryRef, entryId, version }) => ({ memoryRef, entryId, version })),
      ended: endings.map(({ memoryRef, entryId }) => ({ memoryRef, entryId })),
      jobs: batch.jobs.map((job) => job.jobId),
    },
  }
}

function openFrom(position: number) {
  return { recordedPosition: position, endedPosition: null, endedReason: null }
}

function endHead(head: EntryHead, position: number, reason: string): SealedEnding {
  return { ...head, endedPosition: position, endedReason: reason }
}

function checkExpectations(batch: Batch, state: CommitState): void {
  for (const expectation of batch.expects) {
    const head = state.head(expectation)
    const version = head === undefined || head.endedPosition !== null ? 0 : head.version
    if (version !== expectation.version) {
      throw new ColophonError('version_conflict', 'The entry has another version than expected.', {
        details: { expected: expectation.version, actual: version },
      })
    }
  }
}

function sealJobs(batch: Batch, finishing: Job | undefined, now: number): Job[] {
  const jobs = batch.jobs.map((job) => enqueueJob(job, now))
  if (batch.finish === null) return jobs
  if (finishing === undefined) throw new ColophonError('job_not_found', 'The job to complete does not exist.')
  return [finishJob(finishing, batch.finish, now), ...jobs]
}

/** The newest versions as they stand once a sealed batch is applied: the next batch of the same group must see them. */
export function headsAfter(sealed: Sealed): EntryHead[] {
  return [...sealed.endings, ...sealed.versions]
}
