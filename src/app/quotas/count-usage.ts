import { limits } from '../../core/limits.ts'
import type { otherCounts, pendingCounts, storedCounts } from '../../core/quotas/growth.ts'
import { countedTables } from '../../core/quotas/stored-bytes.ts'
import type { Storage } from '../../ports/storage.ts'
import type { RowKey } from '../../ports/stored-rows.ts'
import type { Count } from './usage-gauge.ts'

/**
 * Counts entries and bytes by the positions that added and ended them, in steps, so that no statement takes long. The next count needs only the
 * positions since. Entries that were forgotten stay in it until a whole count.
 */
export function storedCounter(
  storage: Pick<Storage, 'clock' | 'stats'>,
  tenantId: string,
): Count<(typeof storedCounts)[number]> {
  let last = { position: 0, entries: 0, bytes: 0 }
  return async (isWhole) => {
    let { position, entries, bytes } = isWhole ? { position: 0, entries: 0, bytes: 0 } : last
    const newest = (await storage.clock(tenantId))?.position ?? 0
    for (let step: number = limits.quotaStepPositions; position < newest; ) {
      const to = Math.min(position + step, newest)
      const began = performance.now()
      const growth = await storage.stats.growth({ tenantId, after: position, to })
      entries += growth.entries
      bytes += growth.bytes
      position = to
      step = performance.now() - began > limits.quotaStepMs ? Math.max(1, Math.floor(step / 2)) : step * 2
    }
    last = { position, entries, bytes }
    return { entries, bytes }
  }
}

/** Counts the bytes of all rows beside the versions of entries, page by page. Nothing says which of them are new, so each count is whole. */
export function otherCounter(storage: Pick<Storage, 'stats'>, tenantId: string): Count<(typeof otherCounts)[number]> {
  return async () => {
    let otherBytes = 0
    for (const table of countedTables) {
      for (let after: RowKey | null = null; ; ) {
        const page = await storage.stats.bytes({ tenantId, table, after, limit: limits.quotaStepRows })
        otherBytes += page.bytes
        after = page.next
        if (after === null) break
      }
    }
    return { otherBytes, rewrittenBytes: 0 }
  }
}

/** Counts runs and jobs that have not ended. Indexes of only such rows make it short. */
export function pendingCounter(
  storage: Pick<Storage, 'stats'>,
  tenantId: string,
  countMax: () => number,
): Count<(typeof pendingCounts)[number]> {
  return async () => {
    const { runs, jobs } = await storage.stats.pending({ tenantId, countMax: countMax() })
    return { runsPending: runs, jobsPending: jobs }
  }
}
