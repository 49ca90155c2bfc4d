import { fullAccess, type ReadAccess } from './access.ts'
import type { EntryVersion, Place } from './entry.ts'

/** The writes of one run that a run's reads see: those with a sequence before the given one. */
export type OwnWrites = { readonly runId: string; readonly beforeSequence: number }

/**
 * What a read sees. `position: null` is the newest state. `own` adds the writes of the reading run and its completed children, also
 * those that were deleted since: a run's deletes do not shrink its own list.
 */
export type ReadView = {
  readonly position: number | null
  readonly own: readonly OwnWrites[]
  readonly access: ReadAccess
}

/** The newest state of everything, without the writes of a run. */
export const currentView: ReadView = { position: null, own: [], access: fullAccess }

/** Whether a version is the state of its entry at a position. */
export function isVisibleAt(version: EntryVersion, position: number): boolean {
  return version.recordedPosition <= position && (version.endedPosition === null || version.endedPosition > position)
}

/** Whether a version is one of the run's own writes. */
export function isOwnWrite(version: EntryVersion, own: readonly OwnWrites[]): boolean {
  const { origin } = version
  if (origin.kind !== 'run' && origin.kind !== 'session') return false
  return own.some(({ runId, beforeSequence }) => runId === origin.runId && origin.sequence < beforeSequence)
}

/** Whether an entry has expired. Expired entries are never returned, also before the sweeper has ended them. */
export function isExpired(version: { readonly expiresAt: number | null }, now: number): boolean {
  return version.expiresAt !== null && version.expiresAt <= now
}

/** The order of lists: newest first. Places are unique, so that pages neither overlap nor leave a gap. */
export function newestFirst(a: Place, b: Place): number {
  return b.createdPosition - a.createdPosition || b.ordinal - a.ordinal
}

/** Whether an entry comes after the cursor in a list: it is older. */
export function isOlder(place: Place, cursor: Place): boolean {
  return newestFirst(cursor, place) < 0
}

type Recorded = Pick<EntryVersion, 'recordedPosition' | 'entryId' | 'version'>

/** The order of a scan from the last change backwards. */
export function lastRecordedFirst(a: Recorded, b: Recorded): number {
  if (a.recordedPosition !== b.recordedPosition) return b.recordedPosition - a.recordedPosition
  return a.entryId === b.entryId ? b.version - a.version : a.entryId < b.entryId ? 1 : -1
}

const newest: Place = { createdPosition: Number.MAX_SAFE_INTEGER, ordinal: Number.MAX_SAFE_INTEGER }

/** The place where the scan of a list starts, downwards. Entries created after the position are not visible, so it starts below them. */
export function scanStart(before: Place | null, position: number | null): Place {
  const top = position === null ? newest : { createdPosition: position + 1, ordinal: 0 }
  return before !== null && isOlder(before, top) ? before : top
}
