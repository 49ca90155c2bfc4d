import { hasAnswerOfType, isAboutSelf, isQuestion, namesExactTime } from './answer-types.ts'
import type { SearchCandidate, SearchRow } from './candidate.ts'
import { contextScores } from './context-scores.ts'
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
import type { FeatureName } from './weights.ts'
import type { Word } from './words.ts'

/** The features of one candidate by name; `weights.ts` has the weight of each. */
export type Features = Readonly<Record<FeatureName, number>>

/** Computes the features of each candidate, before they are weighted. */
export function featuresOf(
  query: SearchQuery,
  index: TermWeights,
  subject: string | null,
  candidates: readonly SearchCandidate[],
  similarities?: Similarities,
): Features[] {
  const sessions = sessionScores(index, candidates)
  const date = queryDateOf(query.text)
  const similar = similarityScores(similarities, candidates)
  // Names of speakers are not in the index: they begin most messages.
  const names = queryNames(query).filter(
    ({ term, start, end }) => index.slots.has(term) && !emphasised.test(query.text.slice(start, end)),
  )
  return candidates.map((candidate, at) => {
    const { row } = candidate
    const { words, beside, answer } = contextScores(index, candidate)
    const matches = termMatches(index, row)
    const isLong = row.terms.length > passageTerms
    const { passage, pairs, together } = passageScores(index, matches)
    const isSubject = subject !== null && row.speaker === subject
    const answers = (type: AnswerType) => (query.answerTypes.has(type) && hasAnswerOfType(type, row.text) ? 1 : 0)
    return {
      words,
      coverage: words / index.total,
      scattered: isLong ? matchedShare(index, matches) - passage : 0,
      passage,
      together,
      pairs,
      length: Math.log(Math.max(1, row.terms.length / longTerms)),
      beside,
      answer,
      session: row.sessionId === null ? 0 : (sessions.get(row.sessionId) ?? 0),
      opening: isOpening(index, candidate) ? 1 : 0,
      speaker: isSubject ? 1 : 0,
      ownWords: isSubject && isAboutSelf(row.text) ? 1 : 0,
      named: row.speaker === null && candidate.neighbours.length === 0 && beginsWith(row, names) ? 1 : 0,
      question: isQuestion(row.text) ? 1 : 0,
      date: date === null ? 0 : dateScore(date, row.observedAt),
      time: answers('time'),
      exactTime: query.answerTypes.has('time') && namesExactTime(row.text) ? 1 : 0,
      number: answers('number'),
      place: answers('place'),
      person: answers('person'),
      similarity: similar.own[at] ?? 0,
      similarityAround: similar.around[at] ?? 0,
    }
  })
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
