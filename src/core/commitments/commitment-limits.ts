/** Limits of commitments. */
export const commitmentLimits = {
  /** Commitments that are inferred from one entry. */
  commitmentsPerEntryMax: 5,
  /** Sentences of one entry that the rules are tried on: those that have words of a rule, from the start. */
  commitmentSentencesPerEntryMax: 200,
  /** Commitments of one ref that wait. */
  commitmentsPerRefMax: 200,
  /** Commitments of a tenant that wait. */
  commitmentsPerTenantMax: 2_000,
  /** Commitments of one ref that are kept, those that fired or were cancelled included: the oldest of these make room. */
  commitmentsKeptPerRefMax: 500,
  /** A commitment must be due within a year. */
  commitmentHorizonMs: 366 * 24 * 60 * 60 * 1_000,
  commitmentIntentionCharactersMax: 600,
  commitmentStatementCharactersMax: 200,
  /** Characters of an entry that are compared with the statements that wait, from its start. */
  commitmentComparedCharactersMax: 8_192,
  /** How often a waiting condition is compared with memory that another process has written. */
  commitmentPollMs: 60_000,
  /** The time from one such comparison of a tenant to the next, on average: where many conditions wait, each is compared less often. */
  commitmentPollGapMs: 600,
} as const
