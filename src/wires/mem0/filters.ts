import { parseInstant } from '../../core/check.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { type Entities, entityFields } from '../../core/provenance/mem0-entities.ts'
import { unsupported } from './unsupported.ts'

/** The `filters` of getAll and search: conditions on the members of a memory, joined by AND, OR and NOT. */

/** What a condition can see of a memory. */
export type Facts = {
  readonly user_id: string | null
  readonly agent_id: string | null
  readonly app_id: string | null
  readonly run_id: string | null
  readonly categories: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly created_at: string
  readonly updated_at: string
}

export type Filter = {
  /** The entities that every match has: the first of them is the subject that is read. */
  readonly entities: Entities
  /** Whether there are more conditions than those. */
  readonly isMore: boolean
  readonly isMatch: (facts: Facts) => boolean
}

type Json = Readonly<Record<string, unknown>>
type Test = (facts: Facts) => boolean

export function parseFilter(filters: unknown): Filter {
  checkValues(filters)
  const entities: Record<string, string> = {}
  let isMore = false
  const test = parse(filters, 'filters', 0, {
    require: (field, id) => {
      if (entities[field] !== undefined && entities[field] !== id)
        throw invalid(`filters.${field}`, 'must have one value, not two')
      entities[field] = id
    },
    more: () => {
      isMore = true
    },
  })
  return { entities, isMore, isMatch: test }
}

/** Counted before anything is compared. A filter that is nested too deep is refused where it is parsed. */
function checkValues(filters: unknown): void {
  const max = limits.mem0FilterValuesMax
  let values = 0
  const open = [filters]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    const parts: unknown[] = Object.values(next)
    values += parts.length
    if (values > max)
      throw invalid('filters', `must have at most ${max} conditions and values`, { limit: 'mem0FilterValuesMax', max })
    open.push(...parts)
  }
}

/** What a conjunction notes about itself. Inside OR and NOT there is none: nothing in there must hold. */
type Notes = { require(field: string, id: string): void; more(): void }

function parse(node: unknown, field: string, depth: number, notes: Notes): Test {
  if (!isObject(node)) throw invalid(field, 'must be an object')
  if (depth > limits.mem0FilterDepthMax)
    throw invalid(field, `must be nested at most ${limits.mem0FilterDepthMax} times`, {
      limit: 'mem0FilterDepthMax',
      max: limits.mem0FilterDepthMax,
    })
  const tests = Object.entries(node).map(([name, value]): Test => {
    const at = `${field}.${name}`
    if (name === 'AND') {
      const all = listOf(value, at).map((part, index) => parse(part, `${at}[${index}]`, depth + 1, notes))
      return (facts) => all.every((one) => one(facts))
    }
    if (name === 'OR' || name === 'NOT') {
      notes.more()
      const loose = { require: () => {}, more: () => {} }
      const any = listOf(value, at).map((part, index) => parse(part, `${at}[${index}]`, depth + 1, loose))
      return (facts) => any.some((one) => one(facts)) === (name === 'OR')
    }
    if (isEntity(name) && typeof value === 'string' && value !== '*') {
      notes.require(name, value)
      return (facts) => facts[name] === value
    }
    notes.more()
    return testOf(name, value, at)
  })
  return (facts) => tests.every((one) => one(facts))
}

function listOf(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalid(field, 'must be an array')
}

function testOf(name: string, value: unknown, field: string): Test {
  if (isEntity(name)) {
    if (value === '*') return (facts) => facts[name] !== null
    return compare(value, field, (facts) => facts[name])
  }
  if (name === 'categories') {
    const wanted = isObject(value) ? (value.in ?? value.contains) : value
    const names = [wanted].flat()
    if (names.some((one) => typeof one !== 'string')) throw invalid(field, 'must be names of categories')
    return ({ categories }) => categories.some((category) => names.includes(category))
  }
  if (name === 'created_at' || name === 'updated_at') {
    if (!isObject(value)) throw invalid(field, 'must be an object with gte, gt, lte or lt')
    const bounds = Object.fromEntries(
      Object.entries(value).map(([operator, at]) => [operator, parseDay(`${field}.${operator}`, at)]),
    )
    return compare(bounds, field, (facts) => Date.parse(facts[name]))
  }
  if (name === 'metadata') {
    if (!isObject(value)) throw invalid(field, 'must be an object')
    const tests = Object.entries(value).map(([key, one]) =>
      compare(one, `${field}.${key}`, ({ metadata }) => metadata?.[key]),
    )
    return (facts) => tests.every((one) => one(facts))
  }
  throw unsupported(
    field,
    'Filter by user_id, agent_id, app_id, run_id, categories, metadata, created_at or updated_at.',
  )
}

/** A date without a time is the start of its day. */
function parseDay(field: string, value: unknown): number {
  const isDay = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
  return parseInstant(field, isDay ? `${value}T00:00:00Z` : value)
}

type Ordered = string | number
const operators: Readonly<Record<string, (given: unknown, wanted: unknown) => boolean>> = {
  eq: isSame,
  ne: (given, wanted) => !isSame(given, wanted),
  in: (given, wanted) => Array.isArray(wanted) && wanted.some((one) => isSame(given, one)),
  gt: (given, wanted) => isOrdered(given, wanted) && (given as Ordered) > (wanted as Ordered),
  gte: (given, wanted) => isOrdered(given, wanted) && (given as Ordered) >= (wanted as Ordered),
  lt: (given, wanted) => isOrdered(given, wanted) && (given as Ordered) < (wanted as Ordered),
  lte: (given, wanted) => isOrdered(given, wanted) && (given as Ordered) <= (wanted as Ordered),
  contains: (given, wanted) =>
    Array.isArray(given)
      ? given.some((one) => isSame(one, wanted))
      : isText(given, wanted) && given.includes(String(wanted)),
  icontains: (given, wanted) => isText(given, wanted) && given.toLowerCase().includes(String(wanted).toLowerCase()),
}

function compare(condition: unknown, field: string, read: (facts: Facts) => unknown): Test {
  if (!isObject(condition)) return (facts) => isSame(read(facts), condition)
  const tests = Object.entries(condition).map(([name, wanted]) => {
    const holds = Object.hasOwn(operators, name) ? operators[name] : undefined
    if (holds === undefined) throw unsupported(`${field}.${name}`, `Use one of ${Object.keys(operators).join(', ')}.`)
    return (facts: Facts) => holds(read(facts), wanted)
  })
  return (facts) => tests.every((one) => one(facts))
}

function isOrdered(given: unknown, wanted: unknown): boolean {
  return typeof given === typeof wanted && (typeof given === 'number' || typeof given === 'string')
}

function isText(given: unknown, wanted: unknown): given is string {
  return typeof given === 'string' && typeof wanted === 'string'
}

function isSame(given: unknown, wanted: unknown): boolean {
  return given === wanted || JSON.stringify(given) === JSON.stringify(wanted)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEntity(name: string): name is (typeof entityFields)[number] {
  return (entityFields as readonly string[]).includes(name)
}
