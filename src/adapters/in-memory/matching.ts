import type { EntryVersion } from '../../core/entries/entry.ts'
import { type EntryFilter, matches } from '../../core/filter/filter.ts'
import { isEdit } from '../../core/provenance/source-event.ts'
import { bestOf, supportersAmong } from '../../core/provenance/supporters.ts'
import type { TenantState } from './tenant-state.ts'

/** What a filter means for stored versions at a position. Without a filter, all match. */
export function isMatch(
  state: TenantState | undefined,
  filter: EntryFilter | undefined,
  position = Number.MAX_SAFE_INTEGER,
) {
  return (version: EntryVersion): boolean =>
    filter === undefined ||
    matches({ ...version, metadata: metadataOf(state, version), best: bestAt(state, version, position) }, filter)
}

/** The assertion that reads show the content of a version by. */
function bestAt(state: TenantState | undefined, version: EntryVersion, position: number) {
  const claimId = version.classification?.claimId ?? null
  const ofClaim = claimId === null ? [] : (state?.assertions.filter((item) => item.claimId === claimId) ?? [])
  return bestOf(supportersAmong(ofClaim, version, position), version.trust) ?? null
}

/** The metadata of the source event that stated a version. That of an edit or of a batch is the host's own. */
function metadataOf(state: TenantState | undefined, { origin }: EntryVersion) {
  const id = 'sourceEventId' in origin ? origin.sourceEventId : undefined
  const event = id === undefined ? undefined : state?.sourceEvents.get(id)
  return event === undefined || isEdit(event) ? null : event.metadata
}
