import { stemOf } from './stem.ts'
import { stopWords } from './stop-words.ts'

/** A word of a text, where it stands in it, and the term it is found by. */
export type Word = {
  readonly term: string
  /** Lower case, without accents. */
  readonly plain: string
  readonly start: number
  readonly end: number
  /** Written with a capital first letter. */
  readonly isCapital: boolean
  readonly kind: 'word' | 'joined' | 'emoji'
}

const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const pattern = new RegExp(
  `(\\p{RGI_Emoji})|([${unspaced}ー]+)|(\\p{Nd}{1,3}(?:,\\p{Nd}{3})+(?![\\p{L}\\p{N}])|[[\\p{L}\\p{N}\\p{M}]--[${unspaced}ー]]+(?:['’][[\\p{L}\\p{M}]--[${unspaced}]]+)*)`,
  'gv',
)

/** The words of a text in order. Scripts written without spaces give pairs of characters, and each last character alone. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const match of text.matchAll(pattern)) {
    const [found, emoji, run] = match
    const start = match.index
    if (emoji !== undefined) {
      words.push(wordAt(emojiTerm(found), found, start, start + found.length, 'emoji'))
    } else if (run !== undefined) pushPairs(words, run, start)
    else pushWord(words, found, start)
  }
  return words
}

/** The terms a text is found by, in its order; common words are among them, so that phrases can be found. */
export function termsOf(text: string): string[] {
  if (beyondAscii.test(text)) return wordsOf(text).map(({ term }) => term)
  // Most texts are plain, and everything that is stored passes here: the same words, found in a third of the time.
  const terms: string[] = []
  for (const found of text.match(asciiWord) ?? []) {
    const lower = found.toLowerCase()
    const plain = /[',]/.test(lower) ? lower.replace(/'s$/, '').replaceAll(/[',]/g, '') : lower
    if (plain !== '') terms.push(commonStems.get(plain) ?? stemOf(plain))
  }
  return terms
}

const beyondAscii = /[\u0080-\uffff]/
const asciiWord = /\d{1,3}(?:,\d{3})+(?![A-Za-z0-9])|[A-Za-z0-9]+(?:'[A-Za-z]+)*/g
/** Half of a text is common words. */
const commonStems: ReadonlyMap<string, string> = new Map([...stopWords].map((word) => [word, stemOf(word)]))

function wordAt(term: string, found: string, start: number, end: number, kind: Word['kind']): Word {
  return { term, plain: foldAccents(found), start, end, isCapital: /^\p{Lu}/u.test(found), kind }
}

/** Skin tone and presentation say how an emoji is drawn, not which one it is. */
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

function pushPairs(words: Word[], run: string, start: number): void {
  const characters = [...run]
  let at = start
  characters.forEach((character, index) => {
    const pair = character + (characters[index + 1] ?? '')
    words.push(wordAt(pair.normalize('NFKC'), pair, at, at + pair.length, 'joined'))
    at += character.length
  })
}
