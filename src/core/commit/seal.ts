import { ColophonError } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { nextPosition } from '../portable/seal-import.ts'
import type { Redacted } from '../redaction/redaction.ts'
import { redactedParts } from '../redaction/redaction.ts'
import { auditBatch } from './audit-record.ts'
import type { AuditRow, Batch, Clock, CommitState, Outcome, Sealed } from './batch.ts'
import { type AnyPart, noRows, type PartRows } from './parts/index.ts'
import type { Moment } from './parts/part.ts'

/**
 * Decides a batch under the tenant's lock: checks what it expects, gives it the next position and its instant, and
 * says exactly which rows to write. Pure, so every database does the same thing; it throws before anything is written.
 */
export function sealBatch(batch: Redacted<Batch>, state: CommitState, now: number): Sealed {
  const { clock } = state
  const present = redactedParts(batch)
  invariant(present !== undefined, 'no text reaches a commit that did not go through the redactor')
  if (batch.redactionVersion !== clock.redactionVersion) {
    throw new ColophonError('redaction_stale', 'Secrets or redaction rules changed before this batch was stored.')
  }
  for (const part of present) part.check?.(batch, state)
  const { position, at, prev, before } = nextPosition(batch, clock, now)
  const rows = sealParts(present, batch, state, { clock, position, at, now })
  const moved = present.some((part) => part.takesPosition?.(rows, batch))
  const audit = moved ? auditBatch(batch, rows, { position, at, prev, isFirst: clock.position === 0 }, present) : null
  const next = audit === null ? clock : nextClock(present, batch, rows, clock, audit)
  checkSealed(rows, clock, next, before.length)
  // The claims of an import come from a file: the unique index refuses two winners with an error for its sender.
  if (!batch.imported) checkOneWinner(rows)
  const outcome = outcomeOf(batch, rows, next.position)
  return { ...rows, clock: next, moved, audit, auditBefore: before, outcome }
}

/** Each part decides its rows; it sees those of the parts before it. */
function sealParts(present: readonly AnyPart[], batch: Batch, state: CommitState, moment: Moment): PartRows {
  const rows: PartRows = { ...noRows }
  for (const part of present) Object.assign(rows, part.seal?.(batch, state, moment, rows))
  return rows
}

function nextClock(present: readonly AnyPart[], batch: Batch, rows: PartRows, clock: Clock, audit: AuditRow): Clock {
  let next: Clock = {
    ...clock,
    position: audit.position,
    lastHash: audit.hash,
    lastCreatedAt: Math.max(clock.lastCreatedAt, audit.at),
  }
  for (const part of present) next = { ...next, ...part.advance?.(rows, batch, clock) }
  return next
}

/** The order of `Outcome`'s members is that of stored outcomes. */
function outcomeOf(batch: Batch, rows: PartRows, position: number): Outcome {
  const { versions, rewrites, endings, admin, runs } = rows
  return {
    position,
    entries: [...versions, ...rewrites].map(({ memoryRef, entryId, version }) => ({ memoryRef, entryId, version })),
    ended: endings.map(({ memoryRef, entryId }) => ({ memoryRef, entryId })),
    jobs: batch.jobs.map((job) => job.jobId),
    admin: admin.map(({ id }) => id),
    ...(runs.length === 0 ? {} : { runs: runs.map(({ run }) => run.runId) }),
    ...(batch.refusal === undefined ? {} : { refusal: batch.refusal }),
  }
}

function checkSealed(rows: PartRows, clock: Clock, next: Clock, importedBefore: number): void {
  const taken = next.position - clock.position
  if (next === clock) {
    invariant(rows.versions.length === 0 && rows.endings.length === 0, 'a change of entries takes a position')
    return
  }
  invariant(taken === importedBefore + 1, 'positions of a tenant grow by one, and each has its record')
  invariant(next.lastCreatedAt >= clock.lastCreatedAt, 'the instants of positions never go back')
  invariant(next.historyFrom >= clock.historyFrom, 'readable history is never extended backwards')
  invariant(next.historyFrom <= next.position, 'readable history begins at a position that exists')
}

/** The databases have a unique index for the same; this also catches a claim that one batch would decide twice. */
function checkOneWinner({ versions }: PartRows): void {
  let claimIds: Set<string> | undefined
  for (const { classification, endedPosition } of versions) {
    const claimId = classification?.claimId ?? null
    if (claimId === null || endedPosition !== null) continue
    claimIds ??= new Set()
    invariant(!claimIds.has(claimId), 'a claim has one winner')
    claimIds.add(claimId)
  }
}
