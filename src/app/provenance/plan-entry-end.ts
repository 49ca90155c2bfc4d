import type { EntryKey, EntryVersion } from '../../core/entries/entry.ts'
import { toDeletedVersion } from '../../core/provenance/ended-entry.ts'
import type { Change } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { planClaims, toChange } from './plan-claims.ts'

/** The parts of a change that end an entry. */
export type EntryEnd = Pick<Change, 'puts' | 'revisions' | 'ends' | 'expects' | 'claims'>

/** Whether entries of a ref can belong to a claim: only in refs of subjects. */
export function canHaveClaims(memoryRef: string): boolean {
  return memoryRef.startsWith('subject:')
}

/** Ends an entry that belongs to no claim. */
export function endWithoutClaim(key: EntryKey): EntryEnd {
  return { ends: [{ ...key, reason: 'deleted' }] }
}

/** Plans the end of an entry. If the entry belongs to a claim, its assertions are withdrawn and the next content becomes the winner. */
export async function planEntryEnd(tenant: Tenant, key: EntryKey): Promise<EntryEnd> {
  const plain = endWithoutClaim(key)
  if (!canHaveClaims(key.memoryRef)) return plain
  const [entry] = await tenant.storage.provenance.newestVersions(tenant.id, [key.entryId])
  if (entry === undefined || entry.memoryRef !== key.memoryRef || entry.endedReason === 'deleted') return plain
  const hasEnded = entry.endedPosition !== null
  const withoutClaim = hasEnded ? { revisions: [toDeletedVersion(entry, tenant.system.newSalt())] } : plain
  return (await planWithdrawal(tenant, entry)) ?? withoutClaim
}

/** Null when the entry belongs to no claim. */
async function planWithdrawal(tenant: Tenant, withdrawn: EntryVersion): Promise<EntryEnd | null> {
  const claimId = withdrawn.classification?.claimId
  const claim = claimId == null ? null : await tenant.storage.provenance.claim(tenant.id, claimId)
  if (claim === null) return null
  const { subject, category, claimKey } = claim
  const slot = { claimId: claim.claimId, subject, category, claimKey }
  return toChange(await planClaims(tenant, [{ slot, change: { withdrawn } }]))
}
