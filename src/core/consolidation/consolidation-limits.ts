/** The limits of a consolidation, part of `limits`. */
export const consolidationLimits = {
  /** Entries of a ref that one pass compares: about 2 KiB of memory each. A ref with more of them is refused; compact it first. */
  consolidationEntriesMax: 150_000,
  /** Entries that may become one in one commit. */
  consolidationSourcesMax: 100,
  /** Entries that one commit of a pass ends. More make other writers wait. */
  consolidationCommitSourcesMax: 10,
  /** Entries that one step of a pass reads. */
  consolidationPageEntriesMax: 20,
  /** How often a pass looks at a ref again, if entries changed meanwhile or more became one than fit in a commit. */
  consolidationRoundsMax: 20,
  /** Clusters of one block that an entry is compared with. */
  consolidationVariantsMax: 64,
  /** Entries with a common sentence that are examined, the newest first, to find one that includes another. */
  consolidationIncludedMax: 1_000,
  /** A longer text is not taken apart into sentences and words: only the very same text is equal to it. */
  consolidationTextCharactersMax: 8_192,
  /** Questions to a model in one pass. The merges that follow from them fit in one commit. */
  consolidationQuestionsMax: 50,
  /** Entries of a group with a common word, the newest first, that an entry is compared with to find pairs for a model. */
  consolidationPairBlockMax: 32,
  /** Merges that a dry run names. */
  consolidationDryRunMergesMax: 500,
} as const
