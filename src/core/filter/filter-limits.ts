/** Limits of filters with operators: part of the table of limits. */
export const filterLimits = {
  /** How deep `and`, `or` and `not` may be nested. */
  filterDepthMax: 5,
  /** Conditions of one filter: each is checked for every entry that is examined. */
  filterConditionsMax: 32,
  /** Values in the lists of a filter together. */
  filterValuesMax: 200,
  filterMetadataKeyCharactersMax: 256,
  filterMetadataValueCharactersMax: 1_024,
  /** Rows that one statement of a filtered list examines. */
  filterStepRows: 2_000,
  /** Rows that one page of a filtered list examines. Then the page ends with a cursor, even if it is not full. */
  filterPageRowsMax: 50_000,
  /** Rows that a search fetches, best first, to find those that match the filter. If that is not enough, the search is refused. */
  filterSearchRowsMax: 10_000,
} as const
