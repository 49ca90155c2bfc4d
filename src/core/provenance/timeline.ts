import type { EntryVersion } from '../entries/entry.ts'
import type { Assertion } from './claim.ts'

/** One content of a claim while it was current. A content that lost at once begins and ends at the same position. */
export type CurrentSpan = {
  readonly version: EntryVersion
  /** The source service that stated it; null for an edit or another statement of a key. */
  readonly writer: string | null
  readonly from: number
  /** The position that ended it; null while it is current. */
  readonly to: number | null
  readonly endedReason: string | null
}

/** What was current in one claim over time, oldest first. Where no span is, nothing was current. */
export function spansOf(versions: readonly EntryVersion[]): CurrentSpan[] {
  return versions
    .map((version) => ({
      version,
      writer: version.origin.kind === 'service' ? version.origin.service : null,
      from: version.recordedPosition,
      to: version.endedPosition,
      endedReason: version.endedReason,
    }))
    .sort((a, b) => a.from - b.from || a.version.ordinal - b.version.ordinal || a.version.version - b.version.version)
}

/** The entries of each claim, the newest `max` of them, by the position of their first statement. */
export function newestEntries(assertions: readonly Assertion[], max: number): ReadonlyMap<string, readonly string[]> {
  const ofClaim = Map.groupBy(assertions, ({ claimId }) => claimId)
  return new Map(
    [...ofClaim].map(([claimId, all]) => {
      const ids = new Set(all.flatMap(({ entryId }) => (entryId === null ? [] : [entryId])))
      return [claimId, [...ids].slice(-max)]
    }),
  )
}
