import { canonicalJson } from '../../core/canonical.ts'
import type { Category } from '../../core/provenance/category.ts'
import { normaliseContent } from '../../core/provenance/claim.ts'
import {
  type ClaimChange,
  type ClaimPlan,
  type ClaimSlot,
  type ClaimState,
  planClaim,
} from '../../core/provenance/plan-claim.ts'
import type { SourceEvent } from '../../core/provenance/source-event.ts'
import type { Change } from '../commit.ts'
import type { Tenant } from '../tenant.ts'

type Digest = (text: string) => string
type SlotParts = { readonly subject: string; readonly category: Category; readonly claimKey: string | null }

/** What a claim is about decides its id, so two who tell of the same thing at once meet in the same claim. */
export async function slotOf(tenant: Tenant, parts: SlotParts, place: string): Promise<ClaimSlot> {
  const { subject, category, claimKey } = parts
  const { digest } = await tenant.context()
  return { claimId: claimIdOf(digest, parts, place), subject, category, claimKey }
}

/** The digest has the key of the tenant: another tenant has another id for the same slot. */
export function claimIdOf(digest: Digest, { subject, category, claimKey }: SlotParts, place: string): string {
  const key = claimKey === null ? place : `key:${claimKey}`
  return `clm_${digest(canonicalJson(['claim', subject, category, key])).slice(0, 22)}`
}

/** Where a claim without a key stands: with the content that was found in messages, or with the message as it is. */
export function placeOf(
  { infer, sourceEventId }: Pick<SourceEvent, 'infer' | 'sourceEventId'>,
  { content, index }: { readonly content: string; readonly index: number },
): string {
  return infer ? `content:${normaliseContent(content)}` : `event:${sourceEventId}:${index}`
}

/** Equal for texts that say the same, as they are stored. */
export function contentKeyOf(digest: Digest, content: string): string {
  return digest(`content.${normaliseContent(content)}`).slice(0, 22)
}

export async function loadClaim(tenant: Tenant, claimId: string): Promise<ClaimState> {
  const { provenance } = tenant.storage
  // The claim first: what is added while the rest is read makes the commit fail, and it is read again.
  const claim = await provenance.claim(tenant.id, claimId)
  const assertions = claim === null ? [] : await provenance.assertions(tenant.id, claimId)
  const ids = [...new Set(assertions.flatMap(({ entryId }) => (entryId === null ? [] : [entryId])))]
  const entries = ids.length === 0 ? [] : await provenance.newestVersions(tenant.id, ids)
  return { claim, assertions, entries: new Map(entries.map((entry) => [entry.entryId, entry])) }
}

export type PlannedChange = { readonly slot: ClaimSlot; readonly change: ClaimChange }

/** Decides every claim on what is stored now. */
export async function planClaims(tenant: Tenant, changes: readonly PlannedChange[]): Promise<readonly ClaimPlan[]> {
  return Promise.all(
    changes.map(async ({ slot, change }) =>
      planClaim(slot, await loadClaim(tenant, slot.claimId), change, idsOf(tenant.system)),
    ),
  )
}

/** What a plan needs that is not decided: fresh ids and salts. */
export function idsOf(system: Tenant['system']): Parameters<typeof planClaim>[3] {
  return { entryId: () => system.newId('mem'), salt: () => system.newSalt() }
}

/** The rows of several plans, for one commit. */
export function toChange(
  plans: readonly ClaimPlan[],
): Required<Pick<Change, 'puts' | 'revisions' | 'ends' | 'expects' | 'claims'>> {
  return {
    puts: plans.flatMap(({ puts }) => puts),
    revisions: plans.flatMap(({ revisions }) => revisions),
    ends: plans.flatMap(({ ends }) => ends),
    expects: plans.flatMap(({ expects }) => expects),
    claims: plans.map(({ step }) => step),
  }
}
