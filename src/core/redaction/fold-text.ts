import { decodeEscapes } from './decode-escapes.ts'

/**
 * A normalised text: every spelling of the same characters becomes equal. Full-width and styled letters become plain, case and
 * accents are removed, and so are invisible characters and those that programs insert when they wrap or group text (white
 * space, zero-width characters, commas, quotes). The search index applies a weaker normalisation, so a secret that is not
 * found here cannot be found there either.
 */
export type FoldedText = {
  readonly text: string
  /** Start and end, in the given text, of the character that a unit comes from. Without them, the offsets are the same. */
  readonly from?: Uint32Array | undefined
  readonly to?: Uint32Array | undefined
}

/**
 * Results of `foldUnit` that are no character. `dropped`: the character is removed. `unfolded`: it becomes several units or
 * is half of a pair.
 */
export const dropped = 0
export const unfolded = 0xffff

const ignored = /[\p{M}\p{DI}\p{Cf}\p{Cc}\p{Z},"'’ʼ]/gu
const folds = new Uint16Array(0x10000)
const isFolded = new Uint8Array(0x10000)

/** Folds one UTF-16 unit. Results are cached, because most texts use few characters. */
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
  // A lower-case character can decompose further, and a decomposed one can have a lower case: repeat until nothing changes.
  for (let before = ''; before !== folded; ) {
    before = folded
    folded = folded.normalize('NFKD').replace(ignored, '').toLowerCase()
  }
  // Both base64 alphabets, the final sigma, and ß, whose upper case is two letters.
  return folded.replaceAll('-', '+').replaceAll('_', '/').replaceAll('ς', 'σ').replaceAll('ß', 'ss')
}

/** The folded text without the offsets. */
export function foldString(text: string): string {
  if (/[^\0-\x7f]/.test(text)) return foldText(text).text
  return text
    .toLowerCase()
    .replace(/[\0- ,"'\x7f]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
}

/** The folded text with the offsets of its characters. */
export function foldText(text: string): FoldedText {
  return materialise({ text })
}

/** The same after decoding escapes: HTML entities, `\u0061`, `%61`. Undefined when the text has none. */
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

/** In chunks: a function call takes a limited number of arguments. */
function toText(units: Uint16Array): string {
  let text = ''
  for (let at = 0; at < units.length; at += 8_192) text += String.fromCharCode(...units.subarray(at, at + 8_192))
  return text
}
