import type { PeopleStore } from '../../ports/people-store.ts'
import type { TenantState } from './tenant-state.ts'

export type ModelSpelling = {
  readonly folded: string
  readonly spelling: string
  readonly firstPosition: number
  readonly lastPosition: number
}

export function modelPeople(tenants: Map<string, TenantState>, use: () => void): PeopleStore {
  const ordered = (tenantId: string): ModelSpelling[] => {
    use()
    return [...(tenants.get(tenantId)?.spellings.values() ?? [])].sort(
      (a, b) => a.firstPosition - b.firstPosition || (a.spelling < b.spelling ? -1 : 1),
    )
  }
  return {
    async spellings(tenantId, folded) {
      return ordered(tenantId)
        .filter((row) => row.folded === folded)
        .map(({ spelling, lastPosition }) => ({ spelling, lastPosition }))
    },
    async spelledTwice({ tenantId, after, limit }) {
      return [...Map.groupBy(ordered(tenantId), ({ folded }) => folded)]
        .filter(([folded, rows]) => rows.length > 1 && folded > (after ?? ''))
        .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .slice(0, limit)
        .map(([folded, rows]) => ({ folded, spellings: rows.map(({ spelling }) => spelling) }))
    },
  }
}
