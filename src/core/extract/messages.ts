import { correct, type Reading, type Sighting, toReading } from './candidates.ts'
import type { Finding, Language } from './language.ts'
import { readSentence } from './match.ts'
import { sentencesIn } from './prose.ts'
import type { Sentence } from './sentences.ts'

/** Reads sentences in some languages. */
type Reader = {
  readonly languages: readonly Language[]
  readonly read: (sentence: Sentence) => readonly Reading[]
}

type Message = {
  readonly content: string
  readonly index: number
  /** What the assistant asked right before. */
  readonly question: string | null
}

/** An answer is a few words; more is a statement of its own. */
const answerCharactersMax = 80
const rememberedMax = 5_000

/** Nothing shorter says anything by itself; it may still answer a question, or take something back. */
const isTiny = ({ text }: Sentence) => text.length < 6

/** The language of a sentence is the one whose rules find something in it. Who repeats themselves is read once. */
export function createReader(languages: readonly Language[]): Reader {
  const remembered = new Map<string, readonly Reading[]>()
  const read = (sentence: Sentence): readonly Reading[] => {
    const key = `${sentence.isQuestion ? '?' : ' '}${sentence.text}`
    const known = remembered.get(key)
    if (known !== undefined) return known
    const found = firstFound(languages, sentence).map(toReading)
    if (remembered.size < rememberedMax) remembered.set(key, found)
    return found
  }
  return { languages, read }
}

function firstFound(languages: readonly Language[], sentence: Sentence): readonly Finding[] {
  for (const language of languages) {
    const found = readSentence(language, sentence)
    if (found.length > 0) return found
  }
  return []
}

/** How many sentences are read before the caller may pause. */
const sentencesPerStep = 100

/** The sightings so far, with those of one more message. */
export function* readMessage(
  reader: Reader,
  before: readonly Sighting[],
  message: Message,
): Generator<void, readonly Sighting[]> {
  const { languages } = reader
  const sentences = sentencesIn(message.content, languages)
  if (sentences.some((sentence) => steers(languages, sentence))) return before
  let sightings = [...before]
  let beforeLast = sightings.length
  const lastWords = new Map<string, Reading>()
  for (const [place, sentence] of sentences.entries()) {
    if (place % sentencesPerStep === sentencesPerStep - 1) yield
    if (languages.some(({ takesBack }) => takesBack.test(sentence.text))) {
      sightings.length = Math.min(beforeLast, sightings.length)
      lastWords.clear()
      continue
    }
    beforeLast = sightings.length
    const stated = isTiny(sentence) ? [] : reader.read(sentence)
    for (const reading of stated) {
      // Said again, with nothing else about it in between.
      if (lastWords.get(reading.slot) === reading) continue
      lastWords.set(reading.slot, reading)
      sightings.push({ ...reading, messages: [message.index] })
    }
    if (stated.length > 0) continue
    sightings = readCorrection(languages, sightings, sentence, message.index) ?? sightings
    if (place === 0) sightings.push(...readAnswer(languages, sentence, message))
  }
  return sightings
}

function steers(languages: readonly Language[], sentence: Sentence): boolean {
  return !isTiny(sentence) && languages.some(({ steersAssistant }) => steersAssistant.test(sentence.text))
}

function readCorrection(
  languages: readonly Language[],
  sightings: readonly Sighting[],
  sentence: Sentence,
  index: number,
): Sighting[] | null {
  if (sentence.isQuestion || isTiny(sentence) || sightings.length === 0) return null
  for (const pattern of languages.flatMap(({ corrections }) => corrections)) {
    const { from, to } = pattern.exec(sentence.text)?.groups ?? {}
    if (from === undefined || to === undefined) continue
    const corrected = correct(sightings, from, to, index)
    if (corrected !== null) return corrected
  }
  return null
}

function readAnswer(languages: readonly Language[], sentence: Sentence, { question, index }: Message): Sighting[] {
  if (question === null || sentence.isQuestion || sentence.text.length > answerCharactersMax) return []
  for (const language of languages) {
    const statement = toStatement(language, question, sentence.text)
    if (statement === null) continue
    const found = readSentence(language, { text: statement, isQuestion: false })
    return found.map((finding) => ({ ...toReading(finding), messages: [index - 1, index] }))
  }
  return []
}

/** What an answer says when it is joined with its question. */
function toStatement(language: Language, question: string, text: string): string | null {
  const asked = language.normalise(question)
  const answer = language.readAnswer(language.normalise(text))
  if (answer === null) return null
  for (const { when, toStatement } of language.questions) {
    const match = when.exec(asked)
    const statement = match && toStatement(answer, ...match.slice(1).map((group) => group ?? ''))
    if (statement) return statement
  }
  return null
}
