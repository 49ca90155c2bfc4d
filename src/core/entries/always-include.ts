import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import type { ReadAccess } from './access.ts'
import { defaultTrust, isBelow, type Trust } from './trust.ts'

/**
 * The mark of a memory that is in every prompt about its subject. It is a tag, so that history, snapshots, exports, the audit and
 * erasure know it, and one that only the host sets: who wrote a text does not decide that every prompt has it.
 */
export const alwaysIncludeTag = 'colophon.always-include'

type Tagged = { readonly tags: readonly string[] }

export function isAlwaysIncluded({ tags }: Tagged): boolean {
  return tags.includes(alwaysIncludeTag)
}

/** The tags with the mark, or without it. */
export function markTags(tags: readonly string[], isMarked: boolean): string[] {
  const others = tags.filter((tag) => tag !== alwaysIncludeTag)
  return isMarked ? [...others, alwaysIncludeTag] : others
}

/** Refuses the mark on text of tools and web pages: it would be in every prompt. */
export function checkMayBeIncluded(field: string, trust: Trust): void {
  if (isBelow(trust, defaultTrust))
    throw invalid(field, 'cannot be set on an untrusted memory: release it from quarantine first')
}

/** What may be included: never untrusted text, not even for a caller that asks for it. */
export function includedAccess(access: ReadAccess): ReadAccess {
  return isBelow(access.trustMin, defaultTrust) ? { ...access, trustMin: defaultTrust } : access
}

/** Refuses one more marked memory of a subject that has the most it may have. */
export function checkIncludedCount(field: string, count: number): void {
  const max = limits.alwaysIncludeMax
  if (count > max)
    throw invalid(field, `must be at most ${max} memories of a subject: remove the mark from another one first`, {
      limit: 'alwaysIncludeMax',
      max,
    })
}
