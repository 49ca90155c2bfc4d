import { stemOf } from './stem.ts'

/**
 * The terms of an ASCII text, in order; null for any other text. Every stored text is tokenised, and a search tokenises all texts that
 * it ranks. So a known word is compared where it stands in the text: nothing is copied out of it, and no pattern is run.
 */
export function asciiTermsOf(text: string): string[] | null {
  const terms: string[] = []
  const { length } = text
  for (let at = 0; at < length; ) {
    const start = at
    let hash = 0
    let code = 0
    // Only indexes that are within the text and the table: others make the engine leave its fast code.
    for (; at < length; at++) {
      code = text.charCodeAt(at)
      if (code > lastAscii) return null
      if (isWordSign[code] === 0) break
      hash = (Math.imul(hash, 31) + code) | 0
    }
    if (at === start) {
      at++
      continue
    }
    if (at < length && mayGoOn(text, start, at, code)) {
      at = longerEnd(text, start)
      hash = hashOf(text, start, at)
    }
    const term = knownTerm(text, start, at, hash)
    if (term !== '') terms.push(term)
  }
  return terms
}

/** Whether the sign after a word may be a part of it: of "don't", or of "10,000". */
function mayGoOn(text: string, start: number, at: number, code: number): boolean {
  if (at + 1 >= text.length) return false
  if (code === apostrophe) return true
  return code === comma && at - start <= 3 && text.charCodeAt(at + 1) !== space
}

const lastAscii = 127
const apostrophe = 39
const comma = 44
const space = 32
const isWordSign = Uint8Array.from({ length: lastAscii + 1 }, (_, code) =>
  /[A-Za-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** A number with groups of digits, or a word with apostrophes. */
const longerWord = /\d{1,3}(?:,\d{3})+(?![A-Za-z0-9])|[A-Za-z0-9]+(?:'[A-Za-z]+)*/y

function longerEnd(text: string, start: number): number {
  longerWord.lastIndex = start
  longerWord.test(text)
  return longerWord.lastIndex
}

function hashOf(text: string, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return hash
}

/** The term of a word as it is written; empty for none. */
function makeTerm(found: string): string {
  const lower = found.toLowerCase()
  const plain = /[',]/.test(lower) ? lower.replace(/'s$/, '').replaceAll(/[',]/g, '') : lower
  return plain === '' ? '' : stemOf(plain)
}

/** A cache of words as they are written, by their hash: texts repeat a few thousand. A word that finds no free slot takes the first of its own. */
const slots = 32_768
const hashes = new Int32Array(slots)
const words = new Array<string>(slots).fill('')
const terms = new Array<string>(slots).fill('')
/** Words of one hash can be made on purpose: a lookup looks at so many slots, not at all of them. */
const probesMax = 4
/** Longer words are often unique, and V8 keeps a longer part of a text as a reference to the whole. */
const cachedCharactersMax = 12

function knownTerm(text: string, start: number, end: number, hash: number): string {
  const length = end - start
  if (length > cachedCharactersMax) return makeTerm(text.slice(start, end))
  // The low bits of such a hash are mostly the last letter.
  const home = (hash ^ (hash >>> 15)) & (slots - 1)
  let free = home
  for (let probe = 0; probe < probesMax; probe++) {
    const slot = (home + probe) & (slots - 1)
    const word = words[slot] as string
    if (word === '') {
      free = slot
      break
    }
    if (hashes[slot] === hash && word.length === length && text.startsWith(word, start)) return terms[slot] as string
  }
  const found = text.slice(start, end)
  const term = makeTerm(found)
  hashes[free] = hash
  words[free] = found
  terms[free] = term
  return term
}
