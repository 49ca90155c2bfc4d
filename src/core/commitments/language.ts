import type { DayExpression, TimeExpression } from './resolve-time.ts'

/** How a language writes a day or a time of day: the source of a pattern, and what its groups mean; null for no such day or time. */
export type WrittenTime<Expression> = {
  readonly pattern: string
  readonly read: (...groups: string[]) => Expression | null
}

/** The rules of one language, as data. Patterns are matched without regard to case. */
export type CommitmentLanguage = {
  readonly name: string
  /** Most texts have none of these words, and no rule is tried on them. */
  readonly trigger: RegExp
  /** A word of every reminder. */
  readonly reminderWord: RegExp
  /** A word of every condition, which has one of `trigger` too. */
  readonly conditionWord: RegExp
  /** Requests to be reminded, with the groups `lead` (before) and `rest` (after). */
  readonly reminders: readonly RegExp[]
  /** What may be between a request and its time, or before the request, and means nothing. */
  readonly fillers: RegExp
  /** How the rest goes on after the time: with what to be reminded of. */
  readonly afterTime: RegExp
  /** A rest that may have its time at its end; null if such a sentence is ambiguous in this language. */
  readonly timeAtEnd: RegExp | null
  /** A word before a time at the end that makes it a deadline, a repetition or vague. */
  readonly vagueBefore: RegExp
  readonly days: readonly WrittenTime<DayExpression>[]
  readonly times: readonly WrittenTime<TimeExpression>[]
  /** "When something is so, do something", with the groups `statement` and `action`. */
  readonly conditions: readonly RegExp[]
  /** Words of a statement that do not count: articles, pronouns, auxiliaries. */
  readonly smallWords: ReadonlySet<string>
  /** A sentence that does not assert what it says: negated, a condition, an intention, a question. */
  readonly notAsserted: RegExp
}
