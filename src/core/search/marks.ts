import { hash } from 'node:crypto'
import type { EntryVersion } from '../entries/entry.ts'
import type { SearchFilter } from './filter.ts'

/**
 * What an entry can be narrowed by, as keys of the index beside those of its words: then a filter is part of the finding, and
 * no number of other finds hides what fits it. A mark tells nothing by itself, and what it finds is still compared with the filter.
 */
export type Marked = Pick<EntryVersion, 'tags' | 'subject' | 'origin' | 'classification' | 'createdAt'>

export function marksOf({ tags, subject, origin, classification, createdAt }: Marked): string[] {
  return [
    ...tags.map((tag) => mark('t', tag)),
    mark('c', classification?.category ?? 'fact'),
    ...(subject === null ? [] : [mark('s', subject)]),
    ...(origin.kind === 'service' ? [mark('w', origin.service)] : []),
    ...('agentId' in origin && origin.agentId !== undefined ? [mark('a', origin.agentId)] : []),
    ...spanBits.map((bits) => spanMark(bits, Math.floor(createdAt / 2 ** bits))),
  ]
}

/** Of each list an entry must have one of the marks. */
export function wantedMarks(filter: SearchFilter, now: number): (readonly string[])[] {
  const { tag, categories, writer, agentId, subject, from, to } = filter
  return [
    ...(tag === undefined ? [] : [[mark('t', tag)]]),
    ...(categories === undefined ? [] : [[...new Set(categories)].map((category) => mark('c', category))]),
    ...(subject === undefined ? [] : [[mark('s', subject)]]),
    ...(writer === undefined ? [] : [[mark('w', writer)]]),
    ...(agentId === undefined ? [] : [[mark('a', agentId)]]),
    ...timeMarks(from ?? 0, to ?? Number.POSITIVE_INFINITY, now),
  ]
}

const digestCharacters = 12

function mark(kind: string, value: string): string {
  return kind + hash('sha256', value).slice(0, digestCharacters)
}

/** Spans of time that an entry lies in, shortest first: a quarter of an hour, nine hours, twelve days, a year. */
const spanBits = [20, 25, 30, 35] as const
const [shortest, ...longer] = spanBits
const longest = 2 ** 35

/** An entry may be dated ahead of this clock, and a few long spans are looked up sooner than many short ones. */
function openEnd(now: number): number {
  return (Math.floor(now / longest) + 3) * longest
}

/** A filter may end in the year 9999: whatever is wanted, it is few spans, because each is looked up with every term. */
function timeMarks(from: number, to: number, now: number): (readonly string[])[] {
  const end = openEnd(Math.max(now, from))
  if (from <= 0 && to >= end) return []
  return [spansOf(from, Math.min(to, end))]
}

function spanMark(bits: number, nth: number): string {
  return `d${bits}n${nth}`
}

/** The fewest spans that cover a time: long ones in its middle, short ones at its ends. */
function spansOf(from: number, to: number): string[] {
  const marks: string[] = []
  let bits: number = shortest
  let first = Math.floor(Math.max(0, from) / 2 ** bits)
  let after = Math.ceil(to / 2 ** bits)
  for (const next of longer) {
    const within = 2 ** (next - bits)
    for (; first < after && first % within !== 0; first++) marks.push(spanMark(bits, first))
    for (; first < after && after % within !== 0; after--) marks.push(spanMark(bits, after - 1))
    first = Math.floor(first / within)
    after = Math.floor(after / within)
    bits = next
  }
  for (; first < after; first++) marks.push(spanMark(bits, first))
  return marks
}
