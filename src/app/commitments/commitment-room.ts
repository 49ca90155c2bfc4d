import type { Ending } from '../../core/commit/batch.ts'
import type { Capacity } from '../../core/commit/parts/capacities.ts'
import { refOfCommitments, waitingTag } from '../../core/commitments/commitment.ts'
import { limits } from '../../core/limits.ts'
import { commitmentsPrefix } from '../../core/names.ts'
import type { Tenant } from '../tenant.ts'
import { commitmentsOfRef, waitingOfTenant } from './find-commitments.ts'

/** How many more commitments a ref can have. */
export type Room = {
  readonly take: (ends: Ending[]) => boolean
  /** The limits as the commit checks them again: commitments may be stored at the same time. */
  readonly capacities: readonly Capacity[]
}

export async function roomOf(tenant: Tenant, memoryRef: string): Promise<Room> {
  const all = await commitmentsOfRef(tenant, memoryRef)
  const settled = all.filter(({ tags }) => !tags.includes(waitingTag))
  let waiting = all.length - settled.length
  let ofTenant = await waitingOfTenant(tenant)
  let kept = all.length
  return {
    capacities: capacitiesOf(memoryRef, tenant.expiryNow(), ofTenant),
    take(ends) {
      if (waiting >= limits.commitmentsPerRefMax || ofTenant >= limits.commitmentsPerTenantMax) return false
      waiting += 1
      ofTenant += 1
      kept += 1
      const oldest = kept > limits.commitmentsKeptPerRefMax ? settled.pop() : undefined
      if (oldest !== undefined) {
        ends.push({ memoryRef: oldest.memoryRef, entryId: oldest.entryId, reason: 'deleted' })
        kept -= 1
      }
      return true
    },
  }
}

/**
 * To count the commitments of a tenant takes longer than to count those of a ref. It is done under the lock once half of them are there: no server
 * has that many calls under way at once.
 */
function capacitiesOf(memoryRef: string, now: number, ofTenant: number): readonly Capacity[] {
  const ofRef = {
    of: { memoryRef: refOfCommitments(memoryRef), tag: waitingTag, now },
    max: limits.commitmentsPerRefMax,
  }
  if (ofTenant < limits.commitmentsPerTenantMax / 2) return [ofRef]
  const of = { memoryRef: commitmentsPrefix, isPrefix: true, tag: waitingTag, now } as const
  return [ofRef, { of, max: limits.commitmentsPerTenantMax }]
}
