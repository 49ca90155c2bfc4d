/**
 * What the second ranking adds for each feature, beside the weight of the first. Written by `bench/recall/fit-ranking.ts`;
 * its report is bench/recall/ranking-report.md.
 */
export const rerankWeights: RerankWeights = {
  message: {
    words: 0.067,
    coverage: 2.077,
    scattered: 6.312,
    pairs: -1.289,
    beside: 0.72,
    answer: 1.069,
    session: 0.007,
    opening: 0.169,
    speaker: 0.658,
    ownWords: 0.289,
    question: -0.159,
    date: 1.874,
    time: 0.342,
    exactTime: 0.642,
    number: 0.76,
    place: 1.632,
    person: 0.739,
    similarity: 0.089,
    similarityAround: 0.17,
    sessionBehind: -0.164,
    scoreBefore: -0.078,
    scoreAfter: -0.151,
    own: 0.623,
    start: 1.194,
    digits: 1.022,
    numberWords: 0.054,
    timeWords: 0.069,
    exactTimes: 0.335,
    names: 0.208,
    constant: -4.002,
  },
  text: {
    words: 0.039,
    coverage: 0.55,
    scattered: 0.513,
    passage: 3.681,
    together: 1.237,
    pairs: 11.822,
    length: -0.527,
    within6: 4.193,
    within12: 7.148,
    within20: 6.383,
    constant: -10.884,
  },
}

/** `message`: a message of a conversation; `text`: a text that stands alone, among long ones. `constant` keeps the mean of all changes at 0. */
export type RerankWeights = Readonly<Record<'message' | 'text', Readonly<Record<string, number>>>>
