/** The model of relevance: logistic regression. Written by `bench/recall/fit.ts`; the report is docs/RECALL.md. */
export const relevanceModel = {
  weights: {
    constant: -7.421,
    score: 0.07,
    behind: -0.163,
    top: -0.092,
    place: -0.722,
    coverage: 1.035,
    scattered: -5.461,
    own: 1.848,
    unknown: 0.438,
    strangers: -3.413,
    stranger: -1.444,
    rarest: 1.912,
    alone: -1.214,
    aloneOwn: 2.026,
    aloneBehind: -3.253,
    aloneBegins: 0.592,
    terms: 2.397,
  },
  /**
   * The relevance from which on `auto` keeps a hit. In a conversation the messages around a match bear too, and among long texts
   * the one that bears is rarely far ahead; a short memory that stands alone must match itself. If no entry has the first name in
   * the query, only a very good match is kept.
   */
  autoMin: { among: 0.01, alone: 0.15, stranger: 0.2 },
}
