import type { EntryVersion } from '../entries/entry.ts'
import { type Trust, trustRank } from '../entries/trust.ts'
import type { EntryFilter, TextField } from '../filter/filter.ts'

/** Which entries a search may return. An omitted member filters nothing. */
export type SearchFilter = {
  readonly tag?: string
  readonly categories?: readonly string[]
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
  const { tag, categories, agentId, subject, from, to } = filter
  const { origin } = entry
  return (
    (tag === undefined || entry.tags.includes(tag)) &&
    (categories === undefined || categories.includes(entry.classification?.category ?? 'fact')) &&
    (agentId === undefined || ('agentId' in origin && origin.agentId === agentId)) &&
    (subject === undefined || entry.subject === subject) &&
    (from === undefined || entry.createdAt >= from) &&
    (to === undefined || entry.createdAt < to)
  )
}

/**
 * All members of a filter and a minimum trust as conditions, for a store that compares versions with them: what `matchesFilter`
 * says, and `where`. Undefined if every version matches.
 */
export function conditionsOf(filter: SearchFilter, trustMin: Trust): EntryFilter | undefined {
  const { tag, categories, agentId, subject, from, to, where } = filter
  const text = (field: TextField, values: readonly string[]): EntryFilter => ({ kind: 'text', field, in: values })
  const created = { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lt: to }) }
  const least = trustRank(trustMin)
  const all: readonly EntryFilter[] = [
    ...(where === undefined ? [] : [where]),
    ...(tag === undefined ? [] : [text('tag', [tag])]),
    ...(categories === undefined ? [] : [text('category', categories)]),
    ...(agentId === undefined ? [] : [text('agent', [agentId])]),
    ...(subject === undefined ? [] : [text('subject', [subject])]),
    ...(from === undefined && to === undefined
      ? []
      : [{ kind: 'number', field: 'created', bounds: created } satisfies EntryFilter]),
    ...(trustMin === 'untrusted'
      ? []
      : [{ kind: 'number', field: 'trust', bounds: { gte: least } } satisfies EntryFilter]),
  ]
  return all.length === 0 ? undefined : { kind: 'and', of: all }
}
