import type { SearchLanguage } from './languages/language.ts'
import { languageOf } from './languages/text-language.ts'
import { relatedTermsOf } from './query-expansion.ts'
import { stopWords } from './stop-words.ts'
import { formsOf, joinedForm, type OtherForm } from './word-forms.ts'
import { termsOf, type Word, wordsOf } from './words.ts'

/** How a term is related to a term of the query. */
export type TermRelation = Pick<OtherForm, 'closeness' | 'kind'> & { readonly to: string }

/** One term that a query looks up. */
export type QueryTerm = {
  readonly stem: string
  /** Whether any term with this prefix matches. */
  readonly prefix: boolean
  /** Set for a term from query expansion: the query terms it is related to, and how closely. */
  readonly related?: readonly TermRelation[]
}

/** The answer type that a question expects, as in question answering. */
export type AnswerType = 'time' | 'number' | 'place' | 'person'

/** A parsed query: the terms to look up, and what the ranking needs. Apart from quotes and `*`, there is no query syntax. */
export type SearchQuery = {
  readonly text: string
  /**
   * The terms to look up, without duplicates: first those of the query, then related terms, closest first. Stop words are
   * left out unless the query has nothing else.
   */
  readonly terms: readonly QueryTerm[]
  /**
   * The quoted phrases, as terms: a result must contain each phrase, adjacent and in order. Empty for a question, where
   * quotes mark a title.
   */
  readonly phrases: readonly (readonly string[])[]
  readonly answerTypes: ReadonlySet<AnswerType>
  /** Every word of the query, in order, stop words included. */
  readonly words: readonly Word[]
}

/**
 * Parses the text of a query.
 *
 * @example
 * parseQuery('When did Ana go climbing?').terms[0] // { stem: 'ana', prefix: false }
 */
export function parseQuery(text: string): SearchQuery {
  const words = wordsOf(text)
  const language = languageOf(
    text,
    words.map(({ term }) => term),
  )
  const isStopWord = (plain: string) => stopWords.has(plain) || (language?.isStopWord(plain) ?? false)
  const kept = words.filter(({ plain, kind }) => kind !== 'word' || !isStopWord(plain))
  const own = ownTerms(text, dropLastOfRun(kept.length > 0 ? kept : words))
  const related = kept.length > 0 ? expand(text, own, kept, language) : []
  return {
    text,
    terms: [...own, ...related],
    phrases: isPhrasedAsQuestion(text) ? [] : phrasesOf(text),
    answerTypes: answerTypesOf(text),
    words,
  }
}

function ownTerms(text: string, words: readonly Word[]): QueryTerm[] {
  const terms = new Map<string, QueryTerm>()
  for (const word of words) {
    const prefix = text[word.end] === '*' || (word.kind === 'bigram' && [...word.term].length === 1)
    const stem = prefix && !word.plain.startsWith(word.term) ? word.plain : word.term
    if (!terms.has(stem) || prefix) terms.set(stem, { stem, prefix })
  }
  return [...terms.values()]
}

/** The query "黒猫" looks up the bigram, and not the second character alone. */
function dropLastOfRun(words: readonly Word[]): Word[] {
  return words.filter((word, index) => {
    const before = words[index - 1]
    const isTail = word.kind === 'bigram' && [...word.term].length === 1 && before?.kind === 'bigram'
    return !(isTail && before.end === word.end)
  })
}

/** Query expansion: other forms of the words of the query, and terms related to them, closest first. */
function expand(
  text: string,
  terms: readonly QueryTerm[],
  words: readonly Word[],
  language: SearchLanguage | null,
): QueryTerm[] {
  const own = new Map(terms.map((term) => [term.stem, term]))
  const found = new Map<string, TermRelation[]>()
  const relate = (to: string, { stem, ...relation }: OtherForm) => {
    if (own.get(to)?.prefix !== false || own.has(stem)) return
    const known = found.get(stem) ?? []
    if (known.every((other) => other.to !== to)) found.set(stem, [...known, { to, ...relation }])
  }
  for (const [at, word] of words.entries()) {
    for (const form of formsOf(word, language)) relate(word.term, form)
    const next = words[at + 1]
    const joined = next && joinedForm(text, word, next)
    if (joined) for (const part of [word, next]) relate(part.term, joined)
  }
  for (const { stem } of terms) for (const related of relatedTermsOf(stem)) relate(stem, related)
  const related = [...found].map(([stem, to]): QueryTerm => ({ stem, prefix: false, related: to }))
  return related.sort((a, b) => closenessOf(b) - closenessOf(a))
}

/** How closely a term is related to a term of the query, from 0 to 1; 1 for a term of the query itself. */
export function closenessOf({ related }: QueryTerm): number {
  return related === undefined ? 1 : Math.max(...related.map(({ closeness }) => closeness))
}

/** Whether a query is a question and not a list of keywords: an answer may paraphrase what a question quotes. */
function isPhrasedAsQuestion(text: string): boolean {
  return /[?？]$/.test(text.trimEnd()) || /^\s*(?:who|whom|whose|what|which|when|where|why|how)\b/i.test(text)
}

function phrasesOf(text: string): string[][] {
  return [...text.matchAll(/["“]([^"“”]+)["”]/g)]
    .map(([, inside = '']) => termsOf(inside))
    .filter((terms) => terms.length > 0)
}

const answerTypePatterns: readonly (readonly [AnswerType, RegExp])[] = [
  [
    'time',
    /^\W*(?:when|since when|how long|(?:(?:in|on|at|during|by|around|for)\s*)?(?:which|what) (?:year|month|day|date|week|weekend|season|time|age))\b/i,
  ],
  [
    'number',
    /\bhow (?:many|much|old|often|far|tall|big|long|large|heavy)\b|\bwhat (?:number|age|price|amount|score)\b/i,
  ],
  ['place', /\bwhere\b|\b(?:which|what) (?:city|country|state|town|place|places|location|countries|cities|areas?)\b/i],
  ['person', /\b(?:who|whom|whose)\b/i],
]

function answerTypesOf(text: string): ReadonlySet<AnswerType> {
  return new Set(answerTypePatterns.filter(([, pattern]) => pattern.test(text)).map(([type]) => type))
}
