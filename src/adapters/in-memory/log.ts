import type { LogStore } from '../../ports/log-store.ts'
import type { TenantState } from './tenant-state.ts'

export function modelLog(tenants: Map<string, TenantState>, use: () => void): LogStore {
  const rootsOf = (tenantId: string, level: number) => {
    use()
    const stored = [...(tenants.get(tenantId)?.logTiles.values() ?? [])]
    return stored.filter((tile) => tile.level === level).sort((a, b) => a.tile - b.tile)
  }
  return {
    async recordHashes(tenantId, from, to) {
      use()
      // Positions begin at 1 and have no gaps.
      return (tenants.get(tenantId)?.audit ?? []).slice(from - 1, to).map(({ hash }) => hash)
    },
    async tileCount(tenantId, level) {
      return (rootsOf(tenantId, level).at(-1)?.tile ?? -1) + 1
    },
    async tileRoots(tenantId, level, from, to) {
      const found = rootsOf(tenantId, level).filter(({ tile }) => tile >= from && tile <= to)
      return found.map(({ root }) => root)
    },
    async saveTileRoots(tenantId, roots) {
      use()
      const stored = tenants.get(tenantId)?.logTiles
      for (const { level, tile, root } of roots) {
        const key = `${level}/${tile}`
        if (!stored?.has(key)) stored?.set(key, { level, tile, root })
      }
    },
  }
}
