import type { SearchLanguage } from './languages/language.ts'
import { languages } from './languages/text-language.ts'
import { stemOf } from './stem.ts'
import { stopWords } from './stop-words.ts'
import type { Word } from './words.ts'

/** A term that a text may have instead of a word of the query. */
export type OtherForm = {
  readonly stem: string
  readonly closeness: number
  /** `form`: the same word, as another form or language has it. `name`: a name that can mean the same person. */
  readonly kind?: 'form' | 'name'
}

/** A part of a compound word says less than the word. Most neighbouring words are no compound: with more weight, recall fell. */
const partCloseness = 0.6
const joinedCloseness = 0.5

/**
 * Other forms of a word of a query: its stem and parts in the language of the query, or in every language if that is unknown, and for a name its
 * short or full forms.
 */
export function formsOf(word: Word, language: SearchLanguage | null): OtherForm[] {
  if (word.kind !== 'word') return []
  const [english, ...others] = languages()
  const spoken = language === null ? others : language === english ? [] : [language]
  // A stem of a language that is only possible may be another word: "notes" is no form of "not".
  const known = language === null ? {} : { kind: 'form' as const }
  const forms = spoken
    .map((each): OtherForm => ({ stem: each.stemOf(word.plain), closeness: 1, ...known }))
    .filter(({ stem }) => !stopWords.has(stem))
  const split = language === null ? languages() : [language]
  const parts = split.flatMap((each) => each.partsOf(word.plain))
  const names = word.isCapital ? languages().flatMap(({ nicknames }) => nicknames.get(word.plain) ?? []) : []
  return [
    ...forms,
    ...parts.map((stem): OtherForm => ({ stem, closeness: partCloseness })),
    ...names.map((name): OtherForm => ({ stem: stemOf(name), closeness: 0.5, kind: 'name' })),
  ]
}

/** Two neighbouring words of a query as one: "tooth brush" is also "toothbrush". Null if they are no neighbours. */
export function joinedForm(text: string, first: Word, second: Word): OtherForm | null {
  const isPair = first.kind === 'word' && second.kind === 'word' && /^[ -]$/.test(text.slice(first.end, second.start))
  const isLong = first.plain.length >= 3 && second.plain.length >= 3
  if (!isPair || !isLong || !/^\p{L}+$/u.test(first.plain + second.plain)) return null
  return { stem: stemOf(first.plain + second.plain), closeness: joinedCloseness }
}
