import { termsOf, type Word, wordsOf } from '../words.ts'
import { markerWeight, readLanguage, type SearchLanguage } from './language.ts'
import { languageData } from './languages.ts'

/** Read on first use: a process that does not search needs none of it. */
let known: readonly SearchLanguage[] | null = null

/** All languages, English first. */
export function languages(): readonly SearchLanguage[] {
  known ??= languageData.map(readLanguage)
  return known
}

/** The weights of each marking term in the languages, in their order. */
let weights: ReadonlyMap<string, readonly number[]> | null = null

function weightsOf(): ReadonlyMap<string, readonly number[]> {
  if (weights !== null) return weights
  const all = languages()
  const known = new Map<string, readonly number[]>()
  for (const term of new Set(all.flatMap(({ markers }) => [...markers.keys()]))) {
    const own = all.map(({ markers }) => markers.get(term) ?? 0)
    // A word of English that another language names as ambiguous says as little about English.
    const isAmbiguous = own.includes(1)
    known.set(term, isAmbiguous ? own.map((weight) => Math.min(1, weight)) : own)
  }
  weights = known
  return known
}

const beyondAscii = /[^\0-\x7f]/

/** One word of another language in an English text is a name or a quotation. */
const foreignWeightMin = 3

/** The language of a text with these terms: the one whose small words it has most. Null if none has any, or two have as many. */
export function languageOf(text: string, terms: readonly string[]): SearchLanguage | null {
  const all = languages()
  const known = weightsOf()
  let sums: number[] | null = null
  for (let nth = 0; nth < terms.length; nth++) {
    const own = known.get(terms[nth] as string)
    if (own === undefined) continue
    sums ??= all.map(() => 0)
    for (let at = 0; at < own.length; at++) sums[at] = (sums[at] ?? 0) + (own[at] ?? 0)
  }
  // Most texts have none of these letters, and one look for any of them costs less than one for those of each language.
  const hasLetters = beyondAscii.test(text)
  if (sums === null && !hasLetters) return null
  sums ??= all.map(() => 0)
  if (hasLetters)
    for (const [at, { letters }] of all.entries()) if (letters?.test(text)) sums[at] = (sums[at] ?? 0) + markerWeight
  const most = Math.max(...sums)
  const at = sums.indexOf(most)
  const isUnclear = sums.lastIndexOf(most) !== at || most < (at === 0 ? 1 : foreignWeightMin)
  return isUnclear ? null : (all[at] ?? null)
}

/**
 * The terms of a stored text: those of its words, in order, and behind them, for a text in another language than English, the stems of that language
 * and the parts of its compound words.
 */
export function textTerms(text: string): readonly string[] {
  const terms = termsOf(text)
  const language = languageOf(text, terms)
  if (language === null || language === languages()[0]) return terms
  const found = new Set(terms)
  const own = found.size
  for (const word of wordsOf(text))
    if (isStemmed(word, language)) for (const stem of stemsOf(word, language)) found.add(stem)
  return [...terms, ...[...found].slice(own)]
}

function isStemmed({ kind, plain }: Word, language: SearchLanguage): boolean {
  return kind === 'word' && !language.isStopWord(plain)
}

/** The stem of a word in a language, and those of its parts. */
function stemsOf({ plain }: Pick<Word, 'plain'>, language: SearchLanguage): string[] {
  return [language.stemOf(plain), ...language.partsOf(plain)]
}
