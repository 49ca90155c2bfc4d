import type { ReadView } from '../../core/entries/as-of.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import { readerForbidden } from '../../core/entries/readers.ts'
import { type EntryFilter, readsMetadata, requiredTag } from '../../core/filter/filter.ts'
import { parseFilter } from '../../core/filter/parse-filter.ts'
import { limits } from '../../core/limits.ts'
import type { Tenant } from '../tenant.ts'

/** Checks the filter of a read. */
export function parseReadFilter({ reader }: Pick<Tenant, 'reader'>, value: unknown): EntryFilter | undefined {
  if (value === undefined || value === null) return undefined
  const filter = parseFilter(value)
  // The metadata of an event is about all that came of it, also about what the reader cannot see.
  if (reader !== null && readsMetadata(filter))
    throw readerForbidden('A reader cannot filter by metadata. Leave out the reader, or use other fields.')
  return filter
}

export type FilteredPage = {
  readonly versions: readonly EntryVersion[]
  /** Where the next page begins; null on the last page. A page can have fewer entries than asked for, even none, and a next page. */
  readonly next: Place | null
}

/**
 * One page of the entries that match a filter, newest first. The database examines a limited number of rows in each step, and
 * a page has a limited number of steps.
 */
export async function listMatching(
  tenant: Tenant,
  query: {
    readonly memoryRef: string
    readonly view: ReadView & { readonly position: number }
    readonly filter: EntryFilter
    readonly before: Place | null
    readonly limit: number
    readonly includesEnded?: boolean
  },
): Promise<FilteredPage> {
  const { memoryRef, view, filter, limit, includesEnded = false } = query
  const tag = includesEnded || view.own.length > 0 ? null : requiredTag(filter)
  const asked = { tenantId: tenant.id, memoryRef, tag, view, filter, includesEnded, now: tenant.expiryNow() }
  const found: EntryVersion[] = []
  const stepRows = limits.filterStepRows
  let before = query.before
  for (let examined = 0; examined < limits.filterPageRowsMax; examined += stepRows) {
    const step = { before, limit: limit + 1 - found.length, examinedMax: stepRows }
    const { versions, examinedTo } = await tenant.storage.listMatching({ ...asked, ...step })
    found.push(...versions)
    if (found.length > limit) return { versions: found.slice(0, limit), next: found[limit - 1] ?? null }
    if (examinedTo === null) return { versions: found, next: null }
    before = examinedTo
  }
  return { versions: found, next: before }
}
