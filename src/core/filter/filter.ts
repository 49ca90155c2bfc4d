import type { EntryVersion } from '../entries/entry.ts'
import { trustRank } from '../entries/trust.ts'
import { defaultClassification } from '../provenance/category.ts'
import type { Assertion } from '../provenance/claim.ts'

/** Fields whose values are texts. */
export type TextField = 'tag' | 'category' | 'writer' | 'agent' | 'subject'
/** Fields whose values are numbers: instants in ms, a class as its rank. */
export type NumberField = 'created' | 'observed' | 'confidence' | 'importance' | 'trust'

export type Scalar = string | number | boolean | null

/** All bounds that are given must hold. */
export type Bounds = {
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
}

/**
 * Which entries a read returns: conditions on the members of an entry, joined by and, or and not. It is checked by
 * `parseFilter`; `matches` defines what it means, and both databases express the same in SQL.
 */
export type EntryFilter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly EntryFilter[] }
  | { readonly kind: 'not'; readonly of: EntryFilter }
  | { readonly kind: 'text'; readonly field: TextField; readonly in: readonly string[] }
  | { readonly kind: 'number'; readonly field: NumberField; readonly in?: readonly number[]; readonly bounds?: Bounds }
  /** A top-level member of the metadata of the source event. */
  | { readonly kind: 'metadata'; readonly key: string; readonly in?: readonly Scalar[]; readonly bounds?: Bounds }

/** What a condition can see of an entry. */
export type FilteredEntry = Pick<
  EntryVersion,
  'tags' | 'subject' | 'origin' | 'classification' | 'createdAt' | 'trust'
> & {
  /** The assertion that its content is shown by at the position of the read; null or absent for an entry that belongs to no claim. */
  readonly best?: Pick<Assertion, 'service' | 'observedAt'> | null
  /** The metadata of the source event that stated it; null if there is none, or the event is an edit. */
  readonly metadata: Readonly<Record<string, unknown>> | null
}

/** Whether an entry matches a filter. */
export function matches(entry: FilteredEntry, filter: EntryFilter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.of.every((one) => matches(entry, one))
    case 'or':
      return filter.of.some((one) => matches(entry, one))
    case 'not':
      return !matches(entry, filter.of)
    case 'text':
      return textsOf(entry, filter.field).some((text) => filter.in.includes(text))
    case 'number':
      return isWithin(numberOf(entry, filter.field), filter)
    case 'metadata':
      return matchesMetadata(entry.metadata, filter)
  }
}

function textsOf({ tags, classification, origin, subject, best }: FilteredEntry, field: TextField): readonly string[] {
  switch (field) {
    case 'tag':
      return tags
    case 'category':
      return [(classification ?? defaultClassification).category]
    case 'writer':
      if (best) return best.service === null ? [] : [best.service]
      return origin.kind === 'service' ? [origin.service] : []
    case 'agent':
      return 'agentId' in origin && origin.agentId !== undefined ? [origin.agentId] : []
    case 'subject':
      return subject === null ? [] : [subject]
  }
}

function numberOf({ classification, createdAt, trust, best }: FilteredEntry, field: NumberField): number {
  const known = classification ?? defaultClassification
  switch (field) {
    case 'created':
      return createdAt
    case 'observed':
      return best?.observedAt ?? known.observedAt ?? createdAt
    case 'confidence':
      return known.confidence
    case 'importance':
      return known.importance
    case 'trust':
      return trustRank(trust)
  }
}

type Compared = { readonly in?: readonly Scalar[]; readonly bounds?: Bounds }

function isWithin(value: number, { in: values, bounds = {} }: Compared): boolean {
  const { gt, gte, lt, lte } = bounds
  return (
    (values === undefined || values.includes(value)) &&
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte)
  )
}

function matchesMetadata(metadata: FilteredEntry['metadata'], filter: Compared & { readonly key: string }): boolean {
  if (metadata === null || !Object.hasOwn(metadata, filter.key)) return false
  const value = metadata[filter.key]
  if (typeof value === 'number') return isWithin(value, filter)
  return filter.bounds === undefined && (filter.in ?? []).some((wanted) => wanted === value)
}

/** Whether a filter reads the metadata of source events. */
export function readsMetadata(filter: EntryFilter): boolean {
  if (filter.kind === 'metadata') return true
  if (filter.kind === 'not') return readsMetadata(filter.of)
  return (filter.kind === 'and' || filter.kind === 'or') && filter.of.some(readsMetadata)
}

/** The condition that one of these services states an entry: its source service, as reads show it. */
export function statedBy(services: readonly string[]): EntryFilter {
  return { kind: 'text', field: 'writer', in: services }
}

/** All conditions that are given, as one filter; undefined when none is. */
export function allOf(...filters: readonly (EntryFilter | undefined)[]): EntryFilter | undefined {
  const given = filters.filter((filter) => filter !== undefined)
  return given.length < 2 ? given[0] : { kind: 'and', of: given }
}

/** The conditions that every match fulfils. */
export function conjuncts(filter: EntryFilter): readonly EntryFilter[] {
  return filter.kind === 'and' ? filter.of.flatMap(conjuncts) : [filter]
}

/** A tag that every match has, so that a list can begin with the entries of this tag; null if there is none. */
export function requiredTag(filter: EntryFilter): string | null {
  for (const one of conjuncts(filter))
    if (one.kind === 'text' && one.field === 'tag' && one.in.length === 1) return one.in[0] ?? null
  return null
}
