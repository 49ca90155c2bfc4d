import type { Clock } from '../commit/batch.ts'
import { ColophonError } from '../errors.ts'
import { isEnded, type RunHead, type RunStep, type SealedRun } from './run.ts'
import { extendRunRecord, newRunRecord, type RunRecord } from './run-record.ts'

export type RunState = {
  readonly clock: Clock
  readonly head: (runId: string) => RunHead | undefined
  /** The run that is under way in a scope. */
  readonly activeInScope: (scopeId: string) => string | undefined
}

/** Decides a run's step under the tenant's lock: is it still the run the step was decided on, and when is now? */
export function sealRun(step: RunStep, state: RunState, now: number): SealedRun {
  const head = state.head(step.run.runId)
  if ((head?.revision ?? 0) !== step.expects) {
    throw new ColophonError('run_changed', 'The run went on meanwhile.')
  }
  if (head === undefined) checkStart(step, state)
  const active = step.claimsScope === null ? undefined : state.activeInScope(step.claimsScope)
  if (active !== undefined && active !== step.run.runId) {
    throw new ColophonError('run_already_active', 'A run of this scope is under way.', {
      details: { activeRunId: active, activeHost: 'cloud', retryAfter: 1 },
    })
  }
  // Events of a run never go back in time, and none is older than a write it tells of.
  const at = Math.max(now, state.clock.lastCreatedAt, head?.updatedAt ?? 0)
  const { position } = state.clock
  const events = step.events.map(({ type, nodeId, facts, text, at: recorded }, index) => ({
    sequence: step.firstSequence + index,
    type,
    nodeId,
    at: recorded ?? at,
    payload: { ...facts, ...text },
  }))
  const rewritten = (step.rewritten ?? []).map(({ sequence, facts, text }) => ({
    sequence,
    payload: { ...facts, ...text },
  }))
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

/** The hashes over the run's log once the step is stored; undefined for a run that began without. */
function recordAfter(
  { run, recorded = { events: [], calls: [] }, salt }: RunStep,
  step: Pick<SealedRun, 'events' | 'calls' | 'rewritten' | 'shortened'>,
): RunRecord | undefined {
  if (salt === undefined) return run.facts.record && extendRunRecord(run.facts.record, step)
  const payloads = new Map(step.rewritten.map(({ sequence, payload }) => [sequence, payload]))
  const shorter = new Map(step.shortened.map((call) => [call.ordinal, call]))
  const kept = {
    events: recorded.events.map((event) => ({ ...event, payload: payloads.get(event.sequence) ?? event.payload })),
    calls: recorded.calls.map((call) => ({ ...call, ...shorter.get(call.ordinal) })),
  }
  return extendRunRecord(extendRunRecord(newRunRecord(salt), kept), step)
}

/** A run that begins with an older snapshot needs what was there then, and a fork the record of its source. */
function checkStart({ run, snapshot }: RunStep, { clock, head }: RunState): void {
  if (snapshot === null) return
  const { fork } = run.facts
  const isKept = snapshot.position >= clock.historyFrom
  if (isKept && (fork === null || head(fork.sourceRunId) !== undefined)) return
  if (fork === null) throw new ColophonError('snapshot_expired', 'The snapshot that the run would read is not kept.')
  throw new ColophonError('replay_memory_snapshot_unavailable', 'What the run read is no longer kept.', {
    details: { fromSeq: fork.fromSeq, sourceRunId: fork.sourceRunId, reason: 'retention_expired' },
  })
}
