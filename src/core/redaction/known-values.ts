import { mayHoldEscapes } from './decode-escapes.ts'
import { encodedForms, textForms } from './encoded-forms.ts'
import { dropped, type FoldedText, foldDecoded, foldString, foldText, foldUnit, unfolded } from './fold-text.ts'
import { createFormTree, type FormTree, type WalkBudget } from './form-tree.ts'
import { createHashedText } from './hashed-text.ts'
import { freeUntil, markerOf, type Span, spanFrom, splitMarkers } from './rules/marker.ts'
import { type ExplainsMarker, explainsWith } from './rules/marker-ids.ts'
import type { Scanner } from './scanner.ts'

export type KnownValue = { readonly id: string; readonly value: string }

type Match = Span & { readonly id: string }
type FormIndex = { readonly tree: FormTree; readonly bitmap: Uint32Array; readonly shift: number }

/** Shorter values would be found everywhere; the vault refuses them too. */
const lengthMin = 8

/**
 * Finds vault values and their encoded forms, the longest at each place, however their characters are written: the
 * text is folded while it is read, and read once more with its escapes undone if it has any.
 *
 * Every form has at least eight characters, so a hash of the last eight is kept while reading. It is a shift and an
 * addition: after eight characters the oldest has left the 32 bits. A bitmap of the hashes of all forms turns nearly
 * every place away; at the others a tree of the forms is walked from the first of the eight characters.
 */
export function createKnownValueScanner(
  values: readonly KnownValue[],
  explains: ExplainsMarker = explainsWith(values.map(({ id }) => id)),
): Scanner {
  const { folded, exact } = indexForms(values)
  return (text, onHit) => {
    const decoded = mayHoldEscapes(text) ? foldDecoded(text) : undefined
    const found = [
      exact ? findExact(text, exact, explains) : [],
      findFolded({ text }, text, folded, explains) ?? findIn(foldText(text), text, folded, explains),
      decoded ? findIn(decoded, text, folded, explains) : [],
    ].flat()
    if (found.length === 0) return text
    let clean = ''
    let done = 0
    for (const { start, end, id } of joinMatches(found, splitMarkers(text, explains).foreign)) {
      clean += text.slice(done, start) + markerOf(id)
      onHit(id)
      done = end
    }
    return clean + text.slice(done)
  }
}

function findExact(text: string, index: FormIndex, explains: ExplainsMarker): Match[] {
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
    markers ??= splitMarkers(text, explains).ours
    const found = tree.longestAt(text, start, Math.min(text.length, freeUntil(markers, start)), budget)
    if (found) matches.push({ start, ...found })
    if (budget.left < 0) return findHashed({ text }, text, index, explains)
  }
  return matches
}

/** In a text that was folded before. */
function findIn(view: FoldedText, text: string, index: FormIndex, explains: ExplainsMarker): readonly Match[] {
  return findFolded(view, text, index, explains) ?? []
}

/** Nothing at all when the text has characters that must be folded beforehand, because one of them becomes several. */
function findFolded(
  { text, from, to }: FoldedText,
  original: string,
  index: FormIndex,
  explains: ExplainsMarker,
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
    const start = goBack(text, i)
    if (start < 0) continue
    markers ??= splitMarkers(original, explains).ours
    const free = freeUntil(markers, from?.[start] ?? start)
    const found = tree.longestFoldedAt(text, start, placeOf(from, free, start, text.length), budget)
    if (found) matches.push({ start: from?.[start] ?? start, end: to?.[found.end - 1] ?? found.end, id: found.id })
    if (budget.left < 0)
      return findHashed(from === undefined ? foldText(text) : { text, from, to }, original, index, explains)
  }
  return matches
}

/** Ordinary texts need less than one comparison for each of their characters. */
function budgetFor(text: string): WalkBudget {
  return { left: 100_000 + 8 * text.length }
}

/** For a text that nearly holds long forms again and again. Its characters are compared as they are. */
function findHashed(
  { text, from, to }: FoldedText,
  original: string,
  { tree, bitmap, shift }: FormIndex,
  explains: ExplainsMarker,
): Match[] {
  const matches: Match[] = []
  const { ours } = splitMarkers(original, explains)
  const hashed = createHashedText(text)
  let hash = 0
  for (let i = 0; i < text.length; i++) {
    hash = hashNext(hash, text.charCodeAt(i))
    const bit = hash >>> shift
    if (((bitmap[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) continue
    const start = i - lengthMin + 1
    const free = freeUntil(ours, from?.[start] ?? start)
    const found = tree.longestHashedAt(hashed, start, placeOf(from, free, start, text.length))
    if (found) matches.push({ start: from?.[start] ?? start, end: to?.[found.end - 1] ?? found.end, id: found.id })
  }
  return matches
}

/** Where the first of eight characters stands whose last one is at `end`. */
function goBack(text: string, end: number): number {
  let at = end
  for (let left = lengthMin - 1; left > 0; ) {
    at -= 1
    if (at < 0) return -1
    if (foldUnit(text.charCodeAt(at)) !== dropped) left -= 1
  }
  return at
}

/** The first place from `start` on that comes from `original` or later. */
function placeOf(from: Uint32Array | undefined, original: number, start: number, length: number): number {
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
 * A value inside the one before is covered already. One that begins inside it and goes on further is another secret,
 * and its rest must not stay: it gets a marker of its own for the part that is left. A marker that the client wrote
 * around a value goes with it.
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
  const first = spanFrom(foreign, match.start)
  const last = spanFrom(foreign, match.end - 1)
  const start = first !== undefined && first.start < match.end ? Math.min(match.start, first.start) : match.start
  const end = last !== undefined && last.start < match.end ? Math.max(match.end, last.end) : match.end
  return { ...match, start, end }
}

function hashNext(hash: number, code: number): number {
  return ((hash << 4) + (mixed[code & 0xff] ?? 0)) | 0
}

/** Fixed numbers without a pattern, so that texts of few different characters still spread over the bitmap. */
const mixed = Int32Array.from({ length: 256 }, (_, code) => {
  let value = Math.imul(code + 1, 0x9e3779b1)
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b)
  return value ^ (value >>> 13)
})

const asciiFolds = Uint16Array.from({ length: 128 }, (_, code) => foldUnit(code))

/** Values that folding takes something from are also looked for as they are: their ends would stay, or all of them. */
function indexForms(values: readonly KnownValue[]): { folded: FormIndex; exact: FormIndex | undefined } {
  const folded: [form: string, id: string][] = []
  const exact: [form: string, id: string][] = []
  for (const { id, value } of values) {
    if (value.length < lengthMin) continue
    for (const form of encodedForms(value)) folded.push([foldString(form), id])
    const decoded = mayHoldEscapes(value) ? foldDecoded(value) : undefined
    if (decoded) folded.push([decoded.text, id])
    if (foldString(value).length < value.length) for (const form of textForms(value)) exact.push([form, id])
  }
  return { folded: indexOf(folded), exact: exact.length > 0 ? indexOf(exact) : undefined }
}

function indexOf(forms: readonly (readonly [form: string, id: string])[]): FormIndex {
  const tree = createFormTree()
  const hashes: number[] = []
  for (const [form, id] of forms) {
    if (form.length < lengthMin) continue
    let hash = 0
    for (let at = 0; at < lengthMin; at++) hash = hashNext(hash, form.charCodeAt(at))
    hashes.push(hash)
    tree.insert(form, id)
  }
  // At least 128 bits for each form, so at most one place in 128 is looked at in vain.
  const bits = Math.min(24, Math.max(16, Math.ceil(Math.log2(hashes.length * 128 + 1))))
  const bitmap = new Uint32Array(2 ** (bits - 5))
  for (const hash of hashes) {
    const bit = hash >>> (32 - bits)
    bitmap[bit >>> 5] = (bitmap[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }
  return { tree, bitmap, shift: 32 - bits }
}
