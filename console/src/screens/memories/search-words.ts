import type { SearchAnswer } from '../../../../src/client/index.ts'
import type { FeatureName } from '../../../../src/core/search/weights.ts'

export type Result = SearchAnswer['results'][number]
export type LeftOut = NonNullable<SearchAnswer['leftOut']>[number]

/** What each part of a score says about a memory. */
const partWords: Readonly<Record<FeatureName, string> & Record<string, string>> = {
  words: 'it has rare words of the query',
  coverage: 'it covers much of the query',
  scattered: 'the words are far apart in it',
  passage: 'one passage of it has much of the query',
  together: 'one passage of it has several of the words',
  pairs: 'the words are side by side',
  within6: 'the words are within six words',
  within12: 'the words are within twelve words',
  within20: 'the words are within twenty words',
  own: 'it has words of the query itself',
  start: 'it begins with words of the query',
  sessionBehind: 'other conversations match better',
  scoreBefore: 'compared with the message before it',
  scoreAfter: 'compared with the message after it',
  digits: 'it has digits',
  numberWords: 'it has numbers',
  timeWords: 'it has words of time',
  exactTimes: 'it names exact times',
  names: 'it has names',
  constant: 'the same for all of its kind',
  later: 'others match better',
  length: 'it is long',
  beside: 'the message next to it matches',
  answer: 'it follows a message that asks the same',
  session: 'its conversation is about the query',
  opening: 'it opens a conversation',
  speaker: 'the person that the query names said it',
  ownWords: 'that person said it about themselves',
  named: 'it begins with a name of the query',
  question: 'it is a question itself',
  date: 'it is from the date that the query names',
  time: 'it has a time',
  exactTime: 'it has an exact time',
  number: 'it has a number',
  place: 'it has a place',
  person: 'it has a person',
  similarity: 'its meaning is similar',
  similarityAround: 'the messages around it have a similar meaning',
  recency: 'it is recent',
}

export function wordsOfPart(name: string): string {
  return Object.hasOwn(partWords, name) ? (partWords[name] ?? name) : name
}

/** Parts below this change no order that a person would notice. */
const partMin = 0.01
const reasonsMax = 3

/** The parts of a score that matter, the largest first. */
export function partsOf({ parts = {} }: Pick<Result, 'parts'>): readonly (readonly [name: string, value: number])[] {
  return Object.entries(parts)
    .filter(([, value]) => Math.abs(value) >= partMin)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
}

/** "Found by “umbrella”: it covers much of the query. Ranked lower: it is a question itself." */
export function whyFound(result: Pick<Result, 'parts' | 'matched'>): string {
  const { matched = [] } = result
  const parts = partsOf(result).filter(([name]) => name !== 'constant')
  const because = parts.filter(([, value]) => value > 0).slice(0, reasonsMax)
  const against = parts.filter(([, value]) => value < 0).slice(0, reasonsMax)
  const terms = matched.length === 0 ? 'Found' : `Found by ${matched.map((term) => `“${term}”`).join(', ')}`
  const pro = because.length === 0 ? '' : `: ${because.map(([name]) => wordsOfPart(name)).join(', ')}`
  const con = against.length === 0 ? '' : ` Ranked lower: ${against.map(([name]) => wordsOfPart(name)).join(', ')}.`
  return `${terms}${pro}.${con}`
}

const leftOutWords: Readonly<Record<LeftOut['reason'], string>> = {
  below_relevance: 'Probably not about the query',
  below_trust: 'In quarantine: below the trust that this tenant reads',
  over_budget: 'Over the token budget',
}

export function wordsOfReason(reason: LeftOut['reason']): string {
  return leftOutWords[reason]
}
