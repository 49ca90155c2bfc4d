/** How much a term counts that occurs in a neighbour and not in the memory itself. */
export const contextShares = {
  /** The saturation of BM25 (k1): a second occurrence adds little. */
  saturation: 0.5,
  questionBefore: 0.5,
  before: 0.25,
  farBefore: 0.2,
  after: 0.2,
  answerAfterQuestion: 0.1,
  farAfter: 0.1,
}

/**
 * The weight of each ranking feature. Round numbers, each with its reason; docs/RECALL.md shows what
 * each adds on several sets. The names appear in explanations.
 */
export const weights = {
  /** The query terms in the memory and its neighbours, weighted by rarity. */
  words: 0.4,
  /** The same as a share of the whole query, so that short and long queries count alike. */
  coverage: 2.25,
  /** The share of the query that is in a long memory and not in its best passage: the terms have little to do with each other. */
  scattered: -10,
  /** The share of the query in the best passage. It counts in the second ranking, and in the relevance. */
  passage: 0,
  /** How many terms of the query one passage has beside the first. It counts in the same places. */
  together: 0,
  /** Neighbouring terms of the query that are neighbours in the memory too. */
  pairs: 0.75,
  /** The length of a long memory, in passages (logarithm): it contains many terms by chance. */
  length: -0.9,
  /** Next to a memory that covers the query alone. */
  beside: 1,
  /** Directly after a message that asks the same question. */
  answer: 1,
  /** From a conversation that is about the query. */
  session: 0.1,
  /** At the start of a conversation. */
  opening: 0.5,
  /** By the speaker that the query names. Low enough that a message of another speaker can still rank first. */
  speaker: 1,
  /** By that speaker and about themselves. */
  ownWords: 0.75,
  /** A memory without a speaker that stands alone and begins with a name of the query: it is about what the query asks about. Cross-validated: docs/decisions/0108. */
  named: 3,
  /** A question is rarely the answer. */
  question: -0.5,
  /** From the date that the query names. */
  date: 3.5,
  /** The text contains an answer of the expected type: a time, a number, a place, a person. */
  time: 1,
  exactTime: 1.25,
  number: 1,
  place: 1.75,
  person: 0.5,
  /** Vector similarity. Weighted less than terms, because the embedders that run everywhere are weak. */
  similarity: 0.3,
  similarityAround: 0.4,
} as const

export type FeatureName = keyof typeof weights

/**
 * The first score of a memory: the sum of its weighted features, added to what it has before. Written out, because every candidate of a search is
 * scored, and a loop over the names takes several times as long. A test compares the two.
 */
export function weightedSum(of: Readonly<Record<FeatureName, number>>, before: number): number {
  return (
    before +
    weights.words * of.words +
    weights.coverage * of.coverage +
    weights.scattered * of.scattered +
    weights.passage * of.passage +
    weights.together * of.together +
    weights.pairs * of.pairs +
    weights.length * of.length +
    weights.beside * of.beside +
    weights.answer * of.answer +
    weights.session * of.session +
    weights.opening * of.opening +
    weights.speaker * of.speaker +
    weights.ownWords * of.ownWords +
    weights.named * of.named +
    weights.question * of.question +
    weights.date * of.date +
    weights.time * of.time +
    weights.exactTime * of.exactTime +
    weights.number * of.number +
    weights.place * of.place +
    weights.person * of.person +
    weights.similarity * of.similarity +
    weights.similarityAround * of.similarityAround
  )
}
