import type { AnswerType } from './query.ts'

/** Patterns that show whether a text may contain an answer of the expected type. English, like the question patterns. */

const unit = 'day|week|month|year|weekend|hour|minute|decade'
const weekday = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday'
const month = 'january|february|march|april|may|june|july|august|september|october|november|december'

const timeWords = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|since|morning|evening|afternoon|night|summer|winter|spring|fall|autumn|${unit}|${weekday}|${month}|(?:19|20)\\d\\d|\\d{1,2}(?:st|nd|rd|th))s?\\b`,
  'i',
)
const exactTime = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this) (?:night|morning|${unit}|${weekday}|summer|winter|spring|fall|autumn)|on (?:${weekday})|(?:a|an|one|two|three|four|five|six|seven|few|couple(?: of)?|\\d+) (?:${unit})s?|${month.replace('|may|', '|')}|(?:19|20)\\d\\d|\\d{1,2}(?:st|nd|rd|th)|the (?:other day|weekend))\\b`,
  'i',
)
const numbers =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|couple|once|twice|several|few|first|second|third|half|single|both)\b/i
const places = /\b(?:in|at|to|from|near|around)\s+(?:the\s+)?\p{Lu}/u
const people =
  /\b(?:friend|mother|mom|father|dad|sister|brother|wife|husband|son|daughter|kid|family|boss|colleague|teacher|partner|team|girlfriend|boyfriend)s?\b|[^.!?:\s]\s+\p{Lu}\p{Ll}{2,}/u
const self = /\b(?:i|i['’](?:m|ve|d|ll)|my|me|we|our)\b/i

const answers: Readonly<Record<AnswerType, RegExp>> = {
  time: timeWords,
  number: numbers,
  place: places,
  person: people,
}

/** Whether a text may contain an answer of the given type. */
export function hasAnswerOfType(type: AnswerType, text: string): boolean {
  return answers[type].test(text)
}

/** Whether a text names a specific time, and not only something about time. */
export function namesExactTime(text: string): boolean {
  return exactTime.test(text)
}

/** Whether the speaker of a text talks about themselves. */
export function isAboutSelf(text: string): boolean {
  return self.test(text)
}

/** A question mark further away does not end a text. The pattern begins again at each, so it does not get all of a long one. */
const endCharacters = 500

/** Whether a text ends with a question. A bracketed note after the question mark is ignored. */
export function isQuestion(text: string): boolean {
  // Most texts have no question mark at all; that is cheaper to check than the pattern.
  if (!text.includes('?') && !text.includes('？')) return false
  return /[?？]["'”’)\]\s]*(?:\[[^\]]*\]\s*)?$/u.test(text.slice(-endCharacters))
}
