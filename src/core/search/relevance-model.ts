/** The model of relevance: logistic regression. Written by `bench/recall/fit.ts`; the report is docs/RECALL.md. */
export const relevanceModel = {
  weights: {
    constant: -6.176,
    score: 0.093,
    behind: -0.186,
    top: -0.093,
    place: -0.677,
    coverage: 0.354,
    own: 1.791,
    unknown: -0.688,
    strangers: -3.82,
    stranger: -0.804,
    rarest: 1.605,
    alone: -0.031,
    aloneOwn: 0.145,
    aloneBehind: -2.919,
    aloneBegins: 0.769,
    terms: 2.035,
  },
  /**
   * The relevance from which on `auto` keeps a hit. In a conversation the messages around a match bear too; a memory that stands
   * alone must match itself. If no entry has the first name in the query, only a very good match is kept.
   */
  autoMin: { conversation: 0.0125, alone: 0.15, stranger: 0.2 },
}
