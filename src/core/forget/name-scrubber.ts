import { refOfPerson } from '../people/spelling.ts'
import { mentionMatcher, wordPattern } from './mention-matcher.ts'

/** What replaces a forgotten name in a text. */
export const forgottenMark = '[FORGOTTEN]'

/** Shorter names occur in texts by chance, so they count only where they are the whole text. */
const wordCharactersMin = 3

/** Finds forgotten names in the texts of records: names of keys, reasons, config of workflows. */
export type NameScrubber = {
  /** Whether the text is a forgotten name. */
  readonly isName: (text: string) => boolean
  /** Whether the text is a forgotten name, or has one as a word. */
  readonly isNamed: (text: string) => boolean
  /** The text with a mark in place of each name. */
  readonly scrub: (text: string) => string
}

/**
 * Names of people count wherever they are a word.
 *
 * @example
 * nameScrubber(['ada']).scrub("Ada's laptop") // "[FORGOTTEN]'s laptop"
 */
export function nameScrubber(words: readonly string[]): NameScrubber {
  const whole = new Set(words.map((name) => name.normalize('NFC')))
  // The longest first: a name may be a part of another.
  const names = [...new Set(words)]
    .sort((a, b) => b.length - a.length)
    .filter((name) => name.length >= wordCharactersMin)
  const parts = names.map((name) => ({ mentions: mentionMatcher(name), pattern: wordPattern(name) }))
  const isName = (text: string) => whole.has(text.normalize('NFC'))
  const hasWord = (text: string) => {
    // The ref of another person, whose id may have the name as a part.
    if (refOfPerson.test(text) && !/\s/.test(text)) return false
    const rest = text.replaceAll(forgottenMark, ' ')
    return parts.some(({ mentions }) => mentions(rest))
  }
  const scrub = (text: string): string => {
    if (isName(text)) return forgottenMark
    if (!hasWord(text)) return text
    const kept = text
      .split(forgottenMark)
      .map((part) => parts.reduce((left, { pattern }) => left.normalize('NFC').replace(pattern, forgottenMark), part))
    const marked = kept.join(forgottenMark)
    // A spelling that only compatibility forms make equal: the name has no place in the text.
    return hasWord(marked) ? forgottenMark : marked
  }
  return { isName, isNamed: (text) => isName(text) || hasWord(text), scrub }
}

/** A copy of a JSON value with `change` applied to every string in it. */
export function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)]))
}
