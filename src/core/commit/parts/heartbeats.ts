import type { HeartbeatNote, HeartbeatState } from '../../heartbeats/heartbeat.ts'
import type { BatchPart } from './part.ts'

export type HeartbeatMembers = {
  /** The tick that this batch records. */
  readonly heartbeat: HeartbeatNote | null
}

/** Ticks of heartbeats. They are in the audit record and nowhere else; the change stream reads them there. */
export const heartbeats: BatchPart<HeartbeatMembers> = {
  members: ['heartbeat'],
  none: { heartbeat: null },
  noRows: {},
  takesPosition: (_rows, batch) => batch.heartbeat !== null,
  audit: (_rows, { heartbeat }) => (heartbeat === null ? {} : { heartbeat: toNote(heartbeat) }),
}

/** With its members in order, as every note of the audit. */
function toNote({ heartbeatId, status, from, to }: HeartbeatNote): HeartbeatNote {
  if (from === undefined || to === undefined) return { heartbeatId, status }
  return { from: sorted(from), heartbeatId, status, to: sorted(to) }
}

function sorted(state: HeartbeatState): HeartbeatState {
  return Object.fromEntries(Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1)))
}
