import { limits } from '../../core/limits.ts'
import { expiredReason } from '../../core/retention.ts'
import type { Tenant } from '../tenant.ts'
import { inSmallSteps, type Pass } from './steps.ts'

export const expiryJobKind = 'colophon.expiry-sweep'

/**
 * Ends what has expired. Nobody could read it any more, so no reader sees a difference; but lists need not step over it,
 * and a replay inside the history window still finds the version that it read. History retention deletes it later.
 */
export async function sweepExpired(tenant: Tenant, pass: Pass): Promise<{ readonly expired: number }> {
  let expired = 0
  await inSmallSteps(pass, async () => {
    const query = { tenantId: tenant.id, now: tenant.now(), limit: limits.upkeepStepRowsMax }
    const keys = await tenant.storage.history.expired(query)
    if (keys.length === 0) return 'done'
    const ends = keys.map((key) => ({ ...key, reason: expiredReason }))
    const change = { kind: 'memory.expired', ends, counts: { expired: keys.length } } as const
    const { outcome } = await tenant.commit(change, { call: { operation: 'expiry.sweep' } })
    expired += outcome.ended.length
    tenant.host.tally.add('expired', outcome.ended.length)
    pass.onProgress?.({ expired })
    // Somebody else ended all of them first: what is left is theirs as well.
    return outcome.ended.length === 0 ? 'done' : 'more'
  })
  return { expired }
}
