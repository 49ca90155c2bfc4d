/** How much of a word counts that was said near a memory, not in it. */
export const contextShares = {
  /** One occurrence says nearly all: a second adds little. */
  saturation: 0.5,
  askedBefore: 0.5,
  before: 0.25,
  farBefore: 0.2,
  after: 0.2,
  answerAfter: 0.1,
  farAfter: 0.1,
}

/** Round numbers: what a feature is worth beside the others, not what fits some conversation best. */
export const weights = {
  /** The asked words in the memory and around it, rare ones more. */
  words: 0.4,
  /** The same as a share of all that was asked, so that short questions count as much as long ones. */
  coverage: 2.25,
  /** Right beside a memory that covers the question by itself. */
  beside: 1,
  /** Said right after somebody asked for it. */
  answer: 1,
  /** From a conversation that is about the question. */
  session: 0.1,
  opening: 0.5,
  /** Said by the person the question is about; not so much that a fact told by somebody else is lost. */
  speaker: 1,
  /** … about themselves. */
  ownWords: 0.75,
  /** A question is rarely the answer. */
  question: -0.5,
  /** From the date the question names. */
  date: 3.5,
  /** A text with a time, for a question that asks when; and so on. */
  time: 1,
  exactTime: 1.25,
  number: 1,
  place: 1.75,
  person: 0.5,
  /** Near in meaning, by an embedder if there is one; less than words, because the embedders that run anywhere are weak. */
  similarity: 0.3,
  similarityAround: 0.4,
} as const

export type FeatureName = keyof typeof weights
