/** Search by meaning, and the embedder. */
export const vectorLimits = {
  /** Vectors of a ref that a query is compared with one by one where there is no faster way, newest first. */
  searchVectorsMax: 20_000,
  /** Up to so many vectors of a ref are compared one by one everywhere: the result is exact. */
  searchExactVectorsMax: 2_000,
  /** Vectors of a ref that have codes, newest first: an estimate of all takes about 15 ms. */
  searchCodesMax: 200_000,
  /** Memory for codes in one process: about a million vectors of 512 numbers. The ref that was searched longest ago loses its codes. */
  searchCodeBytesMax: 100_000_000,
  /** Vectors with the best estimates that are compared with the whole query first. */
  searchNearComparedMin: 400,
  /** How many of the nearest versions are ranked with the entries that match by words. */
  searchNearFoundMax: 50,
  /** How long a search waits for the vector of its query; then it searches by words only. */
  embedQueryMs: 3_000,
  /** The pause after a failure of the embedder. */
  embedPauseMs: 5_000,
  embedQueriesCachedMax: 1_000,
  /** Entries written within this time share one embedding job. */
  embedGatherMs: 100,
  embedPageVersionsMax: 256,
  embedTextCharactersMax: 8_000,
  embedTriesMax: 3,
  embedRetryMs: 250,
} as const
