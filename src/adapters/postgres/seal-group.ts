import { adminKeyOf } from '../../core/admin.ts'
import type { Batch, Clock, EntryHead, Sealed, SealedEnding, VersionKey } from '../../core/commit/batch.ts'
import { keyOf, toCommitted, toRepeated } from '../../core/commit/batch.ts'
import { repeatedOutcome, type StoredOutcome, tombstoneAt } from '../../core/commit/idempotency.ts'
import { headsAfter, sealBatch } from '../../core/commit/seal.ts'
import type { Compaction } from '../../core/compaction/compaction.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isColophonError } from '../../core/errors.ts'
import type { Job } from '../../core/jobs/job.ts'
import { sourceKeyOf } from '../../core/provenance/source-event.ts'
import type { Redacted } from '../../core/redaction/redaction.ts'
import type { RunHead } from '../../core/run/run.ts'
import type { Settled } from '../sql/group-commit.ts'

/** What the lock showed, and what earlier batches of the same group have added to it since. */
export type GroupState = {
  clock: Clock
  readonly heads: Map<string, EntryHead>
  readonly outcomes: Map<string, StoredOutcome>
  readonly jobs: Map<string, Job>
  readonly revisions: Map<string, number>
  readonly versions: Map<string, EntryVersion>
  readonly runs: Map<string, RunHead>
  /** Runs under way in the scopes that the group claims: each run's scope. */
  readonly active: Map<string, string>
  /** The revisions of the claims that the group decides. */
  readonly claims: Map<string, number>
  /** Which of the group's source events are there already, by service and event id. */
  readonly sourceEvents: Set<string>
  /** The compactions that the group changes. */
  readonly compactions: Map<string, Compaction>
  /** What runs under way read, when the group cuts history; otherwise not loaded. */
  readonly snapshots: { readonly position: number; readonly createdAt: number }[]
  /** Those source events that the group makes memories of and that are neither gone nor behind a fence. */
  readonly present: Set<string>
}

export type NewOutcome = { readonly key: string; readonly tombstone: string; readonly stored: StoredOutcome }

/** A group decided as a whole: how each batch ends, and the rows that all of them add up to. */
export type SealedGroup = {
  readonly settled: readonly Settled[]
  readonly sealed: readonly Sealed[]
  readonly outcomes: readonly NewOutcome[]
}

/** Seals one batch after the other, each on top of what those before it will have done. Nothing is written yet. */
export function sealGroup(batches: readonly Redacted<Batch>[], state: GroupState, at: number): SealedGroup {
  const sealed: Sealed[] = []
  const outcomes: NewOutcome[] = []
  const settled = batches.map((batch): Settled => {
    try {
      const first = repeatedOutcome(batch.idempotency, (key) => state.outcomes.get(key), at)
      if (first) return { status: 'fulfilled', value: toRepeated(first) }
      const next = sealBatch(
        batch,
        {
          clock: state.clock,
          head: (entry) => state.heads.get(keyOf(entry)),
          version: (key) => state.versions.get(versionKey(key)),
          revision: (key) => state.revisions.get(adminKeyOf(key)) ?? 0,
          job: (jobId) => state.jobs.get(jobId),
          run: (runId) => state.runs.get(runId),
          activeInScope: (scopeId) => activeInScope(state, scopeId),
          oldestSnapshot: (madeAfter) => oldestSnapshot(state, madeAfter),
          claim: (claimId) => state.claims.get(claimId) ?? 0,
          hasSourceEvent: (service, eventId) => state.sourceEvents.has(sourceKeyOf({ service, eventId }) ?? ''),
          compaction: (compactionId) => state.compactions.get(compactionId),
          isSourceForgotten: (id) => !state.present.has(id),
        },
        at,
      )
      sealed.push(next)
      state.clock = next.clock
      for (const head of headsAfter(next)) state.heads.set(keyOf(head), head)
      for (const job of next.jobs) state.jobs.set(job.jobId, job)
      noteTexts(state, next)
      noteErasures(state, next)
      noteForgetting(state, next, at)
      noteRuns(state, next)
      noteProvenance(state, next)
      for (const { compaction } of next.compactions) state.compactions.set(compaction.compactionId, compaction)
      for (const change of next.admin) state.revisions.set(adminKeyOf(change), change.record?.revision ?? 0)
      if (batch.idempotency) {
        const stored = { digest: batch.idempotency.digest, outcome: next.outcome, createdAt: at }
        state.outcomes.set(batch.idempotency.key, stored)
        outcomes.push({ ...batch.idempotency, stored })
      }
      return { status: 'fulfilled', value: toCommitted(next) }
    } catch (error) {
      if (isColophonError(error)) return { status: 'rejected', reason: error }
      throw error
    }
  })
  return { settled, sealed, outcomes }
}

/** Rewrites and endings of the same version in one group must know of each other: tags follow the version's life. */
function noteTexts(state: GroupState, { rewrites, endings }: Sealed): void {
  for (const { oldTags: _old, ...rewritten } of rewrites) {
    state.versions.set(versionKey(rewritten), rewritten)
    const head = state.heads.get(keyOf(rewritten))
    if (head?.version === rewritten.version) state.heads.set(keyOf(rewritten), { ...head, tags: rewritten.tags })
  }
  for (const ending of endings) {
    const stored = state.versions.get(versionKey(ending))
    if (stored) state.versions.set(versionKey(ending), { ...stored, endedPosition: ending.endedPosition })
  }
}

/** What an earlier batch of the group deletes is not there for a later one. */
function noteErasures(state: GroupState, { erasures }: Sealed): void {
  for (const erasure of erasures) {
    state.versions.delete(versionKey(erasure))
    if (state.heads.get(keyOf(erasure))?.version === erasure.version) state.heads.delete(keyOf(erasure))
  }
}

/** A fence names its events by more than their ids, so behind a new one no event of the group counts as there. */
function noteForgetting(state: GroupState, { forgetting }: Sealed, at: number): void {
  if (forgetting.fences.some(({ added }) => added.length > 0) || forgetting.sources.length > 0) state.present.clear()
  for (const { key, tombstone } of forgetting.outcomes) {
    state.outcomes.delete(key)
    if (tombstone !== null) state.outcomes.set(tombstone, tombstoneAt(at))
  }
}

/** A run that ends frees its scope for the next batch of the group, and a new one takes it. */
function noteRuns(state: GroupState, { runs, runsPruned }: Sealed): void {
  for (const runId of runsPruned) state.runs.delete(runId)
  for (const { run, isNew } of runs) {
    state.runs.set(run.runId, run)
    if (isNew) state.snapshots.push({ position: run.snapshot.position, createdAt: run.createdAt })
    if (run.endedAt === null && run.facts.scopeId !== null) state.active.set(run.runId, run.facts.scopeId)
    else state.active.delete(run.runId)
  }
}

function noteProvenance(state: GroupState, { claims, sourceEvents }: Sealed): void {
  for (const { claim, isRemoved } of claims) state.claims.set(claim.claimId, isRemoved ? 0 : claim.revision)
  for (const event of sourceEvents) state.sourceEvents.add(sourceKeyOf(event) ?? '')
}

function activeInScope({ active }: GroupState, scopeId: string): string | undefined {
  const [first] = [...active]
    .filter(([, scope]) => scope === scopeId)
    .map(([runId]) => runId)
    .sort()
  return first
}

/** A run that ended earlier in the group still counts: what it held can be cut the next time. */
function oldestSnapshot({ snapshots }: GroupState, madeAfter: number): number | null {
  const held = snapshots.filter(({ createdAt }) => createdAt > madeAfter)
  return held.length === 0
    ? null
    : held.reduce((oldest, { position }) => Math.min(oldest, position), Number.MAX_SAFE_INTEGER)
}

/** A version that a later batch of the same group ended is stored as ended at once; the rest are updates of older rows. */
export function foldEndings(sealed: readonly Sealed[]): { versions: EntryVersion[]; endings: SealedEnding[] } {
  const versions = new Map(sealed.flatMap((batch) => batch.versions).map((version) => [versionKey(version), version]))
  const endings = sealed
    .flatMap((batch) => batch.endings)
    .filter((ending) => {
      const fresh = versions.get(versionKey(ending))
      if (!fresh) return true
      const { endedPosition, endedReason } = ending
      versions.set(versionKey(ending), { ...fresh, endedPosition, endedReason })
      return false
    })
  return { versions: [...versions.values()], endings }
}

export function versionKey(version: VersionKey): string {
  return `${keyOf(version)}\u0000${version.version}`
}
