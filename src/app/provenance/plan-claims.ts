import { canonicalJson } from '../../core/canonical.ts'
import { type Readers, readersKey } from '../../core/entries/readers.ts'
import type { Category } from '../../core/provenance/category.ts'
import { normaliseContent } from '../../core/provenance/claim.ts'
import type {
  ClaimChange,
  ClaimIdentity,
  ClaimPlan,
  ClaimState,
  NewAssertion,
} from '../../core/provenance/claim-plan.ts'
import { planClaim } from '../../core/provenance/plan-claim.ts'
import type { SourceEventRecord } from '../../core/provenance/source-event.ts'
import type { Change } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { trustRulesFor } from './trust-rules.ts'

type Digest = (text: string) => string
type SlotParts = { readonly subject: string; readonly category: Category; readonly claimKey: string | null }

/** The claim that an assertion belongs to. The id is derived from the slot, so concurrent assertions about one thing share a claim. */
export async function slotOf(tenant: Tenant, parts: SlotParts, keyless: string): Promise<ClaimIdentity> {
  const { subject, category, claimKey } = parts
  const { digest } = await tenant.context()
  return { claimId: claimIdOf(digest, parts, keyless), subject, category, claimKey }
}

/** The id of a claim. The digest is keyed per tenant, so another tenant has another id for the same slot. */
export function claimIdOf(digest: Digest, { subject, category, claimKey }: SlotParts, keyless: string): string {
  const key = claimKey === null ? keyless : `key:${claimKey}`
  return `clm_${digest(canonicalJson(['claim', subject, category, key])).slice(0, 22)}`
}

/**
 * What identifies a claim without a key: the inferred content and its readers, or for a verbatim message the event and its index. So what
 * two services state to different readers does not compete.
 */
export function keylessIdentity(
  { infer, sourceEventId }: Pick<SourceEventRecord, 'infer' | 'sourceEventId'>,
  { content, index, readers }: { readonly content: string; readonly index: number; readonly readers: Readers },
): string {
  return infer ? `content:${normaliseContent(content)}${readersPart(readers)}` : `event:${sourceEventId}:${index}`
}

/**
 * The key of a content within its claim. Texts that are equal after normalisation have the same key, if they were stated to the same
 * readers: so an entry is supported only by sources that were stated to its readers, and counts of them disclose nothing.
 */
export function contentKeyOf(digest: Digest, content: string, readers: Readers): string {
  return digest(`content.${normaliseContent(content)}${readersPart(readers)}`).slice(0, 22)
}

/** Empty for everyone: ids that were derived before there were readers stay the same. No content has a NUL. */
export function readersPart(readers: Readers): string {
  return readers === null ? '' : `\u0000${readersKey(readers)}`
}

/** Loads a claim with its assertions and their newest entries. */
export async function loadClaim(
  tenant: Tenant,
  claimId: string,
  added: readonly NewAssertion[] = [],
): Promise<ClaimState> {
  const { provenance } = tenant.storage
  // The claim is read first. If an assertion is added while the rest is read, the commit gets a conflict and all is read again.
  const claim = await provenance.claim(tenant.id, claimId)
  const assertions = claim === null ? [] : await provenance.assertions(tenant.id, claimId)
  const ids = [...new Set(assertions.flatMap(({ entryId }) => (entryId === null ? [] : [entryId])))]
  const entries = ids.length === 0 ? [] : await provenance.newestVersions(tenant.id, ids)
  const rules = await trustRulesFor(tenant, [...assertions, ...added])
  return { claim, assertions, entries: new Map(entries.map((entry) => [entry.entryId, entry])), rules }
}

export type PlannedChange = { readonly slot: ClaimIdentity; readonly change: ClaimChange }

/** Decides each claim, from the rows that are stored now. */
export async function planClaims(tenant: Tenant, changes: readonly PlannedChange[]): Promise<readonly ClaimPlan[]> {
  return Promise.all(
    changes.map(async ({ slot, change }) =>
      planClaim(slot, await loadClaim(tenant, slot.claimId, change.added), change, idsOf(tenant.system)),
    ),
  )
}

/** The generators of ids and salts that a plan needs. */
export function idsOf(system: Tenant['system']): Parameters<typeof planClaim>[3] {
  return { entryId: () => system.newId('mem'), salt: () => system.newSalt() }
}

/** Joins several plans to one change. */
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
