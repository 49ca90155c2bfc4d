import { placedSentences } from '../extract/sentences.ts'
import { limits } from '../limits.ts'
import { withoutHarnessText } from '../provenance/harness-text.ts'
import type { CommitmentLanguage, WrittenTime } from './language.ts'
import { english } from './languages/english.ts'
import { german } from './languages/german.ts'
import { type DayExpression, resolveTime, type TimeExpression } from './resolve-time.ts'
import { normaliseText } from './sentence-text.ts'
import { statementTerms } from './statement.ts'

/** What a sentence of an entry commits the host to. */
export type InferredCommitment = {
  /** The rule that found it, such as `en.reminder`. */
  readonly rule: string
  /** The sentence, as `normaliseText` writes it. */
  readonly sentence: string
} & InferredCondition

export type InferredCondition =
  | { readonly kind: 'time'; readonly dueAt: number }
  | { readonly kind: 'predicate'; readonly statement: string }

/** When the entry was said, and the time zone of its tenant. */
export type SpokenAt = { readonly spokenAt: number; readonly timezone: string }

const languages = [english, german]
const speakerLabel = /^[\p{L}\p{N}._-]{1,40}$/u
const speakerCharactersMax = 40

/** Whether a text has words that a rule needs. Takes linear time: it is asked in every commit, and the rules are not. */
export function mayHaveCommitments(text: string): boolean {
  return languages.some(({ trigger, reminderWord, conditionWord }) => {
    return reminderWord.test(text) || (conditionWord.test(text) && trigger.test(text))
  })
}

/**
 * The commitments in a text, in its order. Only sentences that ask for something at one clear time, or after one clear event; where two
 * readings are possible, nothing is inferred. Of the sentences that have words of a rule, `commitmentSentencesPerEntryMax` are examined.
 */
export function inferCommitments(text: string, spoken: SpokenAt): InferredCommitment[] {
  return [...examineSentences(text, spoken)].filter((found) => found !== null)
}

/** The same, one sentence at a time, so that the caller can pause: null for a sentence that commits to nothing. */
export function* examineSentences(text: string, spoken: SpokenAt): Generator<InferredCommitment | null> {
  if (!mayHaveCommitments(text)) return
  const known = new Set<string>()
  for (const line of withoutHarnessText(text).split(/\n+/)) {
    const normal = normaliseText(line).trim()
    for (const { text: sentence, isQuestion, from } of placedSentences(normal, [])) {
      if (!mayHaveCommitments(sentence) || known.has(sentence) || !isOwnSpeech(normal, from)) continue
      if (known.size >= limits.commitmentSentencesPerEntryMax) return
      known.add(sentence)
      yield readSentence(sentence, isQuestion, spoken)
    }
  }
}

/** What follows a colon is quoted, unless the colon ends the name of the speaker. */
function isOwnSpeech(line: string, from: number): boolean {
  const colon = line[from - 1] === ' ' ? from - 2 : from - 1
  if (line[colon] !== ':') return true
  return colon <= speakerCharactersMax && speakerLabel.test(line.slice(0, colon))
}

function readSentence(sentence: string, isQuestion: boolean, spoken: SpokenAt): InferredCommitment | null {
  for (const language of languages) {
    const dueAt = readReminder(sentence, language, spoken)
    if (dueAt !== null) return { kind: 'time', dueAt, rule: `${language.name}.reminder`, sentence }
    const statement = isQuestion ? null : readCondition(sentence, language)
    if (statement !== null) return { kind: 'predicate', statement, rule: `${language.name}.condition`, sentence }
  }
  return null
}

function readCondition(sentence: string, { conditions }: CommitmentLanguage): string | null {
  for (const condition of conditions) {
    const statement = condition.exec(sentence)?.groups?.statement?.trim()
    if (statement !== undefined) return statementTerms(statement) === null ? null : statement
  }
  return null
}

type Times = { readonly day: DayExpression | null; readonly time: TimeExpression | null; readonly isInvalid: boolean }

const noTimes: Times = { day: null, time: null, isInvalid: false }

function readReminder(sentence: string, language: CommitmentLanguage, spoken: SpokenAt): number | null {
  for (const reminder of language.reminders) {
    const groups = reminder.exec(sentence)?.groups
    if (groups === undefined) continue
    const times = timesOfReminder(groups.lead ?? '', groups.rest ?? '', language)
    if (times === null || times.isInvalid || (times.day === null && times.time === null)) return null
    return resolveTime(times.day, times.time, spoken.spokenAt, spoken.timezone)
  }
  return null
}

/** The time of a reminder: before it, right after it, or at the end. Null if there is none, or more than one. */
function timesOfReminder(lead: string, rest: string, language: CommitmentLanguage): Times | null {
  const before = takeTimes(lead.trim(), language, 'start')
  if (!language.fillers.test(before.left)) return null
  const after = takeTimes(rest.trim(), language, 'start')
  const given = [before, after].filter(({ times }) => times !== noTimes)
  if (given.length > 1) return null
  const [only] = given
  if (only !== undefined) return language.afterTime.test(after.left) ? only.times : null
  if (language.timeAtEnd === null || !language.timeAtEnd.test(rest)) return null
  const atEnd = takeTimes(rest.trim(), language, 'end')
  const isVague = language.vagueBefore.test(atEnd.left)
  // Another day in the rest may be the one that is meant.
  return atEnd.times === noTimes || isVague || hasDay(atEnd.left, language) ? null : atEnd.times
}

function hasDay(text: string, { days }: CommitmentLanguage): boolean {
  return days.some(({ pattern }) => patternOf(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`).test(text))
}

/** Patterns of the languages, by their source: to compile one takes longer than to match it. */
const compiled = new Map<string, RegExp>()

function patternOf(source: string): RegExp {
  const known = compiled.get(source) ?? new RegExp(source, 'iu')
  compiled.set(source, known)
  return known
}

/** Takes a day and a time of day, in any order, from the start or the end of a text. */
function takeTimes(
  text: string,
  { days, times, fillers }: CommitmentLanguage,
  from: 'start' | 'end',
): { readonly times: Times; readonly left: string } {
  let left = text
  let taken = noTimes
  for (;;) {
    const day = taken.day === null ? takeOne(left, days, fillers, from) : null
    const time = day === null && taken.time === null ? takeOne(left, times, fillers, from) : null
    const next = day ?? time
    if (next === null) return { times: taken, left }
    left = next.left
    const isInvalid = taken.isInvalid || next.value === null
    taken = day === null ? { ...taken, time: time?.value ?? null, isInvalid } : { ...taken, day: day.value, isInvalid }
  }
}

function takeOne<T>(
  text: string,
  written: readonly WrittenTime<T>[],
  fillers: RegExp,
  from: 'start' | 'end',
): { readonly value: T | null; readonly left: string } | null {
  // Of two that match, such as "tomorrow" and "the day after tomorrow", the longer one.
  let best: { readonly value: T | null; readonly left: string } | null = null
  for (const { pattern, read } of written) {
    const whole =
      from === 'start'
        ? patternOf(`^(?<before>.*?)(?:${pattern})(?![\\p{L}\\p{N}])`)
        : patternOf(`(?<![\\p{L}\\p{N}])(?:${pattern})\\s*$`)
    const match = whole.exec(text)
    if (match === null) continue
    const [found, ...all] = match
    const groups = (from === 'start' ? all.slice(1) : all).map((group) => group ?? '')
    if (from === 'start' && !fillers.test(match.groups?.before ?? '')) continue
    const left = from === 'start' ? text.slice(found.length).trimStart() : text.slice(0, match.index).trimEnd()
    if (best === null || left.length < best.left.length) best = { value: read(...groups), left }
  }
  return best
}
