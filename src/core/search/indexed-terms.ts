import { limits } from '../limits.ts'
import type { QueryTerm, SearchQuery } from './query.ts'
import { utteranceOf } from './speaker.ts'

/** The terms a stored text is found by, in its order. The one place that says so, for indexes and for what is not indexed yet. */
export function indexedTerms(content: string): string[] {
  return utteranceOf({ content }).terms.map(fit)
}

/** Terms as they are stored, in one text. No term has a space in it. */
export function joinTerms(terms: readonly string[]): string {
  return terms.join(' ')
}

export function toTerms(joined: string): string[] {
  return joined === '' ? [] : joined.split(' ')
}

/** A term longer than this is found by its beginning: no index takes keys of any length. */
function fit(term: string): string {
  return term.length <= limits.searchTermCharactersMax
    ? term
    : term.slice(0, limits.searchTermCharactersMax).toWellFormed()
}

/** What of a query is looked up. */
export function lookUpOf({ terms, phrases }: SearchQuery): {
  readonly terms: readonly QueryTerm[]
  readonly phrases: readonly (readonly string[])[]
} {
  return {
    terms: terms.slice(0, limits.searchTermsMax).map((term) => ({ ...term, stem: fit(term.stem) })),
    phrases: phrases.map((phrase) => phrase.map(fit)),
  }
}

export function hasTerm(terms: readonly string[], { stem, prefix }: QueryTerm): boolean {
  return prefix ? terms.some((term) => term.startsWith(stem)) : terms.includes(stem)
}

/** Whether the phrase stands in the terms, side by side and in its order. */
export function hasPhrase(terms: readonly string[], phrase: readonly string[]): boolean {
  return terms.some((_, at) => phrase.every((term, offset) => terms[at + offset] === term))
}

/**
 * Terms as keys of an index that many scopes share: each begins with its scope, so the list of a key holds that scope
 * and nothing else. What an index would take for punctuation is spelled out; letters and digits of any script stay.
 */
export function scopedKey(scope: string, term: string): string {
  return `${scope}x${term.replace(/[^a-z0-9\u0080-\u{10ffff}]/gu, (sign) => `z${sign.charCodeAt(0).toString(16)}z`)}`
}

/** The same for marks, which cannot be taken for terms. */
export function scopedMark(scope: string, mark: string): string {
  return `${scope}y${mark}`
}
