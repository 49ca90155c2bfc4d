import type { EntryVersion } from '../../core/entries/entry.ts'
import { type EntryFilter, matches } from '../../core/filter/filter.ts'
import { isEdit } from '../../core/provenance/source-event.ts'
import type { TenantState } from './tenant-state.ts'

/** What a filter means for stored versions. Without a filter, all match. */
export function isMatch(state: TenantState | undefined, filter: EntryFilter | undefined) {
  return (version: EntryVersion): boolean =>
    filter === undefined || matches({ ...version, metadata: metadataOf(state, version) }, filter)
}

/** The metadata of the source event that stated a version. That of an edit or of a batch is the host's own. */
function metadataOf(state: TenantState | undefined, { origin }: EntryVersion) {
  const id = 'sourceEventId' in origin ? origin.sourceEventId : undefined
  const event = id === undefined ? undefined : state?.sourceEvents.get(id)
  return event === undefined || isEdit(event) ? null : event.metadata
}
