/** Limits of the text for a prompt, and of the names in memories. */
export const promptLimits = {
  contextTokensDefault: 500,
  contextTokensMax: 100_000,
  aliasesMax: 20,
  aliasCharactersMax: 128,
  /** A longer text is not searched for aliases. */
  aliasTextCharactersMax: 2_000,
  /** Memories of one subject that are in every prompt. */
  alwaysIncludeMax: 20,
  /** The part of a prompt's token budget that they may take: the rest is for what bears on the query. */
  alwaysIncludeBudgetShareMax: 0.5,
} as const
