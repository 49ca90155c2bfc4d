import { sentenceTermsOf } from '../compaction/extractive/sentence-terms.ts'
import { sentencesOf } from '../compaction/extractive/sentences.ts'
import { limits } from '../limits.ts'
import { speakerOf, spokenText } from '../search/speaker.ts'
import { type Word, wordsOf } from '../search/words.ts'
import { calendarWords, correctionCue, datedWords, lightWords, personalWords } from './word-lists.ts'

/** What is compared of a text. Two texts with the same key say the same in the sense of that key. */
export type TextFeatures = {
  readonly speaker: string | null
  /** The words as they are written, without case, spaces, punctuation and light words. */
  readonly exact: string
  /** The same in the base forms by which texts are ranked: "moves" and "moved" are forms of one word. Null for a text of few words. */
  readonly forms: string | null
  /** The words one by one, for the share of them that two texts have in common. */
  readonly words: readonly string[]
  /** The key of every sentence, each once. Null for a text of few words. */
  readonly sentences: readonly string[] | null
  /** A single sentence without its figures, months and days of the week; null if it has none of them, or is more than a sentence. */
  readonly template: string | null
  /** Whether it begins by saying that it corrects something. */
  readonly isCorrection: boolean
  /** Whether its meaning depends on who says it. */
  readonly isPersonal: boolean
  /** Whether its meaning depends on the day on which it is said. */
  readonly isDated: boolean
}

/** Shorter texts say too little to be a restatement: "Yes, I did." answers many questions. */
const restatementWordsMin = 3

/** The features of a text. Pure, and the same for every run of the program. */
export function featuresOf(content: string): TextFeatures {
  if (content.length > limits.consolidationTextCharactersMax) return wholeText(content)
  // "Correction:" looks like the name of a speaker.
  const speaker = correctionCue.test(content.trimStart()) ? null : speakerOf({ content })
  const said = spokenText(content, speaker).trim()
  const text = said.replace(correctionCue, '')
  const sentences = sentencesOf(text).map(readSentence)
  const all = sentences.flatMap(({ words }) => words)
  const isLong = all.length >= restatementWordsMin
  const [only] = sentences.length === 1 ? sentences : []
  return {
    speaker,
    exact: keyOf(sentences, ({ exact }) => exact),
    forms: isLong ? keyOf(sentences, ({ forms }) => forms) : null,
    words: all,
    sentences: isLong ? [...new Set(sentences.map(({ exact }) => exact))].sort() : null,
    template: only !== undefined && isLong ? only.template : null,
    isCorrection: text !== said,
    // With a named speaker, "I" is the speaker, also if another writer stored it.
    isPersonal: speaker === null && sentences.some(({ isPersonal }) => isPersonal),
    isDated: sentences.some(({ isDated }) => isDated),
  }
}

/** Of a long text it is not known whether it depends on the writer and the day, so both must be the same. */
function wholeText(content: string): TextFeatures {
  const nothing = { forms: null, words: [], sentences: null, template: null, isCorrection: false }
  return { speaker: null, exact: content.trim(), ...nothing, isPersonal: true, isDated: true }
}

function keyOf<T>(sentences: readonly T[], key: (sentence: T) => string): string {
  return sentences.map(key).join('\u0001')
}

/** Signs that are part of what is said, unlike other punctuation: also a dot within a word. */
const symbol = /[\p{S}#@&/\\*_|]|(?<=\S)\.(?=[^\s"'”»)])/gu

/** The end of a sentence. It begins where such signs begin, so that many of them are looked at once. */
const endSigns = /(?<![.!?…,;:。！？])[.!?…,;:。！？]+["'”»)]*$/u

function readSentence(sentence: string) {
  // The end of a sentence is not part of the number before it.
  const { distinction, markers } = sentenceTermsOf(sentence.replace(endSigns, ''))
  // Numbers with their units, negations, markers and symbols ("C++" is not "C"), and whether it is a question: what never may differ.
  const symbols = (sentence.match(symbol) ?? []).join('')
  const fixed = `${distinction}\u0002${symbols}${/[?？]["'”»)]*$/u.test(sentence) ? '?' : ''}`
  const found = wordsOf(sentence).filter((word) => !lightWords.has(lowerOf(sentence, word)))
  const words = found.map((word) => lowerOf(sentence, word))
  const masked = words.map((word) => (/\p{N}/u.test(word) || calendarWords.has(word) ? '#' : word))
  // Without any word, such as "???", the sentence itself is compared.
  const exact = `${words.length === 0 ? sentence : words.join(' ')}\u0002${fixed}`
  return {
    words,
    exact,
    // A capital may be a name, and names have no forms.
    forms: `${found.map((word, at) => (word.isCapital ? words[at] : word.term)).join(' ')}\u0002${fixed}`,
    template: masked.includes('#') ? `${masked.join(' ')}\u0002${markers.toSorted().join(' ')}` : null,
    isPersonal: words.some((word) => personalWords.has(word)),
    isDated: words.some((word) => datedWords.has(word)),
  }
}

/**
 * A word in lower case. Accents stay, because they distinguish words: "schon" is not "schön". So do the capitals of an identifier, such as
 * "aB3".
 */
function lowerOf(sentence: string, { start, end }: Word): string {
  const word = sentence.slice(start, end).normalize('NFKC').replaceAll('’', "'")
  return isIdentifier(word) ? word : word.toLowerCase()
}

/** It has letters and figures, or a capital after a small letter. */
function isIdentifier(word: string): boolean {
  if (/\p{L}/u.test(word) && /\p{N}/u.test(word)) return true
  const small = word.search(/\p{Ll}/u)
  return small >= 0 && /\p{Lu}/u.test(word.slice(small))
}

/** The share of words that two texts of the same forms have in common, place by place. */
export function sharedWords(a: ArrayLike<string | number>, b: ArrayLike<string | number>): number {
  if (a.length !== b.length) return 0
  let same = 0
  for (let at = 0; at < a.length; at++) if (a[at] === b[at]) same += 1
  return a.length === 0 ? 1 : same / a.length
}
