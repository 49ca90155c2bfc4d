import { shortSha256 } from '../audit/digest.ts'
import { invariant } from '../invariant.ts'
import type { MemoryCall } from './memory-call.ts'
import type { Run, RunEvent } from './run.ts'

/**
 * The hash chains of a run: one over all its events and one over all its memory calls, in their order. They are stored in the run's
 * facts; the audit records them when the run has ended.
 */
export type RunRecord = {
  /** Random. A new one is made when a text is removed from the log, so that the former hashes reveal nothing. */
  readonly salt: string
  readonly events: string
  readonly calls: string
}

/** The record of a run without events and calls. */
export function newRunRecord(salt: string): RunRecord {
  return { salt, events: salt, calls: salt }
}

/** The record after more events and calls. */
export function extendRunRecord(
  record: RunRecord,
  { events, calls }: { readonly events: readonly RunEvent[]; readonly calls: readonly MemoryCall[] },
): RunRecord {
  const inOrder = [...calls].sort((a, b) => a.ordinal - b.ordinal)
  return {
    salt: record.salt,
    events: events.reduce(addEvent, record.events),
    calls: inOrder.reduce(addCall, record.calls),
  }
}

/** Asserts that the events and calls of one step have no gap. Stored ones are not asserted: a damaged log must not block an erasure. */
export function assertGapless({
  events,
  calls,
}: {
  readonly events: readonly RunEvent[]
  readonly calls: readonly MemoryCall[]
}) {
  invariant(isGapless(events.map(({ sequence }) => sequence)), 'the sequence of a run grows by one with each event')
  const ordinals = calls.map(({ ordinal }) => ordinal).sort((a, b) => a - b)
  invariant(isGapless(ordinals), 'the memory calls of a run are numbered without a gap')
}

function isGapless(numbers: readonly number[]): boolean {
  const [first = 0] = numbers
  return numbers.every((number, index) => number === first + index)
}

/** The next link of the hash chain over events. */
export function addEvent(hash: string, { sequence, type, nodeId, at, payload, cause }: RunEvent): string {
  // Events without a cause have the hash that earlier versions gave them.
  const members = [sequence, type, nodeId, at, payload, ...(cause === undefined ? [] : [cause])]
  return shortSha256(`${hash}${JSON.stringify(members)}`)
}

/** The next link of the hash chain over memory calls. */
export function addCall(hash: string, call: MemoryCall): string {
  const { ordinal, sequence, nodeId, op, memoryRef, entries, position, at, forgotten = null } = call
  return shortSha256(
    `${hash}${JSON.stringify([ordinal, sequence, nodeId, op, memoryRef, entries, position, at, forgotten])}`,
  )
}

/** Whether the end of the run is recorded in the audit. That of a replay is not: a replay writes nothing, and its log repeats its source's. */
export function isRecordedEnd({ endedAt, facts }: Pick<Run, 'endedAt' | 'facts'>): boolean {
  return endedAt !== null && facts.fork?.mode !== 'replay'
}
