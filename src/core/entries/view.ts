import type { EntryVersion, Place } from './entry.ts'

/** Writes of one run that its own reads may see: those with a sequence before the given one. */
export type OwnWrites = { readonly runId: string; readonly beforeSequence: number }

/**
 * What a read looks at. `position: null` is the newest state. `own` adds what the reading run (and its completed
 * children) wrote itself, whatever happened to it since: a run's deletes do not shrink its own list.
 */
export type View = { readonly position: number | null; readonly own: readonly OwnWrites[] }

export const currentView: View = { position: null, own: [] }

export function isVisibleAt(version: EntryVersion, position: number): boolean {
  return version.recordedPosition <= position && (version.endedPosition === null || version.endedPosition > position)
}

export function isOwnWrite(version: EntryVersion, own: readonly OwnWrites[]): boolean {
  const { origin } = version
  if (origin.kind !== 'run' && origin.kind !== 'session') return false
  return own.some(({ runId, beforeSequence }) => runId === origin.runId && origin.sequence < beforeSequence)
}

/** Expired entries are never returned, purged or not. */
export function isExpired(version: { readonly expiresAt: number | null }, now: number): boolean {
  return version.expiresAt !== null && version.expiresAt <= now
}

/** Newest first. The place breaks every tie, so pages never overlap and never leave a gap. */
export function newestFirst(a: Place, b: Place): number {
  return b.createdPosition - a.createdPosition || b.ordinal - a.ordinal
}

export function isBefore(place: Place, cursor: Place): boolean {
  return newestFirst(cursor, place) < 0
}

const newest: Place = { createdPosition: Number.MAX_SAFE_INTEGER, ordinal: Number.MAX_SAFE_INTEGER }

/** The place from which a list looks down. Nothing created after its position can be visible, so it starts below that. */
export function scanFrom(before: Place | null, position: number | null): Place {
  const top = position === null ? newest : { createdPosition: position + 1, ordinal: 0 }
  return before !== null && isBefore(before, top) ? before : top
}
