import type { EntryVersion } from '../entries/entry.ts'
import type { EntryFilter } from '../filter/filter.ts'

/** Which entries a search may return. An omitted member filters nothing. */
export type SearchFilter = {
  readonly tag?: string
  readonly categories?: readonly string[]
  /** The source service that stated it. */
  readonly writer?: string
  readonly agentId?: string
  readonly subject?: string
  /** Created at or after. */
  readonly from?: number
  /** Created before. */
  readonly to?: number
  /** More conditions. The store checks them, because they can be about the source event. */
  readonly where?: EntryFilter
}

/** Whether an entry matches all members of a filter, except `where`. */
export function matchesFilter(entry: EntryVersion, filter: SearchFilter): boolean {
  const { tag, categories, writer, agentId, subject, from, to } = filter
  const { origin } = entry
  return (
    (tag === undefined || entry.tags.includes(tag)) &&
    (categories === undefined || categories.includes(entry.classification?.category ?? 'fact')) &&
    (writer === undefined || (origin.kind === 'service' && origin.service === writer)) &&
    (agentId === undefined || ('agentId' in origin && origin.agentId === agentId)) &&
    (subject === undefined || entry.subject === subject) &&
    (from === undefined || entry.createdAt >= from) &&
    (to === undefined || entry.createdAt < to)
  )
}
