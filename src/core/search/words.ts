import { asciiTermsOf } from './ascii-terms.ts'
import { stemOf } from './stem.ts'

/** A word of a text, its offsets in the text, and the term it is indexed under. */
export type Word = {
  readonly term: string
  /** Lower case, without accents. */
  readonly plain: string
  readonly start: number
  readonly end: number
  /** Whether its first letter is a capital. */
  readonly isCapital: boolean
  /** `bigram`: two adjacent characters of a script without spaces. */
  readonly kind: 'word' | 'bigram' | 'emoji'
}

const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const wordSource = `(\\p{RGI_Emoji})|([${unspaced}ー]+)|(\\p{Nd}{1,3}(?:,\\p{Nd}{3})+(?![\\p{L}\\p{N}])|[[\\p{L}\\p{N}\\p{M}]--[${unspaced}ー]]+(?:['’][[\\p{L}\\p{M}]--[${unspaced}]]+)*)`
/** Compiled on first use: the emoji alone are a list of thousands, 8 ms of a start. */
let wordPattern: RegExp | undefined

/** Tokenises a text. Scripts without spaces give character bigrams, and the last character of each run alone. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  wordPattern ??= new RegExp(wordSource, 'gv')
  for (const match of text.matchAll(wordPattern)) {
    const [found, emoji, run] = match
    const start = match.index
    if (emoji !== undefined) {
      words.push(wordAt(emojiTerm(found), found, start, start + found.length, 'emoji'))
    } else if (run !== undefined) pushBigrams(words, run, start)
    else pushWord(words, found, start)
  }
  return words
}

/** The terms of a text, in order: stemmed, lower case, without accents. Stop words are included, so that phrases can be matched. */
export function termsOf(text: string): string[] {
  return asciiTermsOf(text) ?? wordsOf(text).map(({ term }) => term)
}

function wordAt(term: string, found: string, start: number, end: number, kind: Word['kind']): Word {
  return { term, plain: foldAccents(found), start, end, isCapital: /^\p{Lu}/u.test(found), kind }
}

/** Removes skin tone and presentation selectors: they change how an emoji is drawn, not which one it is. */
function emojiTerm(emoji: string): string {
  return emoji.replace(/[\u{1F3FB}-\u{1F3FF}\uFE0F]/gu, '')
}

function foldAccents(text: string): string {
  return /^[a-z0-9]+$/.test(text)
    ? text
    : text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('’', "'").normalize('NFC')
}

function pushWord(words: Word[], found: string, start: number): void {
  const plain = foldAccents(found).replace(/'s$/, '').replaceAll(/[',]/g, '')
  if (plain === '') return
  words.push({ ...wordAt(stemOf(plain), found, start, start + found.length, 'word'), plain })
}

function pushBigrams(words: Word[], run: string, start: number): void {
  const characters = [...run]
  let at = start
  characters.forEach((character, index) => {
    const pair = character + (characters[index + 1] ?? '')
    words.push(wordAt(pair.normalize('NFKC'), pair, at, at + pair.length, 'bigram'))
    at += character.length
  })
}
