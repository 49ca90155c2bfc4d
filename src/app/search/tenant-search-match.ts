import type { EntryVersion } from '../../core/entries/entry.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { matchesFilter, type SearchFilter } from '../../core/search/filter.ts'
import { hasWords, type SearchKind } from '../../core/search/tenant-search.ts'

/** Which memories are wanted beside the words: filters that are given must all match. */
export type TenantSearchFilter = {
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly writer?: string | undefined
  readonly subject?: string | undefined
  /** Only memories of this ref, the newest first. */
  readonly memoryRef?: string | undefined
  /** Only memories that are, or are not, a content of a claim. */
  readonly hasClaim?: boolean | undefined
  /** `superseded` also means archived ones. By default `active`. */
  readonly status?: 'active' | 'superseded' | 'any' | undefined
  /** Only this class. */
  readonly trust?: Trust | undefined
}

export type TenantSearch = TenantSearchFilter & {
  readonly query: string
  readonly kinds: readonly SearchKind[]
  readonly asOf?: number | string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly trustMin?: Trust | undefined
  readonly reader?: string | undefined
}

/** A search after its checks. */
export type CheckedSearch = TenantSearch & {
  readonly filter: SearchFilter
  readonly words: readonly string[]
  readonly position: number
}

/** Whether a memory matches the words and the filters, except for its status. */
export function isMatch(version: EntryVersion, search: CheckedSearch): boolean {
  const { words, filter, trust, hasClaim } = search
  const { content, memoryRef, classification, tags } = version
  return (
    (trust === undefined || version.trust === trust) &&
    (hasClaim === undefined || hasClaim === Boolean(classification?.claimId)) &&
    matchesFilter(version, filter) &&
    hasWords(words, [content, memoryRef, classification?.claimKey ?? null, ...tags])
  )
}
