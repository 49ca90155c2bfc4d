import type { Candidate, SearchRow } from './candidate.ts'
import { countsOf, type QueryIndex } from './counts.ts'
import { dateTermsOf } from './dates.ts'
import { namedSpeaker } from './named-speaker.ts'
import type { SearchQuery } from './query.ts'
import { sessionScores } from './session-score.ts'
import { hasNumber, hasTimeWord } from './signs.ts'
import { contextShares } from './weights.ts'

export const featureNames = [
  'words',
  'coverage',
  'session',
  'speaker',
  'question',
  'shortQuestion',
  'length',
  'time',
  'number',
] as const
export type FeatureName = (typeof featureNames)[number]
export type Features = Readonly<Record<FeatureName, number>>

/** What speaks for each candidate, before it is weighed. */
export function featuresOf(query: SearchQuery, index: QueryIndex, candidates: readonly Candidate[]): Features[] {
  const speaker = namedSpeaker(query, candidates)
  const sessions = sessionScores(index, candidates)
  const total = index.idf.reduce((sum, idf) => sum + idf, 0) || 1
  return candidates.map((candidate) => {
    const { row } = candidate
    const words = score(index, inContext(index, candidate))
    const isQuestion = endsAsQuestion(row)
    return {
      words,
      coverage: words / total,
      session: row.sessionId === null ? 0 : (sessions.get(row.sessionId) ?? 0),
      speaker: speaker !== null && row.speaker === speaker ? 1 : 0,
      question: isQuestion ? 1 : 0,
      shortQuestion: isQuestion && row.terms.length < 12 ? 1 : 0,
      length: Math.log(1 + row.terms.length),
      time: query.cues.has('time') && hasTimeWord(row.text) ? 1 : 0,
      number: query.cues.has('number') && hasNumber(row.text) ? 1 : 0,
    }
  })
}

/** How often each term counts for a candidate: in its own words, and less in what was said around it. */
function inContext(index: QueryIndex, { row, neighbours }: Candidate): Float64Array {
  const counts = Float64Array.from(countsOf(index, row))
  for (const term of dateTermsOf(row.observedAt)) {
    const at = index.places.get(term)
    if (at !== undefined) counts[at] = (counts[at] ?? 0) + contextShares.date
  }
  for (const { offset, row: other } of neighbours) {
    const share = shareOf(offset, row, other)
    countsOf(index, other).forEach((count, at) => {
      if (count > 0) counts[at] = (counts[at] ?? 0) + share * count
    })
  }
  return counts
}

/** An answer shares few words with what was asked, but the question before it does. */
function shareOf(offset: number, row: SearchRow, other: SearchRow): number {
  if (offset === -1) return endsAsQuestion(other) ? contextShares.askedBefore : contextShares.before
  if (offset === 1) return endsAsQuestion(row) ? contextShares.answerAfter : contextShares.after
  return offset < 0 ? contextShares.farBefore : contextShares.farAfter
}

function score({ idf }: QueryIndex, counts: Float64Array): number {
  const k = contextShares.saturation
  return idf.reduce((sum, weight, at) => {
    const count = counts[at] ?? 0
    return sum + (weight * count * (k + 1)) / (count + k)
  }, 0)
}

function endsAsQuestion({ text }: SearchRow): boolean {
  return /[?？]["'”’)\]\s]*(?:\[[^\]]*\]\s*)?$/u.test(text)
}
