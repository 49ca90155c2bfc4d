import { hash } from 'node:crypto'
import type { EntryVersion } from '../entries/entry.ts'
import { conjuncts, type EntryFilter } from '../filter/filter.ts'
import type { SearchFilter } from './filter.ts'

/**
 * The fields of an entry that a filter can name. Each becomes a key of the index beside the terms, so that filtering happens
 * during the lookup and matches outside the filter cannot displace those inside it. A filter key is a digest: it discloses
 * nothing, and rows found by it are still compared with the filter.
 */
export type FilteredFields = Pick<EntryVersion, 'tags' | 'subject' | 'origin' | 'classification' | 'createdAt'>

/** The filter keys under which an entry is indexed. */
export function filterKeysOf({ tags, subject, origin, classification, createdAt }: FilteredFields): string[] {
  return [
    ...tags.map((tag) => digestKey('t', tag)),
    digestKey('c', classification?.category ?? 'fact'),
    ...(subject === null ? [] : [digestKey('s', subject)]),
    ...(origin.kind === 'service' ? [digestKey('w', origin.service)] : []),
    ...('agentId' in origin && origin.agentId !== undefined ? [digestKey('a', origin.agentId)] : []),
    ...spanBits.map((bits) => spanKey(bits, Math.floor(createdAt / 2 ** bits))),
  ]
}

/** The filter keys that a filter requires of the entries of a ref: an entry must have one key of each list. */
export function requiredFilterKeys(filter: SearchFilter, now: number, memoryRef: string): (readonly string[])[] {
  const { tag, categories, agentId, subject, from, to, where } = filter
  return [
    ...(where === undefined
      ? []
      : conjuncts(where).flatMap((one) => [keysOf(one, now, memoryRef)].filter((keys) => keys !== null))),
    ...(tag === undefined ? [] : [[digestKey('t', tag)]]),
    ...(categories === undefined ? [] : [[...new Set(categories)].map((category) => digestKey('c', category))]),
    ...(subject === undefined ? [] : [[digestKey('s', subject)]]),
    ...(agentId === undefined ? [] : [[digestKey('a', agentId)]]),
    ...timeKeys(from ?? 0, to ?? Number.POSITIVE_INFINITY, now),
  ]
}

/** The keys of which every match of a condition has at least one; null if the index does not know the condition. */
function keysOf(filter: EntryFilter, now: number, memoryRef: string): readonly string[] | null {
  if (isByClaim(filter, memoryRef)) return null
  if (filter.kind === 'text') return [...new Set(filter.in)].map((value) => digestKey(kindOf[filter.field], value))
  if (filter.kind === 'or') {
    const all = filter.of.map((one) => keysOf(one, now, memoryRef))
    return all.every((keys) => keys !== null) ? all.flat() : null
  }
  if (filter.kind === 'and')
    return filter.of.map((one) => keysOf(one, now, memoryRef)).find((keys) => keys !== null) ?? null
  if (filter.kind !== 'number' || filter.field !== 'created' || filter.bounds === undefined) return null
  const { gt, gte, lt, lte } = filter.bounds
  const to = Math.min(lt ?? Number.POSITIVE_INFINITY, lte === undefined ? Number.POSITIVE_INFINITY : lte + 1)
  return timeKeys(Math.max(gte ?? 0, gt ?? 0), to, now)[0] ?? null
}

const kindOf = { tag: 't', category: 'c', subject: 's', writer: 'w', agent: 'a' } as const

/** Whether the keys of the index alone decide about a filter. Otherwise the rows that they find are examined. */
export function isDecidedByKeys(filter: EntryFilter, memoryRef: string): boolean {
  if (isByClaim(filter, memoryRef)) return false
  if (filter.kind === 'and') return filter.of.every((one) => isDecidedByKeys(one, memoryRef))
  if (filter.kind === 'or') return filter.of.every((one) => one.kind === 'text' && !isByClaim(one, memoryRef))
  return filter.kind === 'text' || (filter.kind === 'number' && filter.field === 'created')
}

/** The writer of a memory about a person can change without a new version: when another service confirms it. Elsewhere nothing belongs to a claim. */
function isByClaim(filter: EntryFilter, memoryRef: string): boolean {
  return filter.kind === 'text' && filter.field === 'writer' && memoryRef.startsWith('subject:')
}

const digestCharacters = 12

function digestKey(kind: string, value: string): string {
  const known = digestKeys.get(kind + value)
  if (known !== undefined) return known
  const key = kind + hash('sha256', value).slice(0, digestCharacters)
  if (digestKeys.size >= digestKeysMax) digestKeys.clear()
  digestKeys.set(kind + value, key)
  return key
}

/** A cache: entries repeat tags and categories, and a digest costs as much as ten terms. */
const digestKeys = new Map<string, string>()
const digestKeysMax = 10_000

/**
 * Lengths of the time spans that contain an entry, as powers of two in ms: a quarter of an hour, nine hours, twelve days, a
 * year.
 */
const spanBits = [20, 25, 30, 35] as const
const [shortest, ...longer] = spanBits
const longest = 2 ** 35

/** The end of an open time filter. Entries may be dated in the future, and a few long spans are cheaper than many short ones. */
function openEnd(now: number): number {
  return (Math.floor(now / longest) + 3) * longest
}

/** The spans of a time filter. A filter may end in the year 9999, so the end is limited: each span is looked up with every term. */
function timeKeys(from: number, to: number, now: number): (readonly string[])[] {
  const end = openEnd(Math.max(now, from))
  if (from <= 0 && to >= end) return []
  return [spansOf(from, Math.min(to, end))]
}

function spanKey(bits: number, nth: number): string {
  return `d${bits}n${nth}`
}

/** The smallest set of spans that covers a time: long ones in the middle, short ones at both ends. */
function spansOf(from: number, to: number): string[] {
  const keys: string[] = []
  let bits: number = shortest
  let first = Math.floor(Math.max(0, from) / 2 ** bits)
  let after = Math.ceil(to / 2 ** bits)
  for (const next of longer) {
    const within = 2 ** (next - bits)
    for (; first < after && first % within !== 0; first++) keys.push(spanKey(bits, first))
    for (; first < after && after % within !== 0; after--) keys.push(spanKey(bits, after - 1))
    first = Math.floor(first / within)
    after = Math.floor(after / within)
    bits = next
  }
  for (; first < after; first++) keys.push(spanKey(bits, first))
  return keys
}
