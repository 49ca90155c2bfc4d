/** Limits of distillations. */
export const distillationLimits = {
  /** The largest token budget of a distillation, and the default: sources and archive together. About four megabytes of text. */
  distillationTokenBudgetMax: 1_000_000,
  /** Counted once per distillation, for the request itself. */
  distillationOverheadTokens: 16,
  /** Entries that one distillation reads: their lineage is stored in one commit. */
  distillationSourcesMax: 10_000,
  /** Entries that one step of a distillation reads and redacts. Few, because a put that comes during a step waits for its end. */
  distillationPageEntriesMax: 20,
  /** Sources of a chunk of lineage, on average and at most. More make a changed entry dearer, fewer each distillation. */
  lineageChunkSources: 64,
  lineageChunkSourcesMax: 256,
  /** The size of an archive: a text that an agent reads as a whole. */
  distillationArchiveBytesMax: 8_192,
  /** How often the sources are read again because secrets, readers or forgotten data changed meanwhile. */
  distillationAttemptsMax: 20,
  /** How long an archive is kept. The sources stay, so nothing is lost with it. */
  distillationRetentionDays: 30,
} as const
