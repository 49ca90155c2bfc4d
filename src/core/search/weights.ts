import type { FeatureName } from './features.ts'

/** How much of a term counts that was said near a memory, not in it. */
export const contextShares = {
  /** One occurrence says nearly all: a second adds little. */
  saturation: 0.5,
  date: 1,
  askedBefore: 0.5,
  before: 0.2,
  farBefore: 0.2,
  after: 0.2,
  answerAfter: 0.1,
  farAfter: 0.1,
}

export const weights: Readonly<Record<FeatureName, number>> = {
  words: 0.2,
  coverage: 4,
  session: 0.5,
  speaker: 1.5,
  question: -0.5,
  shortQuestion: -0.5,
  length: 0.25,
  time: 2,
  number: 1.5,
}
