import type { z } from 'zod'
import { shownName } from '../core/shown-name.ts'
import { describeUnknown } from '../core/unknown-names.ts'

/** One problem that the validator found in a request. */
export type SchemaProblem = {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string | undefined
  readonly params?: Readonly<Record<string, unknown>>
}

export type DescribedProblem = {
  readonly field: string
  /** What it must be, such as `must be a string`. */
  readonly text: string
  readonly details?: Readonly<Record<string, unknown>>
  /** The names of members that the schema does not know, shortened. */
  readonly unknown?: readonly string[]
}

/** Describes a problem in the same style as the checks of the core: with the field and the limit. */
export function describeProblem(
  where: string,
  { instancePath, keyword, message, params = {} }: SchemaProblem,
): DescribedProblem {
  const field = fieldOf(instancePath) || where
  const bound = /^limit (\w+) from (\d) to (\d+)$/.exec(message ?? '')
  if (bound) return wordArray(field, bound[1] ?? '', Number(bound[2]), Number(bound[3]))
  switch (keyword) {
    case 'invalid_type':
      return { field, text: `must be ${named[String(params.expected)] ?? String(params.expected)}` }
    case 'invalid_value':
      return { field, text: `must be ${oneOf(params.values)}` }
    case 'too_big':
      return { field, text: `must be at most ${measured(params, 'maximum')}`, details: { max: params.maximum } }
    case 'too_small':
      return params.minimum === 1 && params.origin !== 'number'
        ? { field, text: 'must not be empty' }
        : { field, text: `must be at least ${measured(params, 'minimum')}`, details: { min: params.minimum } }
    case 'unrecognized_keys':
      return unknownMembers(where, field, params.keys, message)
    case 'invalid_union':
      // Only a discriminated union knows the allowed values of its discriminator.
      return { field, text: params.options ? `must be ${oneOf(params.options)}` : unexpected }
    case 'custom': {
      const { field: inner, ...details } = (params.params ?? {}) as Record<string, unknown>
      return { field: `${field}${typeof inner === 'string' ? inner : ''}`, text: message ?? 'is not valid', details }
    }
    default:
      return { field, text: unexpected }
  }
}

/** A value that is no array, or an array that is too long or too short. */
function wordArray(field: string, limit: string, min: number, max: number): DescribedProblem {
  return {
    field,
    text: `must be an array of ${min === 0 ? `at most ${max}` : `${min} to ${max}`}`,
    details: { limit, max },
  }
}

const unexpected = 'does not have the expected form'

const named: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  nonoptional: 'given',
}

const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' }

function measured(params: Readonly<Record<string, unknown>>, bound: 'maximum' | 'minimum'): string {
  return `${params[bound]}${units[String(params.origin)] ?? ''}`
}

function oneOf(values: unknown): string {
  const list = Array.isArray(values) ? values.filter((value) => value !== undefined).map(String) : []
  return list.length === 1 ? String(list[0]) : `one of ${list.join(', ')}`
}

/** The message has the known names: `knownNames` writes them there. */
function unknownMembers(where: string, field: string, keys: unknown, message: string | undefined): DescribedProblem {
  const given = Array.isArray(keys) ? keys.map(String) : []
  const known = /^known (.*)$/.exec(message ?? '')?.[1]?.split(' ') ?? []
  const kind = where === 'querystring' && field === where ? 'parameter' : 'member'
  const { text, details } = describeUnknown(
    kind,
    given,
    known.filter((name) => name !== ''),
  )
  return { field, text, details, unknown: details.unknown }
}

/** For the validator: the message of an issue about unknown members has the known ones, which only the schema has. */
export function knownNames({ code, inst }: { readonly code?: string; readonly inst?: unknown }): string | undefined {
  if (code !== 'unrecognized_keys') return undefined
  return `known ${Object.keys((inst as Partial<z.ZodObject> | undefined)?.shape ?? {}).join(' ')}`
}

/** Turns `/messages/0/role` into `messages[0].role`. Names that the caller chose are shown shortened. */
function fieldOf(instancePath: string): string {
  return instancePath
    .split('/')
    .filter((part) => part !== '')
    .map((part, index) => (/^\d{1,6}$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${shownName(part)}`))
    .join('')
}
