import { sentencesOf } from '../extract/sentences.ts'
import { limits } from '../limits.ts'
import { termsOf } from '../search/words.ts'
import { english } from './languages/english.ts'
import { german } from './languages/german.ts'
import { normaliseText } from './sentence-text.ts'

const languages = [english, german]
/** A statement of one word is true of too many texts. */
const termsMin = 2

/** The words that a statement is about, in their normal form; null for a statement that cannot be recognised again. */
export function statementTerms(statement: string): ReadonlySet<string> | null {
  if (languages.some(({ notAsserted }) => notAsserted.test(statement))) return null
  const terms = wordsOf(statement)
  return terms.size < termsMin ? null : terms
}

/** The words of a text, in their normal form. Takes linear time. Of a long text only the start is compared with statements. */
export function textTerms(text: string): ReadonlySet<string> {
  return wordsOf(comparedPart(text))
}

/** Whether a text with these words can assert a statement: a quick look that spares the sentences of almost every text. */
export function mayAssert(ofText: ReadonlySet<string>, terms: ReadonlySet<string>): boolean {
  for (const term of terms) if (!ofText.has(term)) return false
  return true
}

function comparedPart(text: string): string {
  return text.slice(0, limits.commitmentComparedCharactersMax).toWellFormed()
}

/** Whether a text asserts a statement: one of its sentences has all its words, and is no question, negation, condition or plan. */
export function asserts(text: string, terms: ReadonlySet<string>): boolean {
  // "Invoice: paid" is one statement.
  for (const line of comparedPart(text).split(/\n+/))
    for (const sentence of sentencesOf(normaliseText(line).replaceAll(/[:;] /g, ' '), [])) {
      if (sentence.isQuestion || languages.some(({ notAsserted }) => notAsserted.test(sentence.text))) continue
      const words = wordsOf(sentence.text)
      if (mayAssert(words, terms)) return true
    }
  return false
}

function wordsOf(text: string): Set<string> {
  const plain = text.toLowerCase().match(/[\p{L}\p{N}'’]+/gu) ?? []
  const kept = plain.filter((word) => !languages.some(({ smallWords }) => smallWords.has(word)))
  return new Set(termsOf(kept.join(' ')))
}
