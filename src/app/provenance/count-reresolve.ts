import { limits } from '../../core/limits.ts'
import type { Assertion, ClaimRecord } from '../../core/provenance/claim.ts'
import { withPriority } from '../../core/provenance/plan-claim.ts'
import { resolveClaim } from '../../core/provenance/resolve-conflict.ts'
import { repricingsOf, type Writer } from '../../core/provenance/writer.ts'
import { createTimeSlice } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { trustRulesFor } from './trust-rules.ts'

/** How many claims a reresolve would give another winner. `atLeast`: there are more claims than a call examines. */
export type ReresolveCount = { readonly claims: number; readonly atLeast?: true }

/** Claims that are read together. */
const readTogether = 50

/** Counts the claims that a reresolve of a writer would change, among the first claims of the tenant. Stores nothing. */
export async function countReresolve(tenant: Tenant, writer: Writer): Promise<ReresolveCount> {
  const slice = createTimeSlice()
  let changed = 0
  let assertions = 0
  const { provenance } = tenant.storage
  const everyone = { tenantId: tenant.id, subject: null, isContested: null, limit: readTogether }
  let after: string | null = null
  for (let examined = 0; examined < limits.reresolveCountClaimsMax; ) {
    const page: readonly ClaimRecord[] = await provenance.claims({ ...everyone, after })
    const stated = await provenance.assertionsOfClaims(
      tenant.id,
      page.map(({ claimId }) => claimId),
    )
    const byClaim = Map.groupBy(stated, ({ claimId }) => claimId)
    for (const claim of page) {
      await slice()
      if (await isChangedBy(tenant, writer, claim, byClaim.get(claim.claimId) ?? [])) changed += 1
    }
    examined += page.length
    assertions += stated.length
    after = page.at(-1)?.claimId ?? null
    if (after === null || page.length < readTogether) return { claims: changed }
    if (assertions > limits.reresolveCountAssertionsMax) break
  }
  return { claims: changed, atLeast: true }
}

async function isChangedBy(tenant: Tenant, writer: Writer, claim: ClaimRecord, stated: readonly Assertion[]) {
  const repriced = repricingsOf([writer], claim.category)
  const next = stated.map((item) => withPriority(item, repriced))
  if (next.every(({ priority }, nth) => priority === stated[nth]?.priority)) return false
  const { winner } = resolveClaim(next, claim.pin, await trustRulesFor(tenant, next))
  return (winner?.entryId ?? null) !== claim.winner
}
