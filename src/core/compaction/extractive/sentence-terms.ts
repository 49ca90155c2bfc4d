import { findMarkers } from '../../redaction/rules/marker.ts'

/** The terms of a sentence, with those that must not get lost or confused. */
export type SentenceTerms = {
  /** Lower-case words without stop words, each once. */
  readonly words: readonly string[]
  /** Numbers, dates, names and markers, each once. */
  readonly facts: readonly string[]
  readonly markers: readonly string[]
  /** The numbers, negations and markers of the sentence. Sentences that differ in these are never near-duplicates. */
  readonly distinction: string
}

const word = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’_@.:/+-]*[\p{L}\p{M}\p{N}]|[\p{L}\p{N}]/gu
const hasDigit = /\p{N}/u
/** With sign, unit and currency: 5 is not 5 %. */
const figure = /[-+−±~<>]?\p{Sc}?\p{N}[\p{N}.,:/-]*[%‰°]?\p{Sc}?/gu
const isCapital = /^\p{Lu}/u

const negations = new Set(
  'not no never none cannot without nor nicht kein keine keinen keinem keiner nie niemals ohne ne pas jamais sin nunca'.split(
    ' ',
  ),
)

/** Stop words of the languages in which most memories are written. */
const stopWords = new Set(
  `a an the and or but of to in on at for from by with as is are was were be been being has have had do does did it its this that
   these those he she they them his her their i me my we us our you your der die das und oder aber von zu im am für mit als ist sind
   war waren sein hat haben hatte es er sie ihr ihre ich mein wir uns unser ein eine einen einem einer dem den des le la les et ou de
   du des un une que qui el los las y o del`.split(/\s+/),
)

/** The redaction markers of a sentence, each once. */
export function markersOf(sentence: string): readonly string[] {
  return [...new Set(findMarkers(sentence).map(({ start, end }) => sentence.slice(start, end)))]
}

/** Extracts the terms of a sentence. */
export function sentenceTermsOf(sentence: string): SentenceTerms {
  const markers = markersOf(sentence)
  const plain = blankMarkers(sentence, markers)
  const found = [...plain.matchAll(word)]
  const words = new Set<string>()
  const facts = new Set<string>(markers)
  const decisive: string[] = [...markers, ...(plain.match(figure) ?? [])]
  for (const { 0: text, index } of found) {
    const lower = text.normalize('NFKC').toLowerCase()
    const isNumber = hasDigit.test(text)
    // A capital at the start of a sentence does not mark a name.
    const isName = !isNumber && index > 0 && isCapital.test(text) && !stopWords.has(lower)
    if (isNumber || isName) facts.add(lower)
    if (negations.has(lower) || lower.endsWith("n't") || lower.endsWith('n’t')) decisive.push(lower)
    if (!stopWords.has(lower)) words.add(lower)
  }
  const distinction = decisive.sort().join('\u0000')
  return { words: [...words], facts: [...facts], markers, distinction }
}

function blankMarkers(sentence: string, markers: readonly string[]): string {
  return markers.reduce((text, marker) => text.replaceAll(marker, ' '.repeat(marker.length)), sentence)
}

/** The key for exact duplicates: without case, spacing and outer punctuation. */
export function normalForm(sentence: string): string {
  return sentence
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Z}]+/gu, ' ')
    .replace(/^["'“”„«»(]+|["'“”»).!?…,;:。！？]+$/gu, '')
    .trim()
}
