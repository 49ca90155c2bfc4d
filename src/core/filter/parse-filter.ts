import { checkCharacters, checkLookup, parseInstant } from '../check.ts'
import { checkTrust, trustRank } from '../entries/trust.ts'
import { ColophonError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { checkCategory } from '../provenance/category.ts'
import { shownName } from '../shown-name.ts'
import type { Bounds, EntryFilter, NumberField, Scalar, TextField } from './filter.ts'

type ValueForm<T> = T | { readonly in: readonly T[] }
type RangeForm<T> =
  | ValueForm<T>
  | {
      readonly gt?: T | undefined
      readonly gte?: T | undefined
      readonly lt?: T | undefined
      readonly lte?: T | undefined
    }

/** A filter as callers write it. All members must hold. Instants are ISO 8601. */
export type FilterForm = {
  readonly and?: readonly FilterForm[] | undefined
  readonly or?: readonly FilterForm[] | undefined
  readonly not?: FilterForm | undefined
  /** One of the entry's tags. */
  readonly tag?: ValueForm<string> | undefined
  readonly category?: ValueForm<string> | undefined
  /** The source service that stated it. */
  readonly writer?: ValueForm<string> | undefined
  readonly agent?: ValueForm<string> | undefined
  readonly subject?: ValueForm<string> | undefined
  readonly created?: RangeForm<string> | undefined
  /** When its source observed it; without a source, when it was created. */
  readonly observed?: RangeForm<string> | undefined
  readonly confidence?: RangeForm<number> | undefined
  readonly importance?: RangeForm<number> | undefined
  readonly trust?: RangeForm<string> | undefined
  /** Members of the metadata of its source event. */
  readonly metadata?: Readonly<Record<string, ValueForm<Scalar> | RangeForm<number>>> | undefined
}

/**
 * The JSON form of a filter. An object has one or more members, and all of them must hold: `and` and `or` with a list of filters,
 * `not` with a filter, or a field with a value (equal), `{"in": […]}`, or bounds (`gt`, `gte`, `lt`, `lte`).
 *
 * @example parseFilter({ category: 'preference', or: [{ tag: 'drink' }, { confidence: { gte: 0.8 } }] })
 */
export function parseFilter(value: unknown, field = 'filter'): EntryFilter {
  const counts = { conditions: 0, values: 0 }
  return parse(value, field, 1, counts)
}

/** Refuses a filter that costs too much, by the name of the limit. */
export function tooCostly(field: string, problem: string, limit: string, max: number): ColophonError {
  return new ColophonError('filter_too_costly', `${field} ${problem}.`, { details: { field, limit, max } })
}

type Counts = { conditions: number; values: number }

const operators = ['and', 'or', 'not'] as const
const textFields = ['tag', 'category', 'writer', 'agent', 'subject'] as const
const numberFields = ['created', 'observed', 'confidence', 'importance', 'trust'] as const
const fields = [...operators, ...textFields, ...numberFields, 'metadata']

function parse(value: unknown, field: string, depth: number, counts: Counts): EntryFilter {
  if (depth > limits.filterDepthMax)
    throw tooCostly(
      field,
      `is nested more than ${limits.filterDepthMax} times`,
      'filterDepthMax',
      limits.filterDepthMax,
    )
  const all = membersOf(value, field).flatMap(([name, one]): EntryFilter | EntryFilter[] => {
    const at = `${field}.${shownName(name)}`
    if (name === 'and' || name === 'or') {
      if (!Array.isArray(one) || one.length === 0) throw invalid(at, 'must be a list of at least one filter')
      // Before any of them is parsed: a body of a million filters must not be walked.
      if (one.length > limits.filterConditionsMax) throw tooMany(field, 'filterConditionsMax', 'conditions')
      return { kind: name, of: one.map((part, nth) => parse(part, `${at}[${nth}]`, depth + 1, counts)) }
    }
    if (name === 'not') return { kind: 'not', of: parse(one, at, depth + 1, counts) }
    if (name === 'metadata')
      return membersOf(one, at).map(([key, condition]) => metadata(key, condition, `${at}.${shownName(key)}`, counts))
    if (isOneOf(textFields, name)) return text(name, one, at, counts)
    if (isOneOf(numberFields, name)) return number(name, one, at, counts)
    throw invalid(at, `is not a field of a filter. Use ${fields.join(', ')}`)
  })
  const [first] = all
  return all.length === 1 && first !== undefined ? first : { kind: 'and', of: all }
}

function membersOf(value: unknown, field: string): [string, unknown][] {
  if (!isObject(value)) throw invalid(field, 'must be an object')
  const members = Object.entries(value)
  if (members.length === 0) throw invalid(field, 'must have at least one condition')
  if (members.length > limits.filterConditionsMax) throw tooMany(field, 'filterConditionsMax', 'conditions')
  return members
}

function text(name: TextField, value: unknown, field: string, counts: Counts): EntryFilter {
  const { in: texts, bounds } = operands(value, field, counts, (one, at) => {
    checkTextOf(name, one, at)
    return one as string
  })
  if (texts === undefined || bounds !== undefined) throw invalid(field, 'must be a text, or {"in": […]}')
  return { kind: 'text', field: name, in: texts }
}

function checkTextOf(name: TextField, value: unknown, field: string): void {
  if (name === 'category') checkCategory(field, value)
  else if (name === 'tag') checkCharacters(field, value, 'tagCharactersMax', limits.tagCharactersMax)
  else if (name === 'subject') checkLookup(field, value, 'subjectCharactersMax', limits.subjectCharactersMax)
  else checkLookup(field, value, 'actorCharactersMax', limits.actorCharactersMax)
}

function number(name: NumberField, value: unknown, field: string, counts: Counts): EntryFilter {
  const parsed = operands(value, field, counts, (one, at) => {
    if (name === 'created' || name === 'observed') return parseInstant(at, one)
    if (name !== 'trust') return finite(one, at)
    checkTrust(at, one)
    return trustRank(one)
  })
  return { kind: 'number', field: name, ...parsed }
}

function metadata(key: string, value: unknown, field: string, counts: Counts): EntryFilter {
  checkCharacters(field, key, 'filterMetadataKeyCharactersMax', limits.filterMetadataKeyCharactersMax)
  const { in: values, bounds } = operands(value, field, counts, (one, at, isBound): Scalar => {
    if (isBound || typeof one === 'number') return finite(one, at)
    if (typeof one === 'boolean' || one === null) return one
    if (typeof one !== 'string') throw invalid(at, 'must be a text, a number, true, false or null')
    const max = limits.filterMetadataValueCharactersMax
    if (one !== '') checkCharacters(at, one, 'filterMetadataValueCharactersMax', max)
    return one
  })
  return { kind: 'metadata', key, ...(values && { in: values }), ...(bounds && { bounds: bounds as Bounds }) }
}

function finite(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(field, 'must be a number')
  return value
}

const bounds = ['gt', 'gte', 'lt', 'lte'] as const

/** A value, a list of values, or bounds. */
function operands<T extends Scalar>(
  value: unknown,
  field: string,
  counts: Counts,
  read: (value: unknown, field: string, isBound: boolean) => T,
): { in?: T[]; bounds?: Partial<Record<(typeof bounds)[number], T>> } {
  counts.conditions++
  if (counts.conditions > limits.filterConditionsMax) throw tooMany('filter', 'filterConditionsMax', 'conditions')
  if (!isObject(value)) return { in: [read(value, field, false)] }
  const members = membersOf(value, field)
  if ('in' in value) {
    const { in: list } = value
    if (members.length > 1) throw invalid(field, 'must have either in or bounds')
    if (!Array.isArray(list) || list.length === 0) throw invalid(`${field}.in`, 'must be a list of at least one value')
    counts.values += list.length
    if (counts.values > limits.filterValuesMax) throw tooMany('filter', 'filterValuesMax', 'values in its lists')
    return { in: list.map((one, nth) => read(one, `${field}.in[${nth}]`, false)) }
  }
  const found: Partial<Record<(typeof bounds)[number], T>> = {}
  for (const [name, one] of members) {
    const at = `${field}.${shownName(name)}`
    if (!isOneOf(bounds, name)) throw invalid(at, `is not an operator. Use in, ${bounds.join(', ')}`)
    found[name] = read(one, at, true)
  }
  return { bounds: found }
}

function tooMany(field: string, limit: 'filterConditionsMax' | 'filterValuesMax', things: string): ColophonError {
  return tooCostly(field, `has more than ${limits[limit]} ${things}`, limit, limits[limit])
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name)
}
