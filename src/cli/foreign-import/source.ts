import type { EntryDraft } from '../../client/index.ts'
import { isColophonError } from '../../core/errors.ts'
import type { SaidBy } from '../../core/provenance/said-by.ts'
import { CliError, exitCodes } from '../exit-codes.ts'

/** Memory of another product, as items that can be read any number of times: first to check all of them, then to store them. */
export type ForeignSource = {
  /** The writer of what is imported, unless the key is bound to one. */
  readonly service: string
  /** What trace shows: "imported from …". Without the folder of a file, which says something about a machine. */
  readonly label: string
  items(): AsyncIterable<ForeignItem> | Iterable<ForeignItem>
  close(): Promise<void>
}

export type ForeignItem = {
  /** Where it is: "line 3", "item 3", "thread t-1". */
  readonly at: string
  readonly kind: string
} & (
  | { readonly problem: string }
  | { readonly document: ForeignDocument }
  | { readonly memory: ForeignMemory }
  /** Parts of the knowledge graph, in one commit. */
  | { readonly graph: readonly EntryDraft[] }
)

/** An entry under a name: as the integration for that product stores it, so that the integration finds it. */
export type ForeignDocument = {
  readonly ref: string
  readonly name: string
  readonly tags: readonly string[]
  readonly value: unknown
  readonly by: SaidBy
  readonly observedAt?: string | undefined
  readonly expiresAt?: string | undefined
  readonly scope: Readonly<Record<string, unknown>>
}

/** A memory about a subject. */
export type ForeignMemory = {
  readonly id: string
  readonly subject: string
  readonly agentId: string | null
  readonly content: string
  readonly category?: string | undefined
  readonly metadata: Readonly<Record<string, unknown>>
  readonly observedAt?: string | undefined
  readonly scope: Readonly<Record<string, unknown>>
}

/** An item, or what is wrong with it. */
export function itemOf(place: { readonly at: string; readonly kind: string }, make: () => object): ForeignItem {
  try {
    return { ...place, ...make() } as ForeignItem
  } catch (error) {
    if (error instanceof Problem) return { ...place, problem: error.message }
    if (isColophonError(error)) return { ...place, problem: error.message }
    throw error
  }
}

/** What is wrong with an item. */
class Problem extends Error {}

export function wrong(problem: string): Error {
  return new Problem(problem)
}

export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw wrong(`${name} must be a text.`)
}

export function objectOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw wrong(`${name} must be an object.`)
}

/** An instant in the forms in which products write them; absent if there is none. */
export function instantOf(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  const isDate = value instanceof Date || typeof value === 'string' || typeof value === 'number'
  const at = isDate ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(at.getTime())) throw wrong(`${name} must be an instant.`)
  return at.toISOString()
}

export function unreadable(location: string): CliError {
  return new CliError(`${location} cannot be read.`, exitCodes.usage)
}
