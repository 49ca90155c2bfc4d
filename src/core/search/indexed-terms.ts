import { limits } from '../limits.ts'
import type { QueryTerm, SearchQuery } from './query.ts'
import { utteranceOf } from './speaker.ts'

/**
 * The version of the rules by which terms and filter keys are made. Raise it with every change of them: a stored index is then
 * built again. A test compares what they give.
 */
export const termRules = 3

/** The terms of a stored text, in its order. Used for the index and for rows that are not indexed yet, so both give the same. */
export function indexedTerms(content: string): readonly string[] {
  const { terms } = utteranceOf({ content })
  for (let at = 0; at < terms.length; at++)
    if ((terms[at] as string).length > limits.searchTermCharactersMax) return terms.map(truncateTerm)
  return terms
}

/** Truncates a long term: the keys of an index have a maximum length. */
function truncateTerm(term: string): string {
  return term.length <= limits.searchTermCharactersMax
    ? term
    : term.slice(0, limits.searchTermCharactersMax).toWellFormed()
}

/** The terms and phrases of a query that are looked up in the index: limited in number, truncated like stored terms. */
export function lookupTerms({ terms, phrases }: SearchQuery): {
  readonly terms: readonly QueryTerm[]
  readonly phrases: readonly (readonly string[])[]
} {
  return {
    terms: terms.slice(0, limits.searchTermsMax).map((term) => ({ ...term, stem: truncateTerm(term.stem) })),
    phrases: phrases.map((phrase) => phrase.map(truncateTerm)),
  }
}

/** Whether a row has a query term, or a term with its prefix. */
export function hasTerm(terms: readonly string[], { stem, prefix }: QueryTerm): boolean {
  return prefix ? terms.some((term) => term.startsWith(stem)) : terms.includes(stem)
}

/** Whether the terms contain the phrase: adjacent and in the same order. */
export function hasPhrase(terms: readonly string[], phrase: readonly string[]): boolean {
  return terms.some((_, at) => phrase.every((term, offset) => terms[at + offset] === term))
}

/**
 * The key of a term in an index that many scopes share. It starts with the scope, so a posting list contains rows of one scope
 * only. Characters that an index treats as punctuation are escaped; letters and digits of any script stay.
 */
export function scopedTermKey(scope: string, term: string): string {
  return `${scope}x${term.replace(/[^a-z0-9\u0080-\u{10ffff}]/gu, (sign) => `z${sign.charCodeAt(0).toString(16)}z`)}`
}

/** The keys of several terms, with spaces between them. */
export function scopedTermKeys(scope: string, terms: readonly string[]): string {
  const keys = withPrefix(`${scope}x`, terms)
  // Most texts need no escapes: looking once is cheaper than escaping every term.
  return /[^a-z0-9 \u0080-\u{10ffff}]/u.test(keys) ? terms.map((term) => scopedTermKey(scope, term)).join(' ') : keys
}

/** The same for filter keys; they cannot collide with terms. */
export function scopedFilterKeys(scope: string, filterKeys: readonly string[]): string {
  return withPrefix(`${scope}y`, filterKeys)
}

export function scopedFilterKey(scope: string, filterKey: string): string {
  return `${scope}y${filterKey}`
}

function withPrefix(prefix: string, keys: readonly string[]): string {
  return keys.length === 0 ? '' : prefix + keys.join(` ${prefix}`)
}
