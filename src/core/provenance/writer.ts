import { checkCharacters, checkKnownKeys } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Category, checkCategory } from './category.ts'

/** How much a writer's word counts, by what it speaks about. */
export type AuthorityRules = {
  readonly default_priority: number
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

export const defaultRules: AuthorityRules = { default_priority: 50, categories: {} }

const serviceKey = /^[a-z0-9][a-z0-9._-]{0,63}$/

export function checkServiceKey(field: string, value: unknown): asserts value is string {
  if (typeof value === 'string' && serviceKey.test(value)) return
  throw invalid(field, 'must be 1 to 64 of a-z, 0-9, dot, underscore and dash, beginning with a letter or digit')
}

export function parseRules(value: unknown): AuthorityRules {
  if (value === undefined) return defaultRules
  checkKnownKeys('authority_rules', value, ['default_priority', 'categories'])
  const { default_priority = defaultRules.default_priority, categories = {} } = value as Partial<AuthorityRules>
  checkPriority('authority_rules.default_priority', default_priority)
  checkKnownKeys('authority_rules.categories', categories, Object.keys(categories ?? {}))
  for (const [category, priority] of Object.entries(categories)) {
    checkCategory('authority_rules.categories', category)
    checkPriority('authority_rules.categories', priority)
  }
  return { default_priority, categories }
}

function checkPriority(field: string, value: unknown): asserts value is number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100) return
  throw invalid(field, 'must be a whole number from 0 to 100')
}

export function parseDisplayName(value: unknown): string | null {
  if (value === undefined || value === null) return null
  checkCharacters('display_name', value, 'keyNameCharactersMax', limits.keyNameCharactersMax)
  return value
}

/** What a writer that was deactivated counts for, once its claims are decided again. */
export const inactivePriority = 0

export function priorityFor(rules: AuthorityRules, category: Category): number {
  return rules.categories[category] ?? rules.default_priority
}
