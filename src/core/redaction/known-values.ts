import { mayContainEscapes } from './decode-escapes.ts'
import { encodedForms, spellings, textForms } from './encoded-forms.ts'
import { dropped, type FoldedText, foldDecoded, foldString, foldText, foldUnit, unfolded } from './fold-text.ts'
import { createHashedText } from './hashed-text.ts'
import { type ComparisonBudget, createRadixTrie, type RadixTrie } from './radix-trie.ts'
import { firstSpanEndingAfter, markerFreeUntil, markerOf, type Span, splitMarkers } from './rules/marker.ts'
import { type IsKnownMarkerId, knownMarkerIds } from './rules/marker-ids.ts'
import type { Scanner } from './scanner.ts'

/** A vault secret with the id that its marker shows. */
export type KnownValue = { readonly id: string; readonly value: string }

type Match = Span & { readonly id: string }
/** A trie of forms behind a bitmap (a Bloom filter with one hash) of their first eight characters. */
type FormIndex = { readonly tree: RadixTrie; readonly bitmap: Uint32Array; readonly shift: number }

/** Shorter values would match everywhere; the vault refuses them too. */
const lengthMin = 8

/**
 * A scanner for vault secrets and their encoded forms. It finds the longest match at each position, in any spelling: the text
 * is folded during the scan, and scanned again with its escapes decoded if it has any.
 *
 * Every form has at least eight characters, so the scan keeps a rolling hash of the last eight (a shift and an addition:
 * after eight characters the oldest has left the 32 bits). A bitmap of the hashes of all forms rejects nearly every position.
 * At the remaining ones the trie of forms is searched from the first of the eight characters.
 */
export function createKnownValueScanner(
  values: readonly KnownValue[],
  isKnownId: IsKnownMarkerId = knownMarkerIds(values.map(({ id }) => id)),
): Scanner {
  const { folded, exact } = indexForms(values)
  return (text, onHit) => {
    const decoded = mayContainEscapes(text) ? foldDecoded(text) : undefined
    const found = [
      exact ? findExact(text, exact, isKnownId) : [],
      findFolded({ text }, text, folded, isKnownId) ?? findIn(foldText(text), text, folded, isKnownId),
      decoded ? findIn(decoded, text, folded, isKnownId) : [],
    ].flat()
    if (found.length === 0) return text
    let clean = ''
    let done = 0
    for (const { start, end, id } of joinMatches(found, splitMarkers(text, isKnownId).foreign)) {
      clean += text.slice(done, start) + markerOf(id)
      onHit(id)
      done = end
    }
    return clean + text.slice(done)
  }
}

function findExact(text: string, index: FormIndex, isKnownId: IsKnownMarkerId): Match[] {
  const { tree, bitmap, shift } = index
  const matches: Match[] = []
  const budget = budgetFor(text)
  let markers: readonly Span[] | undefined
  let hash = 0
  for (let i = 0; i < text.length; i++) {
    hash = hashNext(hash, text.charCodeAt(i))
    const bit = hash >>> shift
    if (((bitmap[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) continue
    const start = i - lengthMin + 1
    markers ??= splitMarkers(text, isKnownId).known
    const found = tree.longestAt(text, start, Math.min(text.length, markerFreeUntil(markers, start)), budget)
    if (found) matches.push({ start, ...found })
    if (budget.left < 0) return findHashed({ text }, text, index, isKnownId)
  }
  return matches
}

/** In a text that is already folded. */
function findIn(view: FoldedText, text: string, index: FormIndex, isKnownId: IsKnownMarkerId): readonly Match[] {
  return findFolded(view, text, index, isKnownId) ?? []
}

/** Undefined when the text must be folded in advance, because one of its characters folds into several. */
function findFolded(
  { text, from, to }: FoldedText,
  original: string,
  index: FormIndex,
  isKnownId: IsKnownMarkerId,
): Match[] | undefined {
  const { tree, bitmap, shift } = index
  const matches: Match[] = []
  const budget = budgetFor(text)
  let markers: readonly Span[] | undefined
  let hash = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const unit = code < 128 ? asciiFolds[code] : foldUnit(code)
    if (unit === dropped || unit === undefined) continue
    if (unit === unfolded && from === undefined) return undefined
    hash = hashNext(hash, unit === unfolded ? code : unit)
    const bit = hash >>> shift
    if (((bitmap[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) continue
    const start = windowStart(text, i)
    if (start < 0) continue
    markers ??= splitMarkers(original, isKnownId).known
    const free = markerFreeUntil(markers, from?.[start] ?? start)
    const found = tree.longestFoldedAt(text, start, foldedOffset(from, free, start, text.length), budget)
    if (found) matches.push({ start: from?.[start] ?? start, end: to?.[found.end - 1] ?? found.end, id: found.id })
    if (budget.left < 0)
      return findHashed(from === undefined ? foldText(text) : { text, from, to }, original, index, isKnownId)
  }
  return matches
}

/** Ordinary texts need less than one comparison for each of their characters. */
function budgetFor(text: string): ComparisonBudget {
  return { left: 100_000 + 8 * text.length }
}

/** For a text that nearly contains long forms many times: prefix hashes keep the scan linear. */
function findHashed(
  { text, from, to }: FoldedText,
  original: string,
  { tree, bitmap, shift }: FormIndex,
  isKnownId: IsKnownMarkerId,
): Match[] {
  const matches: Match[] = []
  const { known } = splitMarkers(original, isKnownId)
  const hashed = createHashedText(text)
  let hash = 0
  for (let i = 0; i < text.length; i++) {
    hash = hashNext(hash, text.charCodeAt(i))
    const bit = hash >>> shift
    if (((bitmap[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) continue
    const start = i - lengthMin + 1
    const free = markerFreeUntil(known, from?.[start] ?? start)
    const found = tree.longestHashedAt(hashed, start, foldedOffset(from, free, start, text.length))
    if (found) matches.push({ start: from?.[start] ?? start, end: to?.[found.end - 1] ?? found.end, id: found.id })
  }
  return matches
}

/** The offset of the first of the eight folded characters that end at `end`. */
function windowStart(text: string, end: number): number {
  let at = end
  for (let left = lengthMin - 1; left > 0; ) {
    at -= 1
    if (at < 0) return -1
    if (foldUnit(text.charCodeAt(at)) !== dropped) left -= 1
  }
  return at
}

/** The first folded offset from `start` on that comes from `original` or later. */
function foldedOffset(from: Uint32Array | undefined, original: number, start: number, length: number): number {
  if (original >= Number.MAX_SAFE_INTEGER) return length
  if (from === undefined) return Math.min(original, length)
  let low = start
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((from[middle] ?? 0) >= original) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Resolves overlapping matches. A match inside the previous one is already covered. A match that starts inside the previous
 * one and ends after it is another secret: the remaining part gets its own marker. A forged marker around a match is
 * replaced with it.
 */
function joinMatches(found: readonly Match[], foreign: readonly Span[]): readonly Match[] {
  const matches: Match[] = []
  for (const match of found.map((item) => widen(item, foreign)).sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = matches.at(-1)
    if (last === undefined || match.start >= last.end) matches.push(match)
    else if (match.end <= last.end) continue
    else if (match.id === last.id) matches[matches.length - 1] = { ...last, end: match.end }
    else matches.push({ ...match, start: last.end })
  }
  return matches
}

function widen(match: Match, foreign: readonly Span[]): Match {
  if (foreign.length === 0) return match
  const first = firstSpanEndingAfter(foreign, match.start)
  const last = firstSpanEndingAfter(foreign, match.end - 1)
  const start = first !== undefined && first.start < match.end ? Math.min(match.start, first.start) : match.start
  const end = last !== undefined && last.start < match.end ? Math.max(match.end, last.end) : match.end
  return { ...match, start, end }
}

function hashNext(hash: number, code: number): number {
  return ((hash << 4) + (mixed[code & 0xff] ?? 0)) | 0
}

/** Fixed pseudo-random numbers, so that texts with few different characters still spread over the bitmap. */
const mixed = Int32Array.from({ length: 256 }, (_, code) => {
  let value = Math.imul(code + 1, 0x9e3779b1)
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b)
  return value ^ (value >>> 13)
})

const asciiFolds = Uint16Array.from({ length: 128 }, (_, code) => foldUnit(code))

/** A value that folding shortens is also searched unfolded: otherwise its dropped characters, or all of it, would remain. */
function indexForms(values: readonly KnownValue[]): { folded: FormIndex; exact: FormIndex | undefined } {
  const folded: [form: string, id: string][] = []
  const exact: [form: string, id: string][] = []
  for (const { id, value } of values) {
    if (value.length < lengthMin) continue
    for (const form of encodedForms(value)) folded.push([foldString(form), id])
    const decoded = mayContainEscapes(value) ? foldDecoded(value) : undefined
    if (decoded) folded.push([decoded.text, id])
    if (foldString(value).length >= value.length) continue
    for (const spelling of spellings(value)) for (const form of textForms(spelling)) exact.push([form, id])
  }
  return { folded: indexOf(folded), exact: exact.length > 0 ? indexOf(exact) : undefined }
}

function indexOf(forms: readonly (readonly [form: string, id: string])[]): FormIndex {
  const tree = createRadixTrie()
  const hashes: number[] = []
  for (const [form, id] of forms) {
    if (form.length < lengthMin) continue
    let hash = 0
    for (let at = 0; at < lengthMin; at++) hash = hashNext(hash, form.charCodeAt(at))
    hashes.push(hash)
    tree.insert(form, id)
  }
  // At least 128 bits per form, so at most one position in 128 is a false positive.
  const bits = Math.min(24, Math.max(16, Math.ceil(Math.log2(hashes.length * 128 + 1))))
  const bitmap = new Uint32Array(2 ** (bits - 5))
  for (const hash of hashes) {
    const bit = hash >>> (32 - bits)
    bitmap[bit >>> 5] = (bitmap[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }
  return { tree, bitmap, shift: 32 - bits }
}
