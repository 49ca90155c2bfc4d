import type { Category } from '../provenance/category.ts'

/** A statement that a rule found in a sentence. */
export type Finding = {
  readonly content: string
  readonly category: Category
  readonly claimKey: string | null
  readonly importance: number
  readonly confidence: number
  /** The value that fills the slot; a later correction ("not Bonn, Berlin") refers to it. */
  readonly value: string
  /** The statement says that the value does not, or no longer, fill the slot. */
  readonly isNegated: boolean
}

/** An extraction rule: a pattern, and the findings of a match. Patterns are anchored, so that most fail early. */
export type ExtractionRule = {
  readonly when: RegExp
  /** Gets the groups of the match, '' for groups that did not participate. An empty list means: no match after all. */
  readonly make: (...groups: string[]) => readonly Finding[]
}

/** A question of the assistant, and how a short answer to it becomes a statement. */
export type QuestionRule = {
  readonly when: RegExp
  readonly toStatement: (answer: ShortAnswer, ...groups: string[]) => string | null
}

/** A short answer to a question of the assistant. */
export type ShortAnswer = { readonly text: string; readonly isYes: boolean; readonly isNo: boolean }

/** A part of a sentence that is a statement of its own. `isHedged`: with words such as "maybe" or "I think". */
export type Clause = { readonly text: string; readonly isHedged: boolean }

/** The data of one language. The engine itself knows none. */
export type Language = {
  readonly name: string
  /** In lower case, without the final dot. */
  readonly abbreviations: ReadonlySet<string>
  /** Labels before a colon that are not the name of another speaker. */
  readonly ownLabels: RegExp
  /** The start of quoted or pasted text: the rest of the message was not written by the user. */
  readonly quotedTextStart: RegExp
  /** A prompt injection: a message that matches is ignored as a whole. */
  readonly promptInjection: RegExp
  /** Sentences that are not statements of the user: hypotheticals, reported speech. */
  readonly nonStatement: RegExp
  /** A retraction ("just kidding"): this sentence and the previous one are ignored. */
  readonly retraction: RegExp
  /** Expands contractions and corrects misspellings, so that rules need one spelling. */
  readonly normalise: (sentence: string) => string
  /** Splits a sentence into clauses, without introductory words. */
  readonly clausesOf: (sentence: string, isQuestion: boolean) => readonly Clause[]
  /** Tried on the whole sentence; when one matches, the sentence is not split into clauses. */
  readonly sentenceRules: readonly ExtractionRule[]
  /** Tried on each clause; the first match wins. */
  readonly clauseRules: readonly ExtractionRule[]
  /** Tried on the whole sentence when no other rule matched: explicit requests to remember something. */
  readonly fallbackRules: readonly ExtractionRule[]
  /** Incidental mentions ("my wife Anna"): all are tried, anywhere in the sentence. Their patterns are global. */
  readonly mentionRules: readonly ExtractionRule[]
  /** Patterns of corrections, each with the groups `from` and `to`. */
  readonly corrections: readonly RegExp[]
  readonly questions: readonly QuestionRule[]
  readonly readAnswer: (sentence: string) => ShortAnswer | null
  /** Expands a content that is shorter than `candidateCharactersMin`. */
  readonly lengthen: (content: string) => string
}

/** The confidence of a hedged statement. It is too low to be kept until a second source states the same. */
export const hedgedConfidence = 0.55
