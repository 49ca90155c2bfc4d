import { ColophonError, invalid } from '../errors.ts'
import type { Category } from './category.ts'

/** How much a writer's word counts, by what it speaks about. */
export type AuthorityRules = {
  readonly defaultPriority: number
  readonly categories: Readonly<Partial<Record<Category, number>>>
}

/** A registered service that tells memories. */
export type Writer = {
  readonly writerId: string
  readonly serviceKey: string
  readonly displayName: string | null
  readonly authorityRules: AuthorityRules
  readonly apiKeyId: string | null
  readonly isActive: boolean
  readonly createdAt: number
  readonly updatedAt: number
  /** What the rules were before, who changed them and when. */
  readonly changes: readonly RuleChange[]
}

export type RuleChange = {
  readonly at: number
  readonly actor: string
  readonly old: AuthorityRules
  readonly new: AuthorityRules
}

export const defaultRules: AuthorityRules = { defaultPriority: 50, categories: {} }

const serviceKey = /^[a-z0-9][a-z0-9._-]{0,63}$/

export function checkServiceKey(field: string, value: unknown): asserts value is string {
  if (typeof value === 'string' && serviceKey.test(value)) return
  throw invalid(field, 'must be 1 to 64 of a-z, 0-9, dot, underscore and dash, beginning with a letter or digit')
}

/** What a writer that was deactivated counts for, once its claims are decided again. */
export const inactivePriority = 0

export function priorityFor(rules: AuthorityRules, category: Category): number {
  return rules.categories[category] ?? rules.defaultPriority
}

/**
 * Whether a call with this key may name the writer as its source. A writer that is bound to a key is spoken for by that key
 * alone, on every path; where the tenant requires it, no key speaks for a writer that is bound to none.
 */
export function checkSpeaker(
  { serviceKey, apiKeyId }: Pick<Writer, 'serviceKey' | 'apiKeyId'>,
  keyId: string | null,
  { requireBoundWriters }: { readonly requireBoundWriters: boolean },
): void {
  if (apiKeyId !== null && apiKeyId !== keyId)
    throw new ColophonError('writer_key_mismatch', 'This writer is bound to another API key.')
  if (apiKeyId === null && requireBoundWriters)
    throw new ColophonError('writer_unbound', `The writer ${serviceKey} is bound to no API key.`)
}
