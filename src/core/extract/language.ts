import type { Category } from '../provenance/category.ts'

/** One thing a sentence says, before it is known which message it stands in. */
export type Finding = {
  readonly content: string
  readonly category: Category
  readonly claimKey: string | null
  readonly importance: number
  readonly confidence: number
  /** What fills the slot: a later "not Bonn, Berlin" is understood by it. */
  readonly value: string
  /** It says that the value is not, or no longer, the slot's. */
  readonly isNegated: boolean
}

/** A pattern and what it means. Patterns are anchored, so that each is decided near the start of a text. */
export type Rule = {
  readonly when: RegExp
  /** Gets the groups of the match, '' for those that did not take part. Nothing means: not this after all. */
  readonly make: (...groups: string[]) => readonly Finding[]
}

/** What the assistant asked, and the statement that a short answer to it amounts to. */
export type Question = {
  readonly when: RegExp
  readonly toStatement: (answer: Answer, ...groups: string[]) => string | null
}

export type Answer = { readonly text: string; readonly isYes: boolean; readonly isNo: boolean }

export type Clause = { readonly text: string; readonly isHedged: boolean }

/** All that the engine knows about a language. */
export type Language = {
  readonly name: string
  /** Lower case, without the last dot. */
  readonly abbreviations: ReadonlySet<string>
  /** What may stand before a colon without being another speaker's name. */
  readonly ownLabels: RegExp
  /** Everything after it in the message is somebody else's text. */
  readonly othersTextBegins: RegExp
  /** Wants to change the assistant's rules: nothing in such a message is believed. */
  readonly steersAssistant: RegExp
  /** Sentences that state nothing: hypotheticals, reports of what others say. */
  readonly statesNothing: RegExp
  /** Takes back this sentence and the one before. */
  readonly takesBack: RegExp
  /** Spells out what is shortened or misspelled, so that rules see one spelling. */
  readonly normalise: (sentence: string) => string
  /** The parts of a sentence that are statements of their own, without the words that lead into them. */
  readonly clausesOf: (sentence: string, isQuestion: boolean) => readonly Clause[]
  /** Tried on the whole sentence; when one finds something, the sentence is not divided. */
  readonly sentenceRules: readonly Rule[]
  /** Tried on each clause, the first that finds something counts. */
  readonly clauseRules: readonly Rule[]
  /** Tried on the whole sentence when nothing else was found: what the user explicitly wants kept. */
  readonly lastResorts: readonly Rule[]
  /** What is said in passing ("my wife Anna"): all are tried, anywhere in the sentence. Their patterns are global. */
  readonly mentionRules: readonly Rule[]
  /** Each with the groups `from` and `to`. */
  readonly corrections: readonly RegExp[]
  readonly questions: readonly Question[]
  readonly readAnswer: (sentence: string) => Answer | null
  /** For contents shorter than a memory may be. */
  readonly lengthen: (content: string) => string
}

/** A statement that is only held likely by who makes it waits for a second sighting. */
export const hedgedConfidence = 0.55
