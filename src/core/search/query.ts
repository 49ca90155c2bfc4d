import { relatedTermsOf } from './query-expansion.ts'
import { stopWords } from './stop-words.ts'
import { termsOf, type Word, wordsOf } from './words.ts'

/** One term that a query looks up. */
export type QueryTerm = {
  readonly stem: string
  /** Whether any term with this prefix matches. */
  readonly prefix: boolean
  /** Set for a term from query expansion: the query terms it is related to, and how closely. */
  readonly related?: readonly { readonly to: string; readonly closeness: number }[]
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
  const kept = words.filter(({ plain, kind }) => kind !== 'word' || !stopWords.has(plain))
  const own = ownTerms(text, dropLastOfRun(kept.length > 0 ? kept : words))
  const related = kept.length > 0 ? expand(own) : []
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

/** Query expansion: terms related to those of the query, closest first. */
function expand(terms: readonly QueryTerm[]): QueryTerm[] {
  const own = new Set(terms.map(({ stem }) => stem))
  const found = new Map<string, { to: string; closeness: number }[]>()
  for (const { stem: to, prefix } of terms) {
    for (const { stem, closeness } of prefix ? [] : relatedTermsOf(to)) {
      if (!own.has(stem)) found.set(stem, [...(found.get(stem) ?? []), { to, closeness }])
    }
  }
  const related = [...found].map(([stem, to]): QueryTerm => ({ stem, prefix: false, related: to }))
  return related.sort((a, b) => closenessOf(b) - closenessOf(a))
}

/** How closely a term is related to a term of the query, from 0 to 1; 1 for a term of the query itself. */
export function closenessOf({ related }: QueryTerm): number {
  return related === undefined ? 1 : Math.max(...related.map(({ closeness }) => closeness))
}

/** Whether a query is a question and not a list of keywords: an answer may paraphrase what a question quotes. */
function isPhrasedAsQuestion(text: string): boolean {
  return /[?？]\s*$/.test(text) || /^\s*(?:who|whom|whose|what|which|when|where|why|how)\b/i.test(text)
}

function phrasesOf(text: string): string[][] {
  return [...text.matchAll(/["“]([^"“”]+)["”]/g)]
    .map(([, inside = '']) => termsOf(inside))
    .filter((terms) => terms.length > 0)
}

const answerTypePatterns: readonly (readonly [AnswerType, RegExp])[] = [
  [
    'time',
    /^\W*(?:when|since when|how long|(?:in|on|at|during|by|around|for)?\s*(?:which|what) (?:year|month|day|date|week|weekend|season|time|age))\b/i,
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
