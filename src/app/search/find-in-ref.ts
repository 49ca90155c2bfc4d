import { type Cursor, encodeCursor } from '../../core/cursor.ts'
import { currentView, isVisibleAt } from '../../core/entries/as-of.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import { trustRank } from '../../core/entries/trust.ts'
import type { EntryFilter } from '../../core/filter/filter.ts'
import { limits } from '../../core/limits.ts'
import { isMemoryRef, isPrivateRef } from '../../core/names.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import { conditionsOf } from '../../core/search/filter.ts'
import { readAccess } from '../entries/read-access.ts'
import { createTimeSlice } from '../event-loop.ts'
import { listVersions } from '../provenance/find-memories.ts'
import { toMemories } from '../provenance/memory-view.ts'
import type { Tenant } from '../tenant.ts'
import { type CheckedSearch, isMatch } from './tenant-search-match.ts'

type RefSearch = CheckedSearch & { readonly memoryRef: string; readonly after: Cursor | null }

/** The memories of one ref that a search over the tenant wants, newest first. The database pages by ref: other refs cost nothing. */
export async function findInRef(tenant: Tenant, search: RefSearch) {
  const { memoryRef, limit = limits.tenantSearchMemoriesDefault, status = 'active', position, trust } = search
  // A malformed and an unknown ref give the same result: none.
  if (!isMemoryRef(memoryRef) || isPrivateRef(memoryRef) || isEphemeralRef(memoryRef)) return { memories: [] }
  const access = await readAccess(tenant, { trustMin: search.trustMin ?? trust })
  const view = { ...currentView, position, access }
  const asked = { memoryRef, view, filter: filterOf(search), includesEnded: status !== 'active' }
  const found: EntryVersion[] = []
  const slice = createTimeSlice()
  let before: Place | null = search.after
  let characters = 0
  const isFull = () => found.length >= limit || characters > limits.tenantSearchCharactersMax
  // The first page is often enough. If not, few rows match, and a small limit must not mean many small reads.
  for (let examined = 0, size = limit; ; size = limits.tenantSearchMemoriesMax) {
    const page = await listVersions(tenant, { ...asked, before, limit: size })
    const last = page.versions.at(-1)
    before = page.next
    for (const version of page.versions) {
      await slice()
      if (isFull()) break
      examined += 1
      before = version === last ? page.next : version
      if (search.words.length > 0) characters += version.content.length
      const isWanted = status !== 'superseded' || !isVisibleAt(version, position)
      if (isWanted && isMatch(version, search)) found.push(version)
    }
    // A page of a filtered list can be empty, because it examined many rows: the client continues.
    const mayContinue = !isFull() && examined < limits.tenantSearchRowsMax && page.versions.length > 0
    if (before !== null && mayContinue) continue
    const next = before === null ? {} : { cursor: encodeCursor({ ...before, position }) }
    return { memories: await toMemories(tenant, found, position), ...next }
  }
}

/** The conditions that the database checks. The others are checked on the rows that it returns. */
function filterOf({ filter, trust }: CheckedSearch): EntryFilter | undefined {
  const conditions = conditionsOf(filter, 'untrusted')
  if (trust === undefined) return conditions
  const ofClass: EntryFilter = { kind: 'number', field: 'trust', in: [trustRank(trust)] }
  return conditions === undefined ? ofClass : { kind: 'and', of: [conditions, ofClass] }
}
