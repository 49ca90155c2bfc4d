/** The model of relevance: logistic regression. Written by `bench/recall/fit.ts`; the report is docs/RECALL.md. */
export const relevanceModel = {
  weights: {
    constant: -6.116,
    score: 0.103,
    behind: -0.189,
    top: -0.086,
    place: -0.653,
    coverage: 0.209,
    own: 1.856,
    unknown: -0.78,
    strangers: -3.713,
    stranger: -0.806,
    rarest: 1.556,
    alone: 0.26,
    aloneOwn: 0.042,
    aloneBehind: -2.996,
    aloneBegins: 0.746,
    terms: 1.95,
  },
  /**
   * The relevance from which on `auto` keeps a hit. In a conversation the messages around a match bear too; a memory that stands
   * alone must match itself. If no entry has the first name in the query, only a very good match is kept.
   */
  autoMin: { conversation: 0.0125, alone: 0.15, stranger: 0.2 },
}
