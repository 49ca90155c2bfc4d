import { limits } from '../limits.ts'
import { irregularForms } from './irregular-forms.ts'

/**
 * The stem of a lower-case English word: forms of one word have the same stem ("adopting", "adopted", "adoption"). Irregular
 * forms come first ("went" is "go"), then the English Snowball stemmer (Porter2), from its published description. Numbers and
 * words of other languages are mostly unchanged; texts and queries only have to agree. A word longer than a term can be stays as it is.
 */
export function stemOf(word: string): string {
  if (word.length > limits.searchTermCharactersMax) return word
  const base = irregularForms.get(word) ?? word
  if (base.length < 3 || !/^[a-z']+$/.test(base)) return base
  const known = stems.get(base)
  if (known !== undefined) return known
  const stem = wholeWords.get(base) ?? porter2(base)
  if (stems.size >= stemsMax) stems.clear()
  if (base.length <= stemmedCharactersMax) stems.set(base, stem)
  return stem
}

/** A cache: texts repeat a few thousand words. Longer words are often unique and are not cached. */
const stems = new Map<string, string>()
const stemsMax = 20_000
const stemmedCharactersMax = 16

const wholeWords: ReadonlyMap<string, string> = new Map([
  ...Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
  }),
  ...Object.entries({ ugly: 'ugli', early: 'earli', only: 'onli', singly: 'singl' }),
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word] as const),
])
const wholeAfterPlural = new Set('inning outing canning herring earring proceed exceed succeed'.split(' '))

function porter2(input: string): string {
  const word = markConsonantY(input.replace(/^'/, ''))
  const [r1, r2] = regionsOf(word)
  const regions: Regions = { r1, r2 }
  let stem = word.replace(/'s?'?$/, '')
  stem = withoutPlural(stem)
  if (wholeAfterPlural.has(stem)) return stem
  stem = withoutPast(stem, regions)
  if (stem.length > 2 && /[yY]$/.test(stem) && /[^aeiouy]$/.test(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`
  stem = replaceLongest(stem, steps2, r1)
  stem = replaceLongest(stem, steps3, r1, r2)
  stem = withoutEnding(stem, r2)
  return withoutFinal(stem, regions).toLowerCase()
}

type Regions = { readonly r1: number; readonly r2: number }

/** A y at the start or after a vowel is a consonant; it is written Y. */
function markConsonantY(word: string): string {
  return word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y')
}

/** R1 begins after the first consonant that follows a vowel; R2 is the same within R1. */
function regionsOf(word: string): [number, number] {
  const prefix = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/.exec(word)
  const r1 = prefix ? prefix[0].length : after(word, 0)
  return [r1, after(word, r1)]
}

function after(word: string, from: number): number {
  const found = /[aeiouy][^aeiouy]/.exec(word.slice(from))
  return found ? from + found.index + 2 : word.length
}

function isShortSyllableAtEnd(stem: string): boolean {
  return /[^aeiouy][aeiouy][^aeiouywxY]$/.test(stem) || /^[aeiouy][^aeiouy]$/.test(stem) || stem === 'past'
}

function withoutPlural(stem: string): string {
  if (stem.endsWith('sses')) return stem.slice(0, -2)
  if (/ie[ds]$/.test(stem)) return stem.length > 4 ? stem.slice(0, -2) : stem.slice(0, -1)
  if (/(?:us|ss)$/.test(stem)) return stem
  return stem.endsWith('s') && /[aeiouy]/.test(stem.slice(0, -2)) ? stem.slice(0, -1) : stem
}

function withoutPast(stem: string, { r1 }: Regions): string {
  const agreed = /eed(?:ly)?$/.exec(stem)
  if (agreed) return agreed.index >= r1 ? `${stem.slice(0, agreed.index)}ee` : stem
  const ending = /(?:ingly|edly|ing|ed)$/.exec(stem)
  if (!ending) return stem
  const rest = stem.slice(0, ending.index)
  if (!/[aeiouy]/.test(rest)) return stem
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return /^[aeo](.)\1$/.test(rest) ? rest : rest.slice(0, -1)
  return r1 >= rest.length && isShortSyllableAtEnd(rest) ? `${rest}e` : rest
}

type Step = readonly [ending: string, replacement: string, when?: RegExp | 'r2']

const steps2: readonly Step[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['ogist', 'og'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og', /l$/],
  ['li', '', /[cdeghkmnrt]$/],
]

const steps3: readonly Step[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', '', 'r2'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]

/** Only the longest matching suffix is considered, even when it is outside its region. */
function replaceLongest(stem: string, steps: readonly Step[], r1: number, r2 = 0): string {
  const step = steps.find(([ending]) => stem.endsWith(ending))
  if (!step) return stem
  const [ending, replacement, when] = step
  const rest = stem.slice(0, -ending.length)
  if (rest.length < r1) return stem
  if (when === 'r2' && rest.length < r2) return stem
  if (when instanceof RegExp && !when.test(rest)) return stem
  return rest + replacement
}

const endings = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|(?<=[st])ion|(?<![st])ion)$/

function withoutEnding(stem: string, r2: number): string {
  const found = endings.exec(stem)
  if (!found || found.index < r2) return stem
  if (found[0] === 'ion' && !/[st]ion$/.test(stem)) return stem
  return stem.slice(0, found.index)
}

function withoutFinal(stem: string, { r1, r2 }: Regions): string {
  const rest = stem.slice(0, -1)
  if (stem.endsWith('e')) return rest.length >= r2 || (rest.length >= r1 && !isShortSyllableAtEnd(rest)) ? rest : stem
  return stem.endsWith('ll') && rest.length >= r2 ? rest : stem
}
