/**
 * What search knows of a language: words only, so that a further language is one file of data and a line in `languages.ts`. All words are
 * in lower case and without accents, separated by spaces; groups are separated by `;`.
 */
export type LanguageData = {
  readonly code: string
  /** Words that say little about a text. Queries in this language drop them, and texts are recognised by them. */
  readonly stopWords: string
  /** Those of them that are also words of English: no text is recognised by them. */
  readonly ambiguous?: string
  /** Letters by which a text is recognised too. */
  readonly letters?: string
  /** Spellings of the same sound, as `from to`: texts of one person mix them. */
  readonly spellings?: string
  /** Forms that no rule reduces: the base form first. */
  readonly irregular?: string
  /** Beginnings of forms, such as that of a participle. */
  readonly prefixes?: string
  /** Rounds of endings: each round removes the longest of its endings, if at least `restMin` letters are left. */
  readonly endings?: readonly string[]
  readonly restMin?: number
  /** The parts of compound words, and the letters that join them. */
  readonly compounds?: { readonly parts: string; readonly links: string }
  /** Given names and their short forms: names of one group can mean the same person. */
  readonly nicknames?: string
  /** Phrases between two names of the same person: "Robert, called Bob". */
  readonly aliasPhrases?: string
}
