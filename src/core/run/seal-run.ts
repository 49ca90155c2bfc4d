import type { Clock } from '../commit/batch.ts'
import { ColophonError } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { isEnded, type RunHead, type RunStep, type SealedRun } from './run.ts'
import { assertGapless, extendRunRecord, newRunRecord, type RunRecord } from './run-record.ts'

/** What the tenant's lock shows: the clock, stored runs, and active runs by scope. */
export type RunState = {
  readonly clock: Clock
  readonly head: (runId: string) => RunHead | undefined
  /** The active run of a scope. */
  readonly activeInScope: (scopeId: string) => string | undefined
}

/** Decides a step of a run under the tenant's lock: it is refused if the run has another revision, and gets its instant. */
export function sealRun(step: RunStep, state: RunState, now: number): SealedRun {
  const head = state.head(step.run.runId)
  if ((head?.revision ?? 0) !== step.expects) {
    throw new ColophonError('run_changed', 'The run was updated concurrently; retry.')
  }
  if (head === undefined) checkStart(step, state)
  const active = step.claimsScope === null ? undefined : state.activeInScope(step.claimsScope)
  if (active !== undefined && active !== step.run.runId) {
    throw new ColophonError('run_already_active', 'Another run of this scope is active.', {
      details: { activeRunId: active, activeHost: 'cloud', retryAfter: 1 },
    })
  }
  invariant(head !== undefined || step.firstSequence === 0, 'the first event of a run has sequence 0')
  invariant((head?.endedAt ?? null) === null || isEnded(step.run.status), 'a run that has ended stays ended')
  // The instants of a run's events never go back, and no event is older than the write it reports.
  const at = Math.max(now, state.clock.lastCreatedAt, head?.updatedAt ?? 0)
  const { position } = state.clock
  const events = step.events.map(({ type, nodeId, facts, text, at: recorded, cause }, index) => ({
    sequence: step.firstSequence + index,
    type,
    nodeId,
    at: recorded ?? at,
    payload: { ...facts, ...text },
    ...(cause === undefined ? {} : { cause }),
  }))
  const isCausedBefore = events.every(({ sequence, cause = -1 }) => cause < sequence)
  invariant(isCausedBefore, 'an event is caused by an earlier event of its run')
  const rewritten = (step.rewritten ?? []).map(({ sequence, facts, text }) => ({
    sequence,
    payload: { ...facts, ...text },
  }))
  const isStored = rewritten.every(({ sequence }) => sequence < step.firstSequence)
  invariant(isStored, 'only stored events are rewritten')
  const shortened = step.shortened ?? []
  const record = recordAfter(step, { events, calls: step.calls, rewritten, shortened })
  const run = {
    ...step.run,
    facts: record === undefined ? step.run.facts : { ...step.run.facts, record },
    revision: step.expects + 1,
    nextSequence: step.firstSequence + events.length,
    snapshot: head?.snapshot ?? step.snapshot ?? { position, at },
    createdAt: head?.createdAt ?? at,
    updatedAt: at,
    endedAt: isEnded(step.run.status) ? (head?.endedAt ?? at) : null,
  }
  return { run, isNew: head === undefined, events, calls: step.calls, rewritten, shortened }
}

/** The record of the run after the step; undefined for a run of an earlier version, which has none. */
function recordAfter(
  { run, recorded = { events: [], calls: [] }, salt }: RunStep,
  step: Pick<SealedRun, 'events' | 'calls' | 'rewritten' | 'shortened'>,
): RunRecord | undefined {
  assertGapless(step)
  if (salt === undefined) return run.facts.record && extendRunRecord(run.facts.record, step)
  const payloads = new Map(step.rewritten.map(({ sequence, payload }) => [sequence, payload]))
  const shortened = new Map(step.shortened.map((call) => [call.ordinal, call]))
  const stored = {
    events: recorded.events.map((event) => ({ ...event, payload: payloads.get(event.sequence) ?? event.payload })),
    calls: recorded.calls.map((call) => ({ ...call, ...shortened.get(call.ordinal) })),
  }
  return extendRunRecord(extendRunRecord(newRunRecord(salt), stored), step)
}

/** A run with an older snapshot needs history back to it, and a fork needs its source run. */
function checkStart({ run, snapshot }: RunStep, { clock, head }: RunState): void {
  if (snapshot === null) return
  const { fork } = run.facts
  const isKept = snapshot.position >= clock.historyFrom
  if (isKept && (fork === null || head(fork.sourceRunId) !== undefined)) return
  if (fork === null) throw new ColophonError('snapshot_expired', 'The snapshot of the run was pruned.')
  throw new ColophonError('replay_memory_snapshot_unavailable', 'The memory that the source run read was pruned.', {
    details: { fromSeq: fork.fromSeq, sourceRunId: fork.sourceRunId, reason: 'retention_expired' },
  })
}
