import type { ClaimPartState } from '../../../core/commit/parts/claims.ts'
import { statement } from '../connection.ts'
import { saveClaims } from '../provenance.ts'
import type { PostgresPart } from './part.ts'

export type ClaimsLoaded = {
  /** The revisions of the claims that the group decides. */
  readonly claims: Map<string, number>
}

type RevisionRow = { claim_id: string; revision: number }

export const claims: PostgresPart<ClaimsLoaded, ClaimPartState> = {
  none: () => ({ claims: new Map() }),

  async load(send, tenantId, batches) {
    const ids = batches.flatMap((batch) => batch.claims.map(({ claim }) => claim.claimId))
    if (ids.length === 0) return this.none()
    const { rows } = await send<RevisionRow>(selectClaims, [tenantId, ids])
    return { claims: new Map(rows.map((row) => [row.claim_id, row.revision])) }
  },

  state: (loaded) => ({ claim: (claimId) => loaded.claims.get(claimId) ?? 0 }),

  after(loaded, sealed) {
    for (const { claim, isRemoved } of sealed.claims) loaded.claims.set(claim.claimId, isRemoved ? 0 : claim.revision)
  },

  save: (send, tenantId, sealed) =>
    saveClaims(
      send,
      tenantId,
      sealed.flatMap((batch) => batch.claims),
    ),
}

// Like runs: only commits write them, and those are ordered by the clock's lock.
const selectClaims = statement(
  'select_claim_revisions',
  'select claim_id, revision from claim where tenant_id = $1 and claim_id = any($2)',
)
