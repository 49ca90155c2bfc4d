import { limits } from '../limits.ts'
import { closenessOf, type SearchQuery } from './query.ts'
import { type Word, wordsOf } from './words.ts'

/** A range of the snippet's text, in UTF-16 units as JavaScript counts them. */
export type Highlight = { readonly start: number; readonly end: number }
/** An excerpt of a text, with the matched words to highlight. */
export type Snippet = { readonly text: string; readonly highlights: readonly Highlight[] }

const ellipsis = '…'

/** The excerpt of a text with the most query terms, at most `maxCharacters` long, and the matched words in it. */
export function snippetOf(query: SearchQuery, text: string, maxCharacters = 200): Snippet {
  const isMatch = matcherOf(query)
  const hits = wordsOf(text).filter(isMatch)
  const { start, end } =
    text.length <= maxCharacters ? { start: 0, end: text.length } : windowOf(text, hits, maxCharacters)
  const lead = start > 0 ? ellipsis : ''
  const shown = lead + text.slice(start, end) + (end < text.length ? ellipsis : '')
  const shift = lead.length - start
  const highlights = hits.filter((hit) => hit.start >= start && hit.end <= end)
  return {
    text: shown,
    highlights: merge(highlights.map((hit) => ({ start: hit.start + shift, end: hit.end + shift }))),
  }
}

function matcherOf({ terms, phrases }: SearchQuery): (word: Word) => boolean {
  // Synonyms are highlighted, loosely related terms are not.
  const close = terms.filter((wanted) => closenessOf(wanted) === 1)
  const wanted = new Set([...close.flatMap(({ stem, prefix }) => (prefix ? [] : [stem])), ...phrases.flat()])
  // As many as are looked up: each is compared with every word of the text.
  const starts = close.filter(({ prefix }) => prefix).slice(0, limits.searchTermsMax)
  return ({ term }) => wanted.has(term) || starts.some(({ stem }) => term.startsWith(stem))
}

/** The earliest window with the most distinct query terms, with its edges at spaces. */
function windowOf(text: string, hits: readonly Word[], maxCharacters: number): Highlight {
  const room = Math.max(1, maxCharacters - 2 * ellipsis.length)
  let best = { start: 0, found: -1 }
  // Both ends of the window only move on: a text of nothing but hits is not counted again for each of them.
  const inside = new Map<string, number>()
  const count = ({ term }: Word, by: number) => {
    const times = (inside.get(term) ?? 0) + by
    if (times > 0) inside.set(term, times)
    else inside.delete(term)
  }
  let next = 0
  for (const [at, hit] of hits.entries()) {
    for (let last = hits[next]; last && last.end <= hit.start + room; last = hits[++next]) count(last, 1)
    if (inside.size > best.found) best = { start: hit.start, found: inside.size }
    // A word that is longer than the window was never in it.
    if (next > at) count(hit, -1)
    else next = at + 1
  }
  const lead = Math.floor(room / 5)
  const start = onBoundary(text, Math.min(Math.max(0, best.start - lead), Math.max(0, text.length - room)))
  return { start, end: start + room >= text.length ? text.length : cutBack(text, start, start + room) }
}

/** Moves an offset after the next space, if one is near, and out of a surrogate pair. */
function onBoundary(text: string, at: number): number {
  if (at === 0) return 0
  const space = text.slice(at, at + 20).search(/\s/)
  const moved = space < 0 ? at : at + space + 1
  return isInsidePair(text, moved) ? moved + 1 : moved
}

function cutBack(text: string, start: number, end: number): number {
  const space = /\s\S{0,20}$/.exec(text.slice(start, end))
  const moved = space && space.index > 0 ? start + space.index : end
  return isInsidePair(text, moved) ? moved - 1 : moved
}

function isInsidePair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

function merge(ranges: readonly Highlight[]): Highlight[] {
  const merged: Highlight[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last && range.start < last.end)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else merged.push(range)
  }
  return merged
}
