import { shortSha256 } from '../audit/digest.ts'
import { canonicalJson } from '../canonical.ts'
import type { Assertion, ClaimRecord } from '../provenance/claim.ts'

/**
 * The names of claims and contents in an export. In a tenant their ids are digests with the tenant's key, which another tenant cannot
 * compute. The names in a file are computed from its own lines, so that the importing tenant can map them to its own ids.
 */

type KeyedClaim = Pick<ClaimRecord, 'subject' | 'category' | 'claimKey'>
type AssertionPlace = Pick<Assertion, 'sourceEventId' | 'candidate' | 'ordinal'>

const statedPrefix = 'stated:'
/** The length of claim ids. */
const idCharacters = 22

/** The name of a claim with a key. It follows from subject, category and key, so that every line of the claim can compute it. */
export function keyedClaimName({ subject, category, claimKey }: KeyedClaim): string {
  return `clm_${shortSha256(canonicalJson(['claim', subject, category, `key:${claimKey}`])).slice(0, idCharacters)}`
}

/** The name of a claim without a key: its first assertion. */
export function unkeyedClaimName({ sourceEventId, candidate }: Omit<AssertionPlace, 'ordinal'>): string {
  return `${statedPrefix}${candidate}:${sourceEventId}`
}

/** The first assertion in the name of a claim without a key; null for other names. */
export function parseUnkeyedClaimName(name: string): Omit<AssertionPlace, 'ordinal'> | null {
  const [, candidate, sourceEventId] = /^stated:(\d{1,9}):(.+)$/s.exec(name) ?? []
  return candidate === undefined || sourceEventId === undefined ? null : { sourceEventId, candidate: Number(candidate) }
}

/** The assertion with the lowest ordinal. */
export function firstAssertion<T extends AssertionPlace>(assertions: readonly T[]): T | undefined {
  return assertions.reduce<T | undefined>(
    (first, item) => (first && first.ordinal < item.ordinal ? first : item),
    undefined,
  )
}

/** The names of the contents of a claim: the ordinal of the first assertion of each. */
export function contentNames(assertions: readonly Pick<Assertion, 'contentKey' | 'ordinal'>[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const { contentKey, ordinal } of assertions) {
    if (!names.has(contentKey)) names.set(contentKey, `c${ordinal}`)
  }
  return names
}
