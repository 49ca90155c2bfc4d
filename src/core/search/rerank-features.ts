import { hasAnswerOfType, namesExactTime } from './answer-types.ts'
import { neighbourAt, type SearchCandidate } from './candidate.ts'
import type { Features } from './features.ts'
import { bestPassage } from './passages.ts'
import { type SimilarContext, type Similarities, similarContexts } from './similarity.ts'
import { type TermWeights, termMatches } from './term-weights.ts'

/** What the second ranking reads of a candidate beside its features: where it is in the first ranking. */
export type FirstPlace = {
  readonly candidate: SearchCandidate
  readonly features: Features
  readonly score: number
}

/** The best candidates of the first ranking, and what is known of all of them. */
export type FirstRanking = {
  readonly best: readonly FirstPlace[]
  /** The scores of all messages directly before or after one of the best. */
  readonly scores: ReadonlyMap<string, number>
  readonly least: number
  /** Whether the best are long texts, or are ranked like them. */
  readonly areTexts: boolean
  /** The best score of each conversation. */
  readonly sessions: ReadonlyMap<string, number>
  /** The similarity around each of the best, by id; null without vectors. */
  readonly similar: ReadonlyMap<string, SimilarContext> | null
}

/** Long texts among so many of the best decide how all are ranked again: one, or several if there are messages of conversations. */
const longAmong = 10
const longAmongMessages = 3

function areTexts(best: readonly FirstPlace[]): boolean {
  const hasMessages = best.some(({ candidate }) => candidate.neighbours.length > 0)
  const long = best.filter(({ features }) => features.length > 0).length
  return long >= (hasMessages ? longAmongMessages : 1)
}

export function firstRankingOf(
  ranked: readonly FirstPlace[],
  best: readonly FirstPlace[],
  similarities?: Similarities,
): FirstRanking {
  const sessions = new Map<string, number>()
  for (const { candidate, score } of best) {
    const { sessionId } = candidate.row
    if (sessionId !== null && !sessions.has(sessionId)) sessions.set(sessionId, score)
  }
  return {
    best,
    sessions,
    similar:
      similarities === undefined
        ? null
        : similarContexts(
            similarities,
            best.map(({ candidate }) => candidate),
          ),
    scores: scoresBeside(ranked, best),
    least: best.at(-1)?.score ?? 0,
    areTexts: areTexts(best.slice(0, longAmong)),
  }
}

function scoresBeside(ranked: readonly FirstPlace[], best: readonly FirstPlace[]): ReadonlyMap<string, number> {
  const beside = new Set(
    best.flatMap(({ candidate }) => besideOffsets.map((offset) => neighbourAt(candidate, offset)?.id)),
  )
  const scores = new Map<string, number>()
  for (const { candidate, score } of ranked) if (beside.has(candidate.row.id)) scores.set(candidate.row.id, score)
  return scores
}

const besideOffsets = [-1, 1]

/** The first message of a conversation has none before it, the last none after it: as if that were further behind than most. */
const besideNone = 9
/** How many terms of a text are compared with the query as its start: a title, a name or a greeting. */
const startTerms = 8
/** What a message says is looked for in so many characters; the rest of a long one is not read again. */
const readCharacters = 2_000

/** The further features of a message in a conversation. */
export function messageFeatures(index: TermWeights, first: FirstRanking, place: FirstPlace) {
  const { candidate, score } = place
  const { row } = candidate
  const text = row.text.slice(0, readCharacters)
  const said = row.speaker !== null && text.startsWith(row.speaker) ? text.slice(row.speaker.length) : text
  const top = first.best[0]?.score ?? score
  const scoreAt = (offset: number) => {
    const id = neighbourAt(candidate, offset)?.id
    return id === undefined ? -besideNone : (first.scores.get(id) ?? first.least) - score
  }
  return {
    constant: 1,
    sessionBehind: top - ((row.sessionId === null ? undefined : first.sessions.get(row.sessionId)) ?? score),
    scoreBefore: scoreAt(-1),
    scoreAfter: scoreAt(1),
    own: ownShare(index, candidate),
    start: startShare(index, candidate),
    digits: /\d/.test(said) ? 1 : 0,
    numberWords: hasAnswerOfType('number', said) ? 1 : 0,
    timeWords: hasAnswerOfType('time', said) ? 1 : 0,
    exactTimes: namesExactTime(said) ? 1 : 0,
    names: Math.min(namesMax, said.match(namePattern)?.length ?? 0),
    ...similarFeatures(first, place),
  }
}

/** The features of a message among vectors. The words it contains and its speaker change how much its own similarity says. */
function similarFeatures({ similar }: FirstRanking, { candidate, features }: FirstPlace) {
  const around = similar?.get(candidate.row.id)
  if (around === undefined) return {}
  return {
    similarSession: around.session,
    similarBefore: around.before,
    similarFarBefore: around.farBefore,
    similarAfter: around.after,
    similarCovered: features.similarity * features.coverage,
    similarSpeaker: features.similarity * features.speaker,
  }
}

/** Words with a capital that do not begin a sentence. The capital first: what is before every space of a long run would be read again. */
const namePattern = /(?=\p{Lu})(?<=[^.!?:\s"]\s+)\p{Lu}\p{Ll}+/gu
const namesMax = 5

/** The further features of a text that stands alone: how much of the query is together in windows of several lengths. */
export function textFeatures(index: TermWeights, { candidate }: FirstPlace) {
  const { places, found } = termMatches(index, candidate.row)
  const within = (size: number) => bestPassage(index.idf, places, found, size)
  const sentence = within(12)
  return {
    constant: 1,
    within6: within(6).sum / index.total,
    within12: sentence.sum / index.total,
    within20: within(20).sum / index.total,
    // Not weighed in the ranking: the relevance reads it.
    close: sentence.distinct,
  }
}

/** The share of the query in the memory itself, related terms included. */
function ownShare(index: TermWeights, { row }: SearchCandidate): number {
  const { counts } = termMatches(index, row)
  let own = 0
  for (let term = 0; term < counts.length; term++) if ((counts[term] ?? 0) > 0) own += index.idf[term] ?? 0
  return own / index.total
}

/** The share of the query's terms that the memory's start has. */
function startShare(index: TermWeights, { row }: SearchCandidate): number {
  const { places, found } = termMatches(index, row)
  const early = new Set<number>()
  for (let at = 0; at < places.length && (places[at] as number) < startTerms; at++) early.add(found[at] as number)
  return early.size / (index.idf.length || 1)
}
