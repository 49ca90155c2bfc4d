import { decodeEscapes } from './decode-escapes.ts'

/**
 * A text read so that every way of writing the same characters reads the same: full-width and styled letters are plain
 * ones, accents and case are gone, and so is what is invisible or what programs put in while they wrap and group
 * (white space, zero-width characters, commas, quotes). The search index keeps terms in a weaker form of this, so
 * what cannot be read here cannot be read there.
 */
export type FoldedText = {
  readonly text: string
  /** Where in the given text the character stands that gave a unit, and where it ends; without them, the places are the same. */
  readonly from?: Uint32Array | undefined
  readonly to?: Uint32Array | undefined
}

/** Units of `foldUnit` that are no character: nothing is left of it; more than one is left, or it takes two units. */
export const dropped = 0
export const unfolded = 0xffff

const ignored = /[\p{M}\p{DI}\p{Cf}\p{Cc}\p{Z},"'’ʼ]/gu
const folds = new Uint16Array(0x10000)
const isFolded = new Uint8Array(0x10000)

/** What one unit reads as; remembered, because most texts are made of few characters. */
export function foldUnit(code: number): number {
  if (isFolded[code] === 1) return folds[code] ?? 0
  const folded = code >= 0xd800 && code <= 0xdfff ? undefined : foldCharacter(String.fromCharCode(code))
  const unit = folded === undefined || folded.length > 1 ? unfolded : folded === '' ? dropped : folded.charCodeAt(0)
  folds[code] = unit
  isFolded[code] = 1
  return unit
}

function foldCharacter(character: string): string {
  let folded = character
  // Lower case can be decomposed further, and what was decomposed has a lower case of its own.
  for (let before = ''; before !== folded; ) {
    before = folded
    folded = folded.normalize('NFKD').replace(ignored, '').toLowerCase()
  }
  // The two spellings of base64, the sigma that depends on its place, and the letter that has two capitals.
  return folded.replaceAll('-', '+').replaceAll('_', '/').replaceAll('ς', 'σ').replaceAll('ß', 'ss')
}

/** What a text reads as, without its places. */
export function foldString(text: string): string {
  if (/[^\0-\x7f]/.test(text)) return foldText(text).text
  return text
    .toLowerCase()
    .replace(/[\0- ,"'\x7f]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
}

/** The text as units that all read as themselves. */
export function foldText(text: string): FoldedText {
  return materialise({ text })
}

/** The same after escapes are undone: HTML entities, `\u0061`, `%61`. Nothing when there are none. */
export function foldDecoded(text: string): FoldedText | undefined {
  const decoded = decodeEscapes(text)
  return decoded && materialise(decoded)
}

function materialise({ text, from, to }: FoldedText): FoldedText {
  let units = new Uint16Array(text.length + 64)
  let starts = new Uint32Array(units.length)
  let ends = new Uint32Array(units.length)
  let length = 0
  const push = (unit: number, at: number, end: number) => {
    if (length === units.length) {
      units = grow(units, new Uint16Array(length * 2))
      starts = grow(starts, new Uint32Array(length * 2))
      ends = grow(ends, new Uint32Array(length * 2))
    }
    units[length] = unit
    starts[length] = from?.[at] ?? at
    ends[length] = to?.[end - 1] ?? end
    length += 1
  }
  for (let at = 0; at < text.length; at++) {
    const unit = foldUnit(text.charCodeAt(at))
    if (unit === dropped) continue
    if (unit !== unfolded) {
      push(unit, at, at + 1)
      continue
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const folded = character.isWellFormed() ? foldCharacter(character) : character
    for (let part = 0; part < folded.length; part++) push(folded.charCodeAt(part), at, at + character.length)
    at += character.length - 1
  }
  return { text: toText(units.subarray(0, length)), from: starts, to: ends }
}

function grow<T extends Uint16Array | Uint32Array>(from: T, to: T): T {
  to.set(from)
  return to
}

/** In pieces: a call takes only so many arguments. */
function toText(units: Uint16Array): string {
  let text = ''
  for (let at = 0; at < units.length; at += 8_192) text += String.fromCharCode(...units.subarray(at, at + 8_192))
  return text
}
