import { shortSha256 } from '../audit/digest.ts'
import type { MemoryCall, Run, RunEvent } from './run.ts'

/**
 * What holds the log of a run together: a hash over all its events and one over all its memory calls, each in order and each
 * going on from the one before. It is kept in the run's facts; the audit records it when the run is over.
 */
export type RunRecord = {
  /** Random, and made anew when something is taken out of the log: the hashes of before then tell nothing. */
  readonly salt: string
  readonly events: string
  readonly calls: string
}

export function newRunRecord(salt: string): RunRecord {
  return { salt, events: salt, calls: salt }
}

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

export function addEvent(hash: string, { sequence, type, nodeId, at, payload }: RunEvent): string {
  return shortSha256(`${hash}${JSON.stringify([sequence, type, nodeId, at, payload])}`)
}

export function addCall(hash: string, call: MemoryCall): string {
  const { ordinal, sequence, nodeId, op, memoryRef, entries, position, at, forgotten = null } = call
  return shortSha256(
    `${hash}${JSON.stringify([ordinal, sequence, nodeId, op, memoryRef, entries, position, at, forgotten])}`,
  )
}

/** Whether the audit has a record of the run. A replay writes nothing, no record either: its log repeats its source's. */
export function isRecordedEnd({ endedAt, facts }: Pick<Run, 'endedAt' | 'facts'>): boolean {
  return endedAt !== null && facts.fork?.mode !== 'replay'
}
