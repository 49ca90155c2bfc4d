import type { EntryKey, EntryVersion } from '../../core/entry.ts'
import { deletedMark } from '../../core/provenance/plan-claim.ts'
import type { Change } from '../commit.ts'
import type { Deps } from '../deps.ts'
import { planClaims, toChange } from './claim-store.ts'

type End = Pick<Change, 'puts' | 'revisions' | 'ends' | 'expects' | 'claims'>

/** Claims live in the refs of subjects; elsewhere there is nothing to look up. */
export function holdsClaims(memoryRef: string): boolean {
  return memoryRef.startsWith('subject:')
}

export function plainEnd(key: EntryKey): End {
  return { ends: [{ ...key, reason: 'deleted' }] }
}

/** The end of an entry. If it holds a claim, what was told for it does not count any more, and the next content wins. */
export async function planEnd(deps: Deps, tenantId: string, key: EntryKey): Promise<End> {
  const plain = plainEnd(key)
  if (!holdsClaims(key.memoryRef)) return plain
  const [entry] = await deps.storage.provenance.newestVersions(tenantId, [key.entryId])
  if (entry === undefined || entry.memoryRef !== key.memoryRef || entry.endedReason === 'deleted') return plain
  const isOver = entry.endedPosition !== null
  const alone = isOver ? { revisions: [deletedMark(entry, deps.system.newSalt())] } : plain
  return (await planWithdrawal(deps, tenantId, entry)) ?? alone
}

/** Null when the entry belongs to no claim. */
async function planWithdrawal(deps: Deps, tenantId: string, withdrawn: EntryVersion): Promise<End | null> {
  const claimId = withdrawn.classification?.claimId
  const claim = claimId == null ? null : await deps.storage.provenance.claim(tenantId, claimId)
  if (claim === null) return null
  const { subject, category, claimKey } = claim
  const slot = { claimId: claim.claimId, subject, category, claimKey }
  return toChange(await planClaims(deps, tenantId, [{ slot, change: { withdrawn } }]))
}
