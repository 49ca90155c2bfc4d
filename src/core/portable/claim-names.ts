import { shortSha256 } from '../audit/digest.ts'
import { canonicalJson } from '../canonical.ts'
import type { Assertion, Claim } from '../provenance/claim.ts'

/**
 * The names that claims and contents have in an export. Those of a tenant are digests with its own key, which no other
 * tenant can make; a file has names that follow from its own lines, so the tenant that imports it finds its own again.
 */

type Slot = Pick<Claim, 'subject' | 'category' | 'claimKey'>
type Stated = Pick<Assertion, 'sourceEventId' | 'candidate' | 'ordinal'>

const statedPrefix = 'stated:'
/** As many characters as the ids of claims have everywhere. */
const idCharacters = 22

/** Of a claim with a key: it follows from the slot alone, so every line of the claim can say it. */
export function slotName({ subject, category, claimKey }: Slot): string {
  return `clm_${shortSha256(canonicalJson(['claim', subject, category, `key:${claimKey}`])).slice(0, idCharacters)}`
}

/** Of a claim without a key: what was stated for it first. */
export function statedName({ sourceEventId, candidate }: Omit<Stated, 'ordinal'>): string {
  return `${statedPrefix}${candidate}:${sourceEventId}`
}

export function parseStatedName(name: string): Omit<Stated, 'ordinal'> | null {
  const [, candidate, sourceEventId] = /^stated:(\d{1,9}):(.+)$/s.exec(name) ?? []
  return candidate === undefined || sourceEventId === undefined ? null : { sourceEventId, candidate: Number(candidate) }
}

export function firstStated<T extends Stated>(assertions: readonly T[]): T | undefined {
  return assertions.reduce<T | undefined>(
    (first, item) => (first && first.ordinal < item.ordinal ? first : item),
    undefined,
  )
}

/** Contents by the place of what was stated for them first. */
export function contentNames(assertions: readonly Pick<Assertion, 'contentKey' | 'ordinal'>[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const { contentKey, ordinal } of assertions) {
    if (!names.has(contentKey)) names.set(contentKey, `c${ordinal}`)
  }
  return names
}
