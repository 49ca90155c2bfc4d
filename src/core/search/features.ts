import type { Candidate } from './candidate.ts'
import { contextWords } from './context-words.ts'
import { countsOf, type QueryIndex } from './counts.ts'
import { askedDateOf, dateFit } from './dates.ts'
import type { SearchQuery } from './query.ts'
import { sessionScores } from './session-score.ts'
import { canAnswer, isAboutSelf, isQuestion, namesTime } from './signs.ts'
import { type Similarities, similarityScores } from './similarity.ts'
import type { FeatureName } from './weights.ts'

export type Features = Readonly<Record<FeatureName, number>>

/** What speaks for each candidate, before it is weighed. */
export function featuresOf(
  query: SearchQuery,
  index: QueryIndex,
  subject: string | null,
  candidates: readonly Candidate[],
  similarities?: Similarities,
): Features[] {
  const sessions = sessionScores(index, candidates)
  const date = askedDateOf(query.text)
  const similar = similarityScores(similarities, candidates)
  return candidates.map((candidate, at) => {
    const { row } = candidate
    const { words, beside, answer } = contextWords(index, candidate)
    const isSubject = subject !== null && row.speaker === subject
    const fits = (cue: 'time' | 'number' | 'place' | 'person') =>
      query.cues.has(cue) && canAnswer(cue, row.text) ? 1 : 0
    return {
      words,
      coverage: words / index.total,
      beside,
      answer,
      session: row.sessionId === null ? 0 : (sessions.get(row.sessionId) ?? 0),
      opening: isOpening(index, candidate) ? 1 : 0,
      speaker: isSubject ? 1 : 0,
      ownWords: isSubject && isAboutSelf(row.text) ? 1 : 0,
      question: isQuestion(row.text) ? 1 : 0,
      date: date === null ? 0 : dateFit(date, row.observedAt),
      time: fits('time'),
      exactTime: query.cues.has('time') && namesTime(row.text) ? 1 : 0,
      number: fits('number'),
      place: fits('place'),
      person: fits('person'),
      similarity: similar.own[at] ?? 0,
      similarityAround: similar.around[at] ?? 0,
    }
  })
}

/** Whether it has words of the question and stands at the beginning of its conversation, where people tell their news. */
function isOpening(index: QueryIndex, candidate: Candidate): boolean {
  return candidate.isOpening && countsOf(index, candidate.row).some((count) => count > 0)
}
