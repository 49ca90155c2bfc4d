import { ColophonError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Category } from './category.ts'
import type { Repricing } from './claim-step.ts'

/** The authority of a writer: a priority from 0 to 100, by category. */
export type AuthorityRules = {
  readonly defaultPriority: number
  readonly categories: Readonly<Partial<Record<Category, number>>>
}

/** A registered source service. */
export type Writer = {
  readonly writerId: string
  readonly serviceKey: string
  readonly displayName: string | null
  readonly authorityRules: AuthorityRules
  readonly apiKeyId: string | null
  /** Keys that rotations replaced by the bound one. Each writes for the writer too until it ends itself. Left out: none. */
  readonly replacedKeyIds?: readonly string[]
  readonly isActive: boolean
  readonly createdAt: number
  readonly updatedAt: number
  /** Earlier authority rules, with the actor and the instant of each change. */
  readonly changes: readonly AuthorityChange[]
}

/** A change of the authority rules of a writer. */
export type AuthorityChange = {
  readonly at: number
  readonly actor: string
  readonly old: AuthorityRules
  readonly new: AuthorityRules
}

/** The authority of a writer that is registered without rules. */
export const defaultAuthorityRules: AuthorityRules = { defaultPriority: 50, categories: {} }

const serviceKey = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** The name of a source service, which is unique in its tenant. */
export function checkServiceKey(field: string, value: unknown): asserts value is string {
  if (typeof value === 'string' && serviceKey.test(value)) return
  throw invalid(field, 'must be 1 to 64 of a-z, 0-9, dot, underscore and dash, beginning with a letter or digit')
}

/** The priority of a deactivated writer, once its claims are resolved again. */
const inactivePriority = 0

/** The priority of a writer in a category. */
export function priorityFor(rules: AuthorityRules, category: Category): number {
  return rules.categories[category] ?? rules.defaultPriority
}

type Priced = Pick<Writer, 'serviceKey' | 'authorityRules' | 'isActive'>

/** The priorities of writers in a category, for their earlier assertions. */
export function repricingsOf(writers: readonly Priced[], category: Category): readonly Repricing[] {
  return writers.map(({ serviceKey: service, authorityRules, isActive }) => ({
    service,
    priority: isActive ? priorityFor(authorityRules, category) : inactivePriority,
  }))
}

/** Whether a writer is bound to a key, or to the one that replaced it in a rotation. */
export function isBoundTo({ apiKeyId, replacedKeyIds = [] }: Bound, keyId: string | null): boolean {
  return keyId !== null && (apiKeyId === keyId || replacedKeyIds.includes(keyId))
}

/** A bound writer after the rotation of its key. */
export function withNextKey(writer: Writer, apiKeyId: string): Writer {
  const replaced = [...(writer.replacedKeyIds ?? []), ...(writer.apiKeyId === null ? [] : [writer.apiKeyId])]
  return { ...writer, apiKeyId, replacedKeyIds: replaced.slice(-limits.writerReplacedKeysMax) }
}

type Bound = Pick<Writer, 'apiKeyId' | 'replacedKeyIds'>

/**
 * Checks that a call with this key may name the writer as its source. For a bound writer, only the bound key may. With
 * `requireBoundWriters`, a writer that is not bound is refused.
 */
export function checkWriterKey(
  { serviceKey, ...bound }: Pick<Writer, 'serviceKey'> & Bound,
  keyId: string | null,
  { requireBoundWriters }: { readonly requireBoundWriters: boolean },
): void {
  const { apiKeyId } = bound
  if (apiKeyId !== null && !isBoundTo(bound, keyId))
    throw new ColophonError('writer_key_mismatch', 'This writer is bound to another API key.')
  if (apiKeyId === null && requireBoundWriters)
    throw new ColophonError('writer_unbound', `The writer ${serviceKey} is bound to no API key.`)
}
