import { isAccessible, isReadableBy } from '../../core/entries/access.ts'
import { isExpired, isOlder, isVisibleAt, newestFirst } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { passesIndexFilter } from '../../core/search/index-filter.ts'
import { hasTerm, indexedTerms } from '../../core/search/indexed-terms.ts'
import type { FoundRow, SearchStore } from '../../ports/search-store.ts'
import { examine, isCutShort, type SearchedScope, toFound } from '../sql/search-steps.ts'
import { isShown } from './forget.ts'
import { isMatch } from './matching.ts'
import type { TenantState } from './tenant-state.ts'

/** What the index means: rows numbered in the order they were recorded, each found by its terms. Nothing ever waits. */
export function modelSearch(tenants: ReadonlyMap<string, TenantState>, use: () => void): SearchStore {
  const rowsOf = (tenantId: string, memoryRef: string) => {
    const state = tenants.get(tenantId)
    return state?.versions.get(memoryRef)?.filter((row) => isShown(state, row)) ?? []
  }
  return {
    async find(query) {
      use()
      const rows = rowsOf(query.tenantId, query.memoryRef)
        .filter((row) => row.recordedPosition <= query.position && isReadableBy(row.readers, query.access.reader))
        .map(toFoundRow)
      const scope: SearchedScope = {
        indexed: { entries: rows.length, newest: rows.length },
        waiting: [],
        postings(term, limit, narrowing) {
          const isWanted = (row: FoundRow) =>
            hasTerm(row.terms, term) && (!narrowing || passesIndexFilter(narrowing, row))
          const all = rows.flatMap((row, at) => (isWanted(row) ? [at + 1] : [])).reverse()
          return { rows: all.slice(0, limit), isCut: all.length > limit }
        },
      }
      const { order, found } = toFound(query, scope)
      const isWanted = isMatch(tenants.get(query.tenantId), query.filter.where, query.position)
      const chosen = examine(query, scope, order, (nth) => {
        const row = rows[nth - 1]
        return row && isWanted(row.version) ? row : undefined
      })
      return { ...found, rows: chosen, isCutShort: isCutShort(query, order, chosen) }
    },
    async around({ tenantId, memoryRef, position, now, access, places, reach }) {
      use()
      const visible = rowsOf(tenantId, memoryRef)
        .filter((row) => isVisibleAt(row, position) && !isExpired(row, now) && isAccessible(row, access))
        .sort(newestFirst)
      return places.map((place) => {
        const older = visible.filter((row) => isOlder(row, place)).slice(0, reach)
        const newer = visible.filter((row) => isOlder(place, row)).slice(-reach)
        return [...newer, ...older].reverse().map(toFoundRow)
      })
    },
    async index() {
      use()
      return 0
    },
    async unindexed() {
      use()
      return []
    },
  }
}

/** Versions are replaced, never changed, so what was made of one stays true of it. */
const made = new WeakMap<EntryVersion, FoundRow>()

function toFoundRow(version: EntryVersion): FoundRow {
  const known = made.get(version) ?? { version, terms: indexedTerms(version.content) }
  made.set(version, known)
  return known
}
