import type { ClaimNote } from '../../audit/audit-notes.ts'
import { assertionsDigest, claimDigest } from '../../audit/row-digests.ts'
import type { ClaimRecord } from '../../provenance/claim.ts'
import type { ClaimStep } from '../../provenance/claim-step.ts'
import { type SealedClaim, sealClaim } from '../../provenance/seal-claim.ts'
import { refuseSecrets } from '../../redaction/scanner.ts'
import type { BatchPart, BatchRedaction, Mac } from './part.ts'
import { notesOf } from './part.ts'

export type ClaimMembers = { readonly claims: readonly ClaimStep[] }

export type ClaimRows = { readonly claims: readonly SealedClaim[] }

export type ClaimPartState = {
  /** The revision of a claim; 0 when there is none. */
  readonly claim: (claimId: string) => number
}

/** Claims as they were decided, with the assertions that were added or changed. */
export const claims: BatchPart<ClaimMembers, ClaimRows, ClaimPartState> = {
  members: ['claims'],
  none: { claims: [] },
  noRows: { claims: [] },

  redact: (batch, redaction) => ({
    claims: batch.claims.map((step) => ({
      ...step,
      ...redactClaim(step, redaction),
      ...(step.restated ? { restated: redactContents(step.restated, redaction) } : {}),
    })),
  }),

  refuseSecrets(batch, { scan }) {
    for (const { claim, expects } of batch.claims) {
      // The key and subject of a stored claim were checked when it was new; it must stay possible to change the claim.
      if (expects === 0) refuseSecrets({ claimKey: claim.claimKey, subject: claim.subject }, scan)
    }
  },

  seal: (batch, { claim }, { position }) => ({
    claims: batch.claims.map((step) => sealClaim(step, claim(step.claim.claimId), position)),
  }),

  takesPosition: (rows) => rows.claims.length > 0,

  audit: (rows, _batch, { mac }) => notesOf('claims', rows.claims, (claim) => toClaimNote(claim, mac)),
}

/** The text of a claim: the reason of its pin, and the contents of its assertions. */
export function redactClaim<C extends Pick<ClaimRecord, 'pin'>, A extends { readonly content: string }>(
  { claim, assertions }: { readonly claim: C; readonly assertions: readonly A[] },
  redaction: BatchRedaction,
): { readonly claim: C; readonly assertions: readonly A[] } {
  const reason = redaction.text('reason')
  return {
    claim: { ...claim, pin: claim.pin && { ...claim.pin, reason: reason(claim.pin.reason) } },
    assertions: redactContents(assertions, redaction),
  }
}

function redactContents<A extends { readonly content: string }>(items: readonly A[], { text }: BatchRedaction): A[] {
  const content = text('content')
  return items.map((item) => ({ ...item, content: content(item.content) }))
}

function toClaimNote({ claim, isRemoved, after }: SealedClaim, mac: Mac): ClaimNote {
  const { claimId: id, revision } = claim
  const winner = claim.winner === null ? {} : { winner: claim.winner }
  const pinned = claim.pin !== null
  if (isRemoved) return { id, pinned, removed: true, revision, ...winner }
  const digest = claimDigest(mac, claim)
  return { digest, id, pinned, revision, stated: assertionsDigest(mac, after), ...winner }
}
