import { type Steps, takeSteps } from '../steps.ts'
import { languages } from './languages/text-language.ts'
import type { QueryTerm, SearchQuery } from './query.ts'
import { termsOf } from './words.ts'

/** Names that mean the same person or thing, as one text says. */
export type AliasGroup = readonly string[]

/** Letters of one word of a name. Without a bound, letters without spaces would be read again from each capital among them. */
const lettersMax = 40
const name = `\\p{Lu}[\\p{L}\\p{M}'’.-]{0,${lettersMax}}(?: \\p{Lu}[\\p{L}\\p{M}'’-]{0,${lettersMax}}){0,2}`
const word = `\\p{Lu}[\\p{L}\\p{M}]{1,${lettersMax}}`
const quoted = '"[^"]+"'

type Patterns = {
  /** "Robert, called Bob" */
  readonly stated: RegExp
  /** "Bob (Robert Smith)" */
  readonly inBrackets: RegExp
}

/** "Robert "Bob" Smith": the nickname is written inside the name. */
const inside = new RegExp(`(${word}) ["“'‘](${word})["”'’] (\\p{Lu}[\\p{L}\\p{M}-]{1,${lettersMax}})`, 'gu')

/** The form in which the aliases of a subject are stored. */
const explicit = new RegExp(`^(.+) is also known as (${quoted}(?:, ${quoted})*)\\.$`, 'u')

let known: Patterns | null = null

function patterns(): Patterns {
  if (known !== null) return known
  const phrases = languages()
    .flatMap(({ aliasPhrases }) => aliasPhrases)
    .sort((a, b) => b.length - a.length)
    // A phrase with a comma needs it: "Anna called Bob" is about a telephone.
    .map((phrase) => (phrase.startsWith(',') ? phrase : `,? ${phrase}`).replaceAll('.', '\\.').replaceAll(' ', ' +'))
  const between = `(?:${phrases.join('|')}),? +["“'‘]?`
  known = {
    stated: new RegExp(`(${name})${between}(${name})`, 'gu'),
    inBrackets: new RegExp(`(${name}) \\((${name})\\)`, 'gu'),
  }
  return known
}

/**
 * The names that a text says to mean the same: in the form in which aliases are stored, by a phrase ("Robert, called Bob"), or in brackets, if one can be a
 * short form of the other ("Bob (Robert Smith)", but not "Paris (France)").
 */
export function aliasesIn(text: string): AliasGroup[] {
  const stored = explicit.exec(text)
  if (stored) return [[stored[1] ?? '', ...[...(stored[2] ?? '').matchAll(/"([^"]+)"/g)].map(([, one = '']) => one)]]
  const { stated, inBrackets } = patterns()
  return [
    ...[...text.matchAll(stated)].map(([, first = '', second = '']) => [first, second]),
    ...[...text.matchAll(inBrackets)].flatMap(([, first = '', second = '']) => {
      // A sentence may begin with another word: "Met Bob (Robert Smith)".
      const named = suffixesOf(first).find((one) => isShortForm(one, second) || isShortForm(second, one))
      return named === undefined ? [] : [[named, second]]
    }),
    ...[...text.matchAll(inside)].map(([, first = '', nick = '', last = '']) => [`${first} ${last}`, nick]),
  ]
}

/** The text in which the aliases of a subject are stored. */
export function aliasText(subject: string, aliases: readonly string[]): string {
  return `${subject} is also known as ${aliases.map((alias) => `"${alias}"`).join(', ')}.`
}

function suffixesOf(name: string): string[] {
  const words = name.split(' ')
  return words.map((_, at) => words.slice(at).join(' '))
}

function isShortForm(short: string, full: string): boolean {
  const [one = '', other = ''] = [short, full].map((each) => (each.split(' ')[0] ?? '').toLowerCase())
  return other.startsWith(one) || languages().some(({ nicknames }) => nicknames.get(one)?.includes(other))
}

/** The query with the other names of those that it has, as further forms of them. The same query if none of the texts says any. */
export function withAliases(...asked: Parameters<typeof aliasesInSteps>): SearchQuery {
  return takeSteps(aliasesInSteps(...asked))
}

/** The same in steps, one for each text. */
export function* aliasesInSteps(query: SearchQuery, texts: Iterable<string>): Steps<SearchQuery> {
  const own = new Map(query.terms.flatMap((term) => (term.related === undefined ? [[term.stem, term] as const] : [])))
  const capitals = new Set(query.words.flatMap(({ term, isCapital }) => (isCapital ? [term] : [])))
  const found = new Map<string, QueryTerm>()
  for (const text of texts) {
    yield
    for (const group of aliasesIn(text)) {
      const names = group.map(termsOf)
      // A whole name, or the given name of a longer one.
      const isAsked = (terms: readonly string[]) =>
        terms.length > 0 && (terms.every((term) => own.has(term)) || capitals.has(terms[0] ?? ''))
      const asked = names.find(isAsked)
      const to = asked?.find((term) => own.has(term))
      if (asked === undefined || to === undefined) continue
      for (const [at, stem] of names.filter((terms) => terms !== asked).flatMap((terms) => [...terms.entries()])) {
        if (own.has(stem) || found.has(stem)) continue
        // The given name stands for the person. What follows it is shared by others.
        found.set(stem, { stem, prefix: false, related: [{ to, closeness: 1, ...(at === 0 ? { kind: 'form' } : {}) }] })
      }
    }
  }
  if (found.size === 0) return query
  const before = query.terms.filter(({ stem }) => !found.has(stem))
  const related = before.findIndex((term) => term.related !== undefined)
  const at = related < 0 ? before.length : related
  return { ...query, terms: [...before.slice(0, at), ...found.values(), ...before.slice(at)] }
}

/** The words by which texts that give a person two names are found, in all languages. */
export function aliasWords(): string {
  const words = languages().flatMap(({ aliasPhrases, isStopWord }) =>
    aliasPhrases.flatMap((phrase) =>
      (phrase.match(/[\p{L}.]+/gu) ?? []).filter((word) => !isStopWord(word.toLowerCase())),
    ),
  )
  return [...new Set(words)].join(' ')
}

/** Whether a text may say that two names mean the same: cheaper than looking for them. */
export function mayHaveAliases(text: string): boolean {
  mention ??= new RegExp(
    `\\(\\p{Lu}|${word} ["“'‘]\\p{Lu}|\\b(?:${languages()
      .flatMap(({ aliasPhrases }) => aliasPhrases)
      .map((phrase) => phrase.replace(/^, /, '').replaceAll('.', '\\.'))
      .join('|')})`,
    'u',
  )
  return mention.test(text)
}

let mention: RegExp | null = null
