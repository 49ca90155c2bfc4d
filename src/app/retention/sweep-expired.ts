import { type DryRun, describeExpiry, toDryRun } from '../../core/jobs/dry-run.ts'
import { limits } from '../../core/limits.ts'
import { expiredReason } from '../../core/retention.ts'
import type { Tenant } from '../tenant.ts'
import { inSmallSteps, type UpkeepPass } from './small-steps.ts'

export const expiryJobKind = 'colophon.expiry-sweep'

/**
 * Ends expired entries. Reads already skip them, so no result changes, but lists get faster. A replay within the history retention still
 * finds the versions that it read. History retention deletes them later.
 */
export async function sweepExpired(tenant: Tenant, pass: UpkeepPass): Promise<{ readonly expired: number }> {
  let expired = 0
  await inSmallSteps(pass, async () => {
    const query = { tenantId: tenant.id, now: tenant.now(), limit: limits.upkeepStepRowsMax }
    const keys = await tenant.storage.history.expired(query)
    if (keys.length === 0) return 'done'
    const ends = keys.map((key) => ({ ...key, reason: expiredReason }))
    const change = { kind: 'memory.expired', ends, counts: { expired: keys.length } } as const
    const { outcome } = await tenant.commit(change, { call: { operation: 'expiry.sweep' } })
    expired += outcome.ended.length
    tenant.host.upkeepCounters.add('expired', outcome.ended.length)
    pass.onProgress?.({ expired })
    // Another process ended all of them first: it will end the others too.
    return outcome.ended.length === 0 ? 'done' : 'more'
  })
  return { expired }
}

/** How many entries a pass would end now. Above `expiryDryRunMax` it only says that there are at least so many. */
export async function dryRunSweep(
  tenant: Tenant,
): Promise<DryRun<{ readonly expired: number; readonly isAtLeast: boolean }>> {
  const limit = limits.expiryDryRunMax
  const { length: expired } = await tenant.storage.history.expired({ tenantId: tenant.id, now: tenant.now(), limit })
  return toDryRun({ expired, isAtLeast: expired === limit }, describeExpiry)
}
