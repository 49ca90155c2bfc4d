import { encodedForms } from './encoded-forms.ts'
import { createFormTree, type FormTree } from './form-tree.ts'
import { freeUntil, judgeMarkers, markerOf, markersIn, type Span } from './rules/marker.ts'
import type { Scanner } from './scanner.ts'

export type KnownValue = { readonly id: string; readonly value: string }

type Match = Span & { readonly id: string }

/** Shorter values would be found everywhere; the vault refuses them too. */
const lengthMin = 8

/**
 * Finds vault values and their encoded forms by exact match, the longest at each place.
 *
 * Every form has at least eight characters, so a hash of the last eight is kept while reading. It is a shift and an
 * addition: after eight characters the oldest has left the 32 bits. A bitmap of the hashes of all forms turns nearly
 * every place away; at the others a tree of the forms is walked from the first of the eight characters.
 */
export function createKnownValueScanner(values: readonly KnownValue[]): Scanner {
  const { tree, bitmap, shift } = indexForms(values)
  return (given, onHit) => {
    // A marker with a secret for its name is not one of ours.
    const text = judgeMarkers(given, (name) => {
      const [secret] = findMatches(name, tree, bitmap, shift)
      if (secret === undefined) return null
      onHit(secret.id)
      return markerOf(secret.id)
    })
    const matches = findMatches(text, tree, bitmap, shift)
    if (matches.length === 0) return text
    let clean = ''
    let done = 0
    for (const { start, end, id } of matches) {
      clean += text.slice(done, start) + markerOf(id)
      onHit(id)
      done = end
    }
    return clean + text.slice(done)
  }
}

function findMatches(text: string, tree: FormTree, bitmap: Uint32Array, shift: number): readonly Match[] {
  const matches: Match[] = []
  let markers: readonly Span[] | undefined
  let hash = 0
  for (let i = 0; i < text.length; i++) {
    hash = hashNext(hash, text.charCodeAt(i))
    const bit = hash >>> shift
    if (((bitmap[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) continue
    const start = i - lengthMin + 1
    markers ??= markersIn(text)
    const found = tree.longestAt(text, start, Math.min(text.length, freeUntil(markers, start)))
    if (found) addMatch(matches, { start, ...found })
  }
  return matches
}

/**
 * A value inside the one before is covered already. One that begins inside it and goes on further is another secret,
 * and its rest must not stay: it gets a marker of its own for the part that is left.
 */
function addMatch(matches: Match[], match: Match): void {
  const last = matches.at(-1)
  if (last === undefined || match.start >= last.end) matches.push(match)
  else if (match.end <= last.end) return
  else if (match.id === last.id) matches[matches.length - 1] = { ...last, end: match.end }
  else matches.push({ ...match, start: last.end })
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

function indexForms(values: readonly KnownValue[]) {
  const tree = createFormTree()
  const hashes: number[] = []
  for (const { id, value } of values) {
    if (value.length < lengthMin) continue
    for (const form of encodedForms(value)) {
      if (form.length < lengthMin) continue
      let hash = 0
      for (let at = 0; at < lengthMin; at++) hash = hashNext(hash, form.charCodeAt(at))
      hashes.push(hash)
      tree.insert(form, id)
    }
  }
  // At least 32 bits for each form, so at most one place in 32 is looked at in vain.
  const bits = Math.min(24, Math.max(16, Math.ceil(Math.log2(hashes.length * 32 + 1))))
  const bitmap = new Uint32Array(2 ** (bits - 5))
  for (const hash of hashes) {
    const bit = hash >>> (32 - bits)
    bitmap[bit >>> 5] = (bitmap[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }
  return { tree, bitmap, shift: 32 - bits }
}
