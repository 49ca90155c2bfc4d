import type { ClaimPartState } from '../../../core/commit/parts/claims.ts'
import { assertionsAfter } from '../../../core/provenance/assertions-after.ts'
import type { ModelPart } from './part.ts'

export const claims: ModelPart<ClaimPartState> = {
  state: (tenant) => ({ claim: (claimId) => tenant.claims.get(claimId)?.revision ?? 0 }),

  save(tenant, rows) {
    for (const step of rows.claims) {
      const { claimId } = step.claim
      const before = tenant.assertions.filter((item) => item.claimId === claimId)
      const others = tenant.assertions.filter((item) => item.claimId !== claimId)
      // From the stored assertions, not from those that were read: texts behind a fence are not read.
      tenant.assertions = [...others, ...assertionsAfter(before, step)]
      if (step.isRemoved) tenant.claims.delete(claimId)
      else tenant.claims.set(claimId, step.claim)
    }
  },
}
