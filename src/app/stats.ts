import { toInstant } from '../core/check.ts'
import { type HostMemory, hasDimension, memoryDimensions } from '../core/entries/memory-dimensions.ts'
import { limits } from '../core/limits.ts'
import { readQuotaUses, type UsedInProcess } from './quotas/manage-quotas.ts'
import type { Tenant } from './tenant.ts'

const hourMs = 3_600_000
const days = 7

/** The overview of a tenant for the console: sizes, activity of the last seven days, and counts of what needs attention. */
export async function readStats(tenant: Tenant, host: HostMemory, inProcess: UsedInProcess) {
  const now = tenant.now()
  // Whole hours, so that every hour but the last is complete.
  const since = now - (now % hourMs) - (days * 24 - 1) * hourMs
  const [clock, afterPosition] = await Promise.all([
    tenant.storage.clock(tenant.id),
    tenant.storage.positionAt(tenant.id, since - 1),
  ])
  const [quotas, found] = await Promise.all([
    readQuotaUses(tenant, inProcess),
    tenant.storage.stats.read({
      tenantId: tenant.id,
      now,
      expiringBefore: now + days * 24 * hourMs,
      countMax: limits.statsEntriesMax,
      afterPosition,
      spanMs: hourMs,
    }),
  ])
  return {
    at: toInstant(now),
    position: clock?.position ?? 0,
    entries: found.entries,
    entriesAreMore: found.entries === limits.statsEntriesMax,
    refs: found.refs,
    expiringSoon: found.expiring,
    sourceEvents: found.sourceEvents,
    contestedClaims: found.contestedClaims,
    redactions: Object.fromEntries(found.redactions),
    runs: Object.fromEntries(found.runs),
    jobs: Object.fromEntries(found.jobs),
    /** The eight memory dimensions of the protocol, as this host has them now. */
    dimensions: Object.fromEntries(memoryDimensions.map((name) => [name, hasDimension(host, name)])),
    quotas,
    activity: found.activity.map(({ at, changes, redacted }) => ({ at: toInstant(at), changes, redacted })),
  }
}
