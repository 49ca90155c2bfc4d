import { limits } from '../../limits.ts'
import { stemOf as englishStemOf } from '../stem.ts'
import { stopWords as englishStopWords } from '../stop-words.ts'
import type { LanguageData } from './language-data.ts'

/** A language as search uses it. Words are plain: lower case, without accents. */
export type SearchLanguage = {
  readonly code: string
  readonly isStopWord: (plain: string) => boolean
  /** The stem of a word, the same for all its forms. */
  readonly stemOf: (plain: string) => string
  /** The stems of the parts of a compound word; none if it is not known as one. */
  readonly partsOf: (plain: string) => readonly string[]
  /** The terms by which its texts are recognised, as an English text would have them, and how much each says. */
  readonly markers: ReadonlyMap<string, number>
  readonly letters: RegExp | null
  readonly nicknames: ReadonlyMap<string, readonly string[]>
  readonly aliasPhrases: readonly string[]
}

/** Reads the data of a language. */
export function readLanguage(data: LanguageData): SearchLanguage {
  const isEnglish = data.endings === undefined
  const stopWords = isEnglish ? englishStopWords : new Set(wordsIn(data.stopWords))
  const ambiguous = new Set(wordsIn(data.ambiguous))
  const stemOf = isEnglish ? englishStemOf : stemmerOf(data)
  return {
    code: data.code,
    isStopWord: (plain) => stopWords.has(plain),
    stemOf,
    partsOf: splitterOf(data, stemOf),
    markers: new Map([...stopWords].map((word) => [englishStemOf(word), ambiguous.has(word) ? 1 : markerWeight])),
    letters: data.letters === undefined ? null : new RegExp(`[${data.letters}]`, 'iu'),
    nicknames: readNicknames(data.nicknames),
    aliasPhrases: groupsIn(data.aliasPhrases),
  }
}

/** The weight of a word that only one language has. A word that is also one of another language has the weight 1. */
export const markerWeight = 2

function wordsIn(text = ''): string[] {
  return text.split(/\s+/).filter(Boolean)
}

function groupsIn(text = ''): string[] {
  return text
    .split(';')
    .map((group) => group.trim())
    .filter(Boolean)
}

/** Letters without spaces, and no word: only the beginning of it is a term. Each end and each cut of it would be tried. */
function isTooLong(plain: string): boolean {
  return plain.length > limits.searchTermCharactersMax
}

function stemmerOf({ spellings, irregular, prefixes, endings = [], restMin = 3 }: LanguageData) {
  const pairs = groupsIn(spellings).map((pair) => {
    const [from = '', to = ''] = wordsIn(pair)
    // Two vowels that are written for one follow a consonant: "Haeuser", but "neue".
    return [new RegExp(/^[aeiou]/.test(from) ? `(?<![aeiouq])${from}` : from, 'g'), to] as const
  })
  const bases = new Map(
    groupsIn(irregular).flatMap((group) => {
      const [base = '', ...forms] = wordsIn(group)
      return forms.map((form) => [form, base] as const)
    }),
  )
  const starts = wordsIn(prefixes)
  const rounds = endings.map((round) => wordsIn(round).sort((a, b) => b.length - a.length))
  return (plain: string): string => {
    if (isTooLong(plain)) return plain
    let stem = plain
    for (const [from, to] of pairs) stem = stem.replace(from, to)
    if (!/^\p{L}+$/u.test(stem)) return stem
    stem = bases.get(stem) ?? stem
    const start = starts.find((prefix) => stem.startsWith(prefix) && stem.length - prefix.length > restMin)
    if (start !== undefined) stem = stem.slice(start.length)
    for (const round of rounds) {
      const ending = round.find((one) => stem.endsWith(one) && stem.length - one.length >= restMin)
      if (ending !== undefined) stem = stem.slice(0, -ending.length)
    }
    return stem
  }
}

/** Shorter words are rarely compounds, and shorter parts are found in words that are none. */
const compoundCharactersMin = 7
const partCharactersMin = 3
/** A part that no list has is accepted before a long known part, where parts are joined by letters: "Krankenversicherung". */
const unknownCharactersMin = 4
const knownBesideUnknownMin = 5

function splitterOf({ compounds }: LanguageData, stemOf: (plain: string) => string) {
  if (compounds === undefined) return () => []
  const parts = new Set(wordsIn(compounds.parts).map(stemOf))
  const links = ['', ...wordsIn(compounds.links)]
  const isKnown = (part: string) => part.length >= partCharactersMin && parts.has(stemOf(part))
  return (plain: string): readonly string[] => {
    if (plain.length < compoundCharactersMin || isTooLong(plain) || isKnown(plain)) return []
    let loose: readonly string[] = []
    for (let at = partCharactersMin; at <= plain.length - partCharactersMin; at++) {
      const [left, right] = [plain.slice(0, at), plain.slice(at)]
      if (!isKnown(right)) continue
      const bare = links.filter((link) => left.endsWith(link)).map((link) => left.slice(0, left.length - link.length))
      const known = bare.find(isKnown)
      if (known !== undefined) return [stemOf(known), stemOf(right)]
      const isLong = left.length >= unknownCharactersMin && right.length >= knownBesideUnknownMin
      if (links.length > 1 && isLong && loose.length === 0) loose = [stemOf(left), stemOf(right)]
    }
    return loose
  }
}

function readNicknames(text: string | undefined): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const group of groupsIn(text)) {
    const [full = '', ...short] = wordsIn(group)
    // A full name means its short forms, and each of them means the full name. Two short forms mean each other only by it.
    names.set(full, [...(names.get(full) ?? []), ...short])
    for (const name of short) names.set(name, [...(names.get(name) ?? []), full])
  }
  return names
}
