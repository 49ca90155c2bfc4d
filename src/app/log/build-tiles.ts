import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { treeRoot } from '../../core/log/merkle.ts'
import { hashesAtLevel, tileWidth } from '../../core/log/tiles.ts'
import type { Storage } from '../../ports/storage.ts'
import { createTimeSlice } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { LogTree, readTile } from './log-tree.ts'

/** The tree over the newest `size` records. The roots of its full tiles are stored first, so that it reads few rows. */
export async function openLogTree(tenant: Tenant, size: number): Promise<LogTree> {
  // Of concurrent requests one builds, so that a tenant with a long log does not pay for each of them.
  const builds = buildsOf(tenant.storage)
  for (let other = builds.get(tenant.id); other !== undefined; other = builds.get(tenant.id)) await other
  const build = buildTiles(tenant, size)
  builds.set(tenant.id, build)
  try {
    await build
  } finally {
    builds.delete(tenant.id)
  }
  return new LogTree(tenant, size)
}

const buildsByStorage = new WeakMap<Storage, Map<string, Promise<void>>>()

function buildsOf(storage: Storage): Map<string, Promise<void>> {
  const known = buildsByStorage.get(storage)
  if (known) return known
  const builds = new Map<string, Promise<void>>()
  buildsByStorage.set(storage, builds)
  return builds
}

/**
 * Stores the roots of the full tiles that are missing. Commits do not do it, so the first request after many commits does. It does a
 * bounded part of a long log, stores it, and asks the client to retry. The roots follow from the audit, so processes that
 * build the same tiles store the same rows.
 */
export async function buildTiles(
  tenant: Tenant,
  size: number,
  tilesMax: number = limits.logTilesPerCallMax,
): Promise<void> {
  const { log } = tenant.storage
  const yieldToEventLoop = createTimeSlice()
  let left = tilesMax
  for (let level = 0; hashesAtLevel(level + 1, size) > 0; level++) {
    const full = hashesAtLevel(level + 1, size)
    for (let tile = await log.tileCount(tenant.id, level); tile < full; ) {
      if (left <= 0) throw stillBuilding()
      const count = Math.min(limits.logTilesSavedMax, full - tile, left)
      const roots = []
      for (const end = tile + count; tile < end; tile++) {
        await yieldToEventLoop()
        const root = treeRoot(await readTile(tenant, level, tile, tileWidth))
        roots.push({ level, tile, root: Buffer.from(root).toString('hex') })
      }
      await log.saveTileRoots(tenant.id, roots)
      left -= count
    }
  }
}

function stillBuilding(): ColophonError {
  return new ColophonError('log_not_ready', 'The Merkle tree over the audit log is being built.')
}
