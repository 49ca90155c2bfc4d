/** Every limit of the engine, by name, with its unit last. A limit that is hit is an error or a cursor, never a silent cut. */
export const limits = {
  contentBytesMax: 65_536,
  tagCharactersMax: 256,
  tagsPerEntryMax: 64,
  memoryRefCharactersMax: 256,
  entryIdCharactersMax: 1_500,
  tenantIdCharactersMax: 64,
  subjectCharactersMax: 256,
  actorCharactersMax: 256,
  batchEntriesMax: 1_000,
  pageEntriesDefault: 100,
  pageEntriesMax: 500,
  idempotencyKeyCharactersMax: 255,
  idempotencyHoldMs: 24 * 60 * 60 * 1_000,
  /** Batches that may wait for a commit in one process before callers are told to slow down. */
  commitQueueBatchesMax: 10_000,
  /** Bytes of text those batches may hold together: 10,000 batches of 1,000 large entries would not fit in memory. */
  commitQueueBytesMax: 256 * 1_024 * 1_024,
  /** Batches that share one database transaction. */
  commitGroupBatchesMax: 256,
  /** Entries that share one database transaction, so that one flush never blocks the process for long. */
  commitGroupEntriesMax: 2_000,
  commitAttemptsMax: 5,
  auditPageRecordsMax: 1_000,
  changePollMs: 250,
  jobPayloadBytesMax: 1_048_576,
  jobKindCharactersMax: 64,
  jobErrorCharactersMax: 500,
  jobAttemptsDefault: 3,
  jobAttemptsMax: 100,
  jobLostLeasesMax: 10,
  jobLeaseMs: 30_000,
  jobRetryDelayMs: 1_000,
  jobRetryDelayMsMax: 15 * 60 * 1_000,
  jobPollMs: 1_000,
  jobConcurrencyDefault: 4,
  schedulesPerTenantMax: 1_000,
} as const
