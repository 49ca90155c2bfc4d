import type { Assertion } from '../../core/provenance/claim.ts'
import type { Tenant } from '../tenant.ts'
import { type ClaimRow, loadParts } from './containment-record.ts'

/** What the active containments cover together: versions of entries, their ends, and withdrawals of assertions. */
export class Lineage {
  readonly #entries = new Map<string, { readonly versions: Set<number>; readonly ends: Set<number> }>()
  /** By claim, ordinal and position of the withdrawal: the containments that cover it. */
  readonly #withdrawals = new Map<string, string[]>()

  addEntry(entryId: string, versions: Iterable<number>, ends: Iterable<number>): void {
    const known = this.#entries.get(entryId) ?? { versions: new Set(), ends: new Set() }
    for (const version of versions) known.versions.add(version)
    for (const version of ends) known.ends.add(version)
    this.#entries.set(entryId, known)
  }

  addWithdrawals(id: string, claimId: string, withdrawn: NonNullable<ClaimRow['withdrawn']>): void {
    for (const [ordinal, position] of withdrawn) {
      const key = keyOf(claimId, ordinal, position)
      const ids = this.#withdrawals.get(key)
      if (ids === undefined) this.#withdrawals.set(key, [id])
      else if (!ids.includes(id)) ids.push(id)
    }
  }

  entry(entryId: string) {
    return this.#entries.get(entryId)
  }

  /** The containments that cover the withdrawal of an assertion; null when it is not withdrawn, or none does. */
  withdrawalOf({ claimId, ordinal, withdrawnPosition }: Assertion): readonly string[] | null {
    if (withdrawnPosition === null) return null
    return this.#withdrawals.get(keyOf(claimId, ordinal, withdrawnPosition)) ?? null
  }
}

function keyOf(claimId: string, ordinal: number, position: number): string {
  return `${claimId} ${ordinal} ${position}`
}

/** What the given containments cover, from their records. */
export async function loadLineage(tenant: Tenant, ids: readonly string[]): Promise<Lineage> {
  const lineage = new Lineage()
  for (const id of ids)
    for await (const { entries, claims } of loadParts(tenant, id)) {
      for (const { id: entryId, versions, ends } of entries) lineage.addEntry(entryId, versions, ends)
      for (const { id: claimId, withdrawn = [] } of claims) lineage.addWithdrawals(id, claimId, withdrawn)
    }
  return lineage
}
