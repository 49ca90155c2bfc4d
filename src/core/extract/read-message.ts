import type { Finding, Language } from './language.ts'
import { applyCorrection, type KeyedFinding, type LocatedFinding, toKeyedFinding } from './merge-findings.ts'
import { ownSentences } from './own-text.ts'
import { readSentence } from './read-sentence.ts'
import type { Sentence } from './sentences.ts'

/** Finds statements in sentences, in any of its languages. */
type SentenceReader = {
  readonly languages: readonly Language[]
  readonly read: (sentence: Sentence) => readonly KeyedFinding[]
}

type Message = {
  readonly content: string
  readonly index: number
  /** The question that the assistant asked directly before, if any. */
  readonly question: string | null
}

/** A longer text is not a short answer but a statement. */
const answerCharactersMax = 80
const cachedSentencesMax = 5_000

/** Too short to be a statement; it may still be an answer or a retraction. */
const isTiny = ({ text }: Sentence) => text.length < 6

/** The language of a sentence is the first whose rules match. Results are cached, because messages repeat sentences. */
export function createSentenceReader(languages: readonly Language[]): SentenceReader {
  const cache = new Map<string, readonly KeyedFinding[]>()
  const read = (sentence: Sentence): readonly KeyedFinding[] => {
    const key = `${sentence.isQuestion ? '?' : ' '}${sentence.text}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const found = firstFound(languages, sentence).map(toKeyedFinding)
    if (cache.size < cachedSentencesMax) cache.set(key, found)
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

/** The number of sentences between two yields. */
const sentencesPerStep = 100

/** Adds the findings of one more message. */
export function* readMessage(
  reader: SentenceReader,
  before: readonly LocatedFinding[],
  message: Message,
): Generator<void, readonly LocatedFinding[]> {
  const { languages } = reader
  const sentences = ownSentences(message.content, languages)
  if (sentences.some((sentence) => isPromptInjection(languages, sentence))) return before
  let findings = [...before]
  let beforeLast = findings.length
  const latestBySlot = new Map<string, KeyedFinding>()
  for (const [at, sentence] of sentences.entries()) {
    if (at % sentencesPerStep === sentencesPerStep - 1) yield
    if (languages.some(({ retraction }) => retraction.test(sentence.text))) {
      findings.length = Math.min(beforeLast, findings.length)
      latestBySlot.clear()
      continue
    }
    beforeLast = findings.length
    const stated = isTiny(sentence) ? [] : reader.read(sentence)
    for (const finding of stated) {
      // The same statement is repeated without another one for the slot in between.
      if (latestBySlot.get(finding.slot) === finding) continue
      latestBySlot.set(finding.slot, finding)
      findings.push({ ...finding, messages: [message.index] })
    }
    if (stated.length > 0) continue
    findings = readCorrection(languages, findings, sentence, message.index) ?? findings
    if (at === 0) findings.push(...readAnswer(languages, sentence, message))
  }
  return findings
}

function isPromptInjection(languages: readonly Language[], sentence: Sentence): boolean {
  return !isTiny(sentence) && languages.some(({ promptInjection }) => promptInjection.test(sentence.text))
}

function readCorrection(
  languages: readonly Language[],
  findings: readonly LocatedFinding[],
  sentence: Sentence,
  index: number,
): LocatedFinding[] | null {
  if (sentence.isQuestion || isTiny(sentence) || findings.length === 0) return null
  for (const pattern of languages.flatMap(({ corrections }) => corrections)) {
    const { from, to } = pattern.exec(sentence.text)?.groups ?? {}
    if (from === undefined || to === undefined) continue
    const corrected = applyCorrection(findings, from, to, index)
    if (corrected !== null) return corrected
  }
  return null
}

function readAnswer(
  languages: readonly Language[],
  sentence: Sentence,
  { question, index }: Message,
): LocatedFinding[] {
  if (question === null || sentence.isQuestion || sentence.text.length > answerCharactersMax) return []
  for (const language of languages) {
    const statement = toStatement(language, question, sentence.text)
    if (statement === null) continue
    const found = readSentence(language, { text: statement, isQuestion: false })
    return found.map((finding) => ({ ...toKeyedFinding(finding), messages: [index - 1, index] }))
  }
  return []
}

/** Combines a question and its short answer into a statement. */
function toStatement(language: Language, question: string, text: string): string | null {
  const normalised = language.normalise(question)
  const answer = language.readAnswer(language.normalise(text))
  if (answer === null) return null
  for (const { when, toStatement } of language.questions) {
    const match = when.exec(normalised)
    const statement = match && toStatement(answer, ...match.slice(1).map((group) => group ?? ''))
    if (statement) return statement
  }
  return null
}
