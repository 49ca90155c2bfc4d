import type { EntryKey, EntryVersion } from '../../core/entries/entry.ts'
import { deletedMark } from '../../core/provenance/plan-claim.ts'
import type { Change } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { planClaims, toChange } from './claim-store.ts'

export type End = Pick<Change, 'puts' | 'revisions' | 'ends' | 'expects' | 'claims'>

/** Claims live in the refs of subjects; elsewhere there is nothing to look up. */
export function holdsClaims(memoryRef: string): boolean {
  return memoryRef.startsWith('subject:')
}

export function plainEnd(key: EntryKey): End {
  return { ends: [{ ...key, reason: 'deleted' }] }
}

/** The end of an entry. If it holds a claim, what was told for it does not count any more, and the next content wins. */
export async function planEnd(tenant: Tenant, key: EntryKey): Promise<End> {
  const plain = plainEnd(key)
  if (!holdsClaims(key.memoryRef)) return plain
  const [entry] = await tenant.storage.provenance.newestVersions(tenant.id, [key.entryId])
  if (entry === undefined || entry.memoryRef !== key.memoryRef || entry.endedReason === 'deleted') return plain
  const isOver = entry.endedPosition !== null
  const alone = isOver ? { revisions: [deletedMark(entry, tenant.system.newSalt())] } : plain
  return (await planWithdrawal(tenant, entry)) ?? alone
}

/** Null when the entry belongs to no claim. */
async function planWithdrawal(tenant: Tenant, withdrawn: EntryVersion): Promise<End | null> {
  const claimId = withdrawn.classification?.claimId
  const claim = claimId == null ? null : await tenant.storage.provenance.claim(tenant.id, claimId)
  if (claim === null) return null
  const { subject, category, claimKey } = claim
  const slot = { claimId: claim.claimId, subject, category, claimKey }
  return toChange(await planClaims(tenant, [{ slot, change: { withdrawn } }]))
}
