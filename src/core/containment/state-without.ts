import type { EntryVersion } from '../entries/entry.ts'

/** The reason with which a containment ends a version. */
export const containedReason = 'contained'

/** What the active containments say about the history of one entry. */
export type ContainedHistory = {
  readonly isAffected: (version: number) => boolean
  /** Whether the end of a version is affected: a contained key or run deleted it, or an affected compaction replaced it. */
  readonly isEndAffected: (version: number) => boolean
  /** Whether a containment, or the release of one, committed at this position. */
  readonly isOfContainment: (position: number) => boolean
}

/** What an entry says, and whether it is current. */
export type EntryState = {
  /** The version whose text it has; null when no version is left that counts. */
  readonly text: EntryVersion | null
  /** `live`, or the reason of its end. */
  readonly status: string
}

/**
 * The state of an entry as if what is contained had not happened. It is a function of the stored versions alone: what earlier
 * containments and releases wrote is passed over, so that any of several containments can be released in any order.
 */
export function stateWithout(versions: readonly EntryVersion[], history: ContainedHistory): EntryState {
  return { text: textOf(versions, history), status: statusOf(versions, history) }
}

function textOf(versions: readonly EntryVersion[], { isAffected, isOfContainment }: ContainedHistory) {
  return (
    versions.findLast(
      ({ version, recordedPosition, content }) =>
        content !== '' && !isOfContainment(recordedPosition) && !isAffected(version),
    ) ?? null
  )
}

function statusOf(
  versions: readonly EntryVersion[],
  { isAffected, isEndAffected, isOfContainment }: ContainedHistory,
): string {
  for (const { version, recordedPosition, endedPosition, endedReason } of versions.toReversed()) {
    // The mark of a deletion by the contained key: the entry had ended before, and is as it was.
    if (recordedPosition === endedPosition && isAffected(version)) continue
    const isEnded =
      endedPosition !== null && !isOfContainment(endedPosition) && endedReason !== 'revised' && !isEndAffected(version)
    // What a containment or the contained source brought back counts by what was there before, unless it was ended since.
    if (!isEnded && (isOfContainment(recordedPosition) || isAffected(version))) continue
    if (!isEnded) return 'live'
    return endedReason ?? 'live'
  }
  return 'live'
}
