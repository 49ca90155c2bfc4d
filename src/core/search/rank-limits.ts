/** How many entries a search ranks. */
export const rankLimits = {
  /** Entries that are ranked, before their surrounding entries are added. */
  searchFoundMax: 200,
  /** The best of those, whose surrounding entries are read too. */
  searchSurroundedMax: 100,
  /** The best of all that are ranked, which are ranked a second time. */
  searchRerankedMax: 50,
  /** Words of a query that finds nothing for which other spellings are looked up. */
  searchSpelledWordsMax: 4,
} as const
