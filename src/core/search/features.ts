import { hasAnswerOfType, isAboutSelf, isQuestion, namesExactTime } from './answer-types.ts'
import type { SearchCandidate, SearchRow } from './candidate.ts'
import { scoreContext } from './context-scores.ts'
import {
  bestPassage,
  frequenciesBetween,
  longMessageTerms,
  matchedShare,
  passageScores,
  passageTerms,
} from './passages.ts'
import type { AnswerType, SearchQuery } from './query.ts'
import { dateScore, queryDateOf } from './query-date.ts'
import { queryNames } from './query-names.ts'
import { type Similarities, similarityScores } from './similarity.ts'
import { type TermWeights, termFrequencies, termMatches } from './term-weights.ts'
import { type FeatureName, weights } from './weights.ts'
import type { Word } from './words.ts'

/** The features of one candidate by name; `weights.ts` has the weight of each. */
export type Features = Readonly<Record<FeatureName, number>>

/**
 * Reads the features of candidates, before they are weighted: of the one at a place. All are read into the same object, and each reading changes it:
 * most candidates are only scored, and objects for each would be most of the garbage of a search.
 */
export function createFeatureReader(
  query: SearchQuery,
  index: TermWeights,
  subject: string | null,
  candidates: readonly SearchCandidate[],
  similarities?: Similarities,
): (at: number) => Features {
  const sessions = sessionScores(index, candidates)
  const date = queryDateOf(query.text)
  const similar = similarityScores(similarities, candidates)
  // Names of speakers are not in the index: they begin most messages.
  const names = queryNames(query).filter(
    ({ term, start, end }) => index.slots.has(term) && !emphasised.test(query.text.slice(start, end)),
  )
  const answers = (type: AnswerType, text: string) =>
    query.answerTypes.has(type) && hasAnswerOfType(type, text) ? 1 : 0
  const into = Object.fromEntries(Object.keys(weights).map((name) => [name, 0])) as Record<FeatureName, number>
  return (at) => {
    const candidate = candidates[at] as SearchCandidate
    const { row } = candidate
    const matches = termMatches(index, row)
    const isLong = row.terms.length > passageTerms
    const { passage, pairs, together } = passageScores(index, matches)
    const isSubject = subject !== null && row.speaker === subject
    scoreContext(index, candidate, into)
    into.coverage = into.words / index.total
    into.scattered = isLong ? matchedShare(index, matches) - passage : 0
    into.passage = passage
    into.together = together
    into.pairs = pairs
    into.length = Math.log(Math.max(1, row.terms.length / longTerms))
    into.session = row.sessionId === null ? 0 : (sessions.get(row.sessionId) ?? 0)
    into.opening = isOpening(index, candidate) ? 1 : 0
    into.speaker = isSubject ? 1 : 0
    into.ownWords = isSubject && isAboutSelf(row.text) ? 1 : 0
    into.named = row.speaker === null && candidate.neighbours.length === 0 && beginsWith(row, names) ? 1 : 0
    into.question = isQuestion(row.text) ? 1 : 0
    into.date = date === null ? 0 : dateScore(date, row.observedAt)
    into.time = answers('time', row.text)
    into.exactTime = query.answerTypes.has('time') && namesExactTime(row.text) ? 1 : 0
    into.number = answers('number', row.text)
    into.place = answers('place', row.text)
    into.person = answers('person', row.text)
    into.similarity = similar.own[at] ?? 0
    into.similarityAround = similar.around[at] ?? 0
    return into
  }
}

/** From here on a text contains many terms by chance. Messages of people are shorter. */
const longTerms = 3 * passageTerms

/** A title, a name or a key is at the beginning. */
export const earlyTerms = 8

/** In capitals throughout: a word of the query that is stressed, or a long acronym. */
const emphasised = /^\p{Lu}{4,}$/u

/** A name further behind is mostly that of a place or another person. */
const beginningTerms = 2

function beginsWith({ terms }: SearchRow, names: readonly Word[]): boolean {
  if (names.length === 0) return false
  const beginning = terms.slice(0, beginningTerms)
  return names.some(({ term }) => beginning.includes(term))
}

/** Whether it contains a query term and is at the start of its conversation, where people report news. */
function isOpening(index: TermWeights, candidate: SearchCandidate): boolean {
  return candidate.isOpening && termFrequencies(index, candidate.row).some((count) => count > 0)
}

const sessionSaturation = 1.5

/** The score of each conversation: the saturated sum of the query terms in all its candidates. */
function sessionScores(index: TermWeights, candidates: readonly SearchCandidate[]): ReadonlyMap<string, number> {
  const bySession = new Map<string, number[]>()
  for (const candidate of candidates) {
    const { row } = candidate
    if (row.sessionId === null) continue
    const counts = frequenciesForSession(index, candidate)
    if (counts === index.none.counts) continue
    const sums = bySession.get(row.sessionId) ?? index.idf.map(() => 0)
    bySession.set(row.sessionId, sums)
    for (let term = 0; term < counts.length; term++) sums[term] = (sums[term] ?? 0) + (counts[term] ?? 0)
  }
  return new Map([...bySession].map(([id, sums]) => [id, sessionScore(index, sums)]))
}

/** The term frequencies of a message; of a long one, those of its best passage. */
function frequenciesForSession(index: TermWeights, { row, neighbours }: SearchCandidate): readonly number[] {
  const matches = termMatches(index, row)
  const isLongMessage = neighbours.length > 0 && row.terms.length > longMessageTerms
  if (!isLongMessage || matches === index.none) return matches.counts
  const { start } = bestPassage(index.idf, matches.places, matches.found)
  return frequenciesBetween(index, matches, start, start + passageTerms)
}

function sessionScore({ idf }: TermWeights, sums: readonly number[]): number {
  return idf.reduce((score, weight, term) => {
    const count = sums[term] ?? 0
    return score + (weight * count * (sessionSaturation + 1)) / (count + sessionSaturation)
  }, 0)
}
