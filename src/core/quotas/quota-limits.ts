/** Defaults of the quotas of a tenant, and how usage is counted: a part of `loadLimits`. */
export const quotaLimits = {
  /** Current entries. */
  quotaEntries: 10_000_000,
  /** Bytes of all that is stored, without the audit and indexes: about 10 KB for each of the entries. */
  quotaBytes: 100 * 1_024 * 1_024 * 1_024,
  /** Runs that have not ended. */
  quotaRunsPending: 100_000,
  /** Jobs that have not ended. A run that has not ended has one. */
  quotaJobsPending: 200_000,
  /** Requests of a tenant that a process has begun and not answered. Streams have a quota of their own. */
  quotaRequestsInFlight: 10_000,
  quotaMax: 1_000_000_000_000_000,
  /** Where other processes can change a quota: how long this one uses what it read. */
  quotaReadMs: 5_000,
  /** A process counts again when it has added this part of a quota: other processes can have added as much meanwhile. */
  quotaRecountShare: 1 / 16,
  /** A whole count is repeated at the earliest after this many times as long as it took. */
  quotaRecountRest: 20,
  /** How long a request waits for a count that is under way. The count goes on in the background. */
  quotaCountWaitMs: 250,
  /** Positions that the first step of a count examines; the next steps are adapted to the time that they take. */
  quotaStepPositions: 1_000,
  quotaStepMs: 20,
  /** Rows that have no position are counted by so many at once: less than a millisecond, if they are in memory. */
  quotaStepRows: 250,
} as const
