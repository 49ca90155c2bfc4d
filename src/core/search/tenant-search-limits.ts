/** Limits of the search over a whole tenant. */
export const tenantSearchLimits = {
  /** Rows of each kind that one search over the whole tenant examines. A search that did not reach the end has a cursor. */
  tenantSearchRowsMax: 5_000,
  /** Characters of memories that it compares with the words. It then stops with a cursor, as after the rows. */
  tenantSearchCharactersMax: 8 * 1_024 * 1_024,
  /** Memories of one page of such a search. */
  tenantSearchMemoriesMax: 200,
  tenantSearchMemoriesDefault: 50,
  /** Things of each other kind that it returns. */
  tenantSearchThingsMax: 10,
  /** Characters of a memory that it returns; the rest is in the memory itself. */
  tenantSearchTextCharactersMax: 500,
} as const
