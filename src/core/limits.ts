import { loadLimits } from './load-limits.ts'

/** Every limit of the engine, by name, with its unit last. A limit that is hit is an error or a cursor, never a silent cut. */
export const limits = {
  ...loadLimits,
  contentBytesMax: 65_536,
  /** How often at most the metrics ask the database how the host stands. */
  hostStatsMs: 5_000,
  /** How long they wait for it. */
  hostStatsWaitMs: 2_000,
  /** Rows that they count of each kind. */
  hostStatsRowsMax: 10_000,
  /** A longer `traceparent` is not one: the version in use has 55 characters, later ones may have more. */
  traceParentCharactersMax: 256,
  /** Longer than this, what vendors add to a trace is dropped; the trace goes on. */
  traceStateCharactersMax: 512,
  tagCharactersMax: 256,
  tagsPerEntryMax: 64,
  /** Before repeated and empty ones are dropped. */
  tagsGivenMax: 128,
  scopesPerKeyMax: 64,
  categoriesPerQueryMax: 64,
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
  /** How long a retry of a call is refused whose text was forgotten: longer than a client's queue may lie somewhere. */
  erasedKeyHoldMs: 365 * 24 * 60 * 60 * 1_000,
  /** Batches that may wait for a commit in one process before callers are told to slow down. */
  commitQueueBatchesMax: 10_000,
  /** Text those batches may hold together: 10,000 batches of 1,000 large entries would not fit in memory. */
  commitQueueCharactersMax: 256 * 1_024 * 1_024,
  /** Batches that share one database transaction. */
  commitGroupBatchesMax: 256,
  /** Entries that share one database transaction, so that one flush never blocks the process for long. */
  commitGroupEntriesMax: 2_000,
  /** Characters that share one; a larger batch has its own. */
  commitGroupCharactersMax: 1_048_576,
  /** How often a transaction is sent again after a deadlock or a lost connection. */
  commitAttemptsMax: 5,
  /** How often a use case reads and decides again when other writers commit first: about 10 s, with the pauses between. */
  decideAttemptsMax: 200,
  /** Calls of one process that may wait for a connection to PostgreSQL, and of one tenant among them. */
  databaseQueueMax: 20_000,
  databaseQueuePerTenantMax: 2_000,
  /** How long one of them waits; then it is refused instead of left hanging. */
  databaseWaitMs: 10_000,
  /** Requests of one process that may wait for their turn, and of one tenant among them. */
  requestQueueMax: 20_000,
  requestQueuePerTenantMax: 2_000,
  /** How long one of them waits; then it is refused. */
  requestWaitMs: 10_000,
  /** A request that takes longer has its place given to the next of its tenant: it waits for something else. */
  requestHoldMs: 50,
  /** For so long after a tenant asked, others hold back for it. */
  askedLatelyMs: 1_000,
  /** How often processes on one database tell each other who asks. */
  askExchangeMs: 250,
  /** How long such a note is kept. */
  askNotesMs: 60_000,
  /** Keys of which a process remembers whose they are, so that they wait in the line of their tenant. */
  requestKeysMax: 10_000,
  /** How often a text is redacted anew while secrets and rules keep changing under it. */
  redactionAttemptsMax: 50,
  /** Stored texts gone over, and rewritten, in one step. */
  rewritePageEntriesMax: 200,
  /** Entries that may become one: all of them end in one commit. */
  compactionSourcesMax: 1_000,
  /** Text that is read for one compaction. */
  compactionInputBytesMax: 262_144,
  compactionOutputBytesMin: 256,
  /** Entries looked at in one step of a pass. */
  compactionPageEntriesMax: 100,
  /** Sources that an event, a list and a colophon name one by one. */
  compactionSourcesShownMax: 100,
  /** Entries that a dry run names one by one. */
  compactionDryRunSourcesMax: 10_000,
  /** Fewer than `decideAttemptsMax`, because each attempt asks the summariser, which may be a paid model. */
  compactionAttemptsMax: 5,
  auditPageRecordsMax: 1_000,
  /** Rows that verifying reads at once. A page is read without a pause, and a record may name a thousand entries. */
  verifyPageRowsMax: 100,
  /** Rows that verifying holds in memory, by digest: about 300 bytes each. A larger tenant is gone through in several rounds. */
  verifyRowsHeldMax: 250_000,
  /** Anomalies that a verdict names; all are counted. */
  verifyAnomaliesMax: 100,
  /** After so long a stretch of work everything else has its turn. */
  workStretchMs: 10,
  /** Beyond so many entries the overview says "at least". */
  statsEntriesMax: 200_000,
  changePollMs: 250,
  /** How deep a JSON value may be nested: what goes through one must not run out of stack. */
  jsonDepthMax: 500,
  jobPayloadBytesMax: 1_048_576,
  jobProgressBytesMax: 16_384,
  jobResultBytesMax: 1_048_576,
  jobKindCharactersMax: 64,
  jobErrorCharactersMax: 500,
  jobAttemptsDefault: 3,
  jobAttemptsMax: 100,
  jobLostLeasesMax: 10,
  /** From so many on, a process tries only one such job at a time: what ran beside a job that kills must not die of it too. */
  jobSuspectLeases: 2,
  jobPostponeMs: 1_000,
  jobLeaseMs: 30_000,
  jobRetryDelayMs: 1_000,
  jobRetryDelayMsMax: 15 * 60 * 1_000,
  jobPollMs: 1_000,
  jobConcurrencyDefault: 4,
  jobConcurrencyMax: 1_000,
  jobLeaseMsMin: 100,
  schedulesPerTenantMax: 1_000,
  keysPerTenantMax: 1_000,
  keyNameCharactersMax: 128,
  /** A revoked or replaced key may go on for at most this long. */
  keyOverlapMsMax: 7 * 24 * 60 * 60 * 1_000,
  /** Between two notes of a key's last use. */
  keyUseNoteMs: 60_000,
  secretsPerTenantMax: 10_000,
  secretIdCharactersMax: 128,
  secretCharactersMin: 8,
  secretCharactersMax: 65_536,
  /** Fewer candidates than 2 to the power of this could be tried in texts. Twelve random digits have more. */
  secretCandidateBitsMin: 39,
  rulesPerTenantMax: 200,
  rulePatternCharactersMax: 1_000,
  ruleDescriptionCharactersMax: 1_000,
  /** A run that takes longer is ended; it holds its snapshot that long at most. */
  runDurationMsMax: 30 * 24 * 60 * 60 * 1_000,
  /** How long a run keeps memory from being pruned; after that, its reads fail. */
  snapshotHoldDaysMax: 30,
  runNodeExecutionsMax: 1_000,
  /** Runs inside runs. */
  runDepthMax: 10,
  runInputsBytesMax: 1_048_576,
  /** Variables, outputs and scratchpads of a run together. */
  runStateBytesMax: 4_194_304,
  runMetadataBytesMax: 51_200,
  runConfigurableBytesMax: 51_200,
  runTagsMax: 100,
  runTagCharactersMax: 256,
  runReasonCharactersMax: 512,
  runIdCharactersMax: 128,
  runScopeCharactersMax: 256,
  bulkCancelRunsMax: 100,
  delayMsMax: 30 * 24 * 60 * 60 * 1_000,
  /** Events that share one commit, so that a long run is stored as it goes. */
  runStepEventsMax: 200,
  runAttemptsMax: 20,
  /** Runs that one run may start; each of those a tenth of that, and so on. */
  runFamilyMax: 500,
  eventPageMax: 1_000,
  eventPollSecondsMax: 60,
  eventPollSecondsDefault: 30,
  eventBufferMsMax: 5_000,
  interruptTokenMs: 30 * 60 * 1_000,
  interruptTokenCharactersMax: 2_048,
  resumeValueBytesMax: 65_536,
  ephemeralEntriesMax: 500,
  workflowsPerTenantMax: 1_000,
  webhooksPerTenantMax: 100,
  webhookEventsMax: 100,
  webhookAttemptsMax: 8,
  writersPerTenantMax: 1_000,
  writerChangesMax: 100,
  messagesPerAddMax: 200,
  messagesBytesMax: 1_048_576,
  eventIdCharactersMax: 256,
  externalUserIdCharactersMax: 200,
  agentIdCharactersMax: 256,
  sourceScopeBytesMax: 16_384,
  evidenceItemsMax: 100,
  evidenceBytesMax: 65_536,
  metadataBytesMax: 65_536,
  claimKeyCharactersMax: 128,
  /** The name of who says a message. */
  speakerCharactersMax: 128,
  /** How far an observation may lie in the future: clocks differ. */
  observedAheadMs: 5 * 60 * 1_000,
  candidateCharactersMin: 10,
  candidateCharactersMax: 500,
  candidatesPerEventMax: 200,
  ingestAttemptsMax: 3,
  memoriesPageDefault: 10,
  memoriesPageMax: 50,
  contextTokensDefault: 500,
  contextTokensMax: 100_000,
  queryCharactersMax: 4_096,
  /** Terms of one query that are looked up; those further back are not. */
  searchTermsMax: 64,
  searchTermCharactersMax: 64,
  /** Rows of one term that are looked at, newest first; how often a more common term occurs is estimated from them. */
  searchPostingsMax: 20_000,
  /** The same for a word that was not asked, but is related to one that was; a more common one finds nothing. */
  searchRelatedPostingsMax: 500,
  /** Rows that are fetched, best first, to find those that are visible and wanted. */
  searchExaminedMax: 4_000,
  /** Entries that are ranked, before those that stand around them are added. */
  searchFoundMax: 200,
  /** The best of those: what was said around them is read too. */
  searchSurroundedMax: 100,
  /** Rows of a scope that may wait for the index; from there on they are indexed in the background. */
  searchUnindexedRows: 256,
  /** The same once somebody searches: a search that goes through so many has them indexed, so that the next one need not. */
  searchMetRows: 16,
  /** Rows that a search goes through because they are not indexed yet; with more, it indexes them first. */
  searchUnindexedRowsMax: 1_024,
  /** Characters of those rows: reading a megabyte into terms takes a tenth of a second. */
  searchUnindexedCharactersMax: 262_144,
  /** Rows that are indexed in one step, so that nobody waits long for it. */
  searchIndexRowsMax: 256,
  /** Characters of those rows; a longer text is indexed alone. */
  searchIndexCharactersMax: 131_072,
  /** Between two such steps, while not much is due. */
  searchIndexPauseMs: 10,
  /** Rows that may be due in one process; then writes wait for the index. */
  searchBacklogRowsMax: 16_384,
  /** How often a search waits for an index that is behind. */
  searchAttemptsMax: 10_000,
  searchRetryMs: 20,
  /** Vectors of a ref that a question is compared with, newest first. */
  searchVectorsMax: 20_000,
  /** Of the nearest, how many are looked at, and how many are ranked beside what has the words. */
  searchNearExaminedMax: 500,
  searchNearFoundMax: 50,
  /** How long a search waits for the vector of its question; then words have to do. */
  embedQuestionMs: 3_000,
  /** After a failure the embedder is left alone for so long. */
  embedRestMs: 5_000,
  embedQuestionsKept: 1_000,
  /** What is written within this time becomes one job. */
  embedGatherMs: 100,
  embedPageVersionsMax: 256,
  embedTextCharactersMax: 8_000,
  embedTriesMax: 3,
  embedRetryMs: 250,
  searchResultsDefault: 10,
  searchResultsMax: 100,
  retentionPageEventsMax: 200,
  /** Rows that upkeep changes in one step, so that no writer waits long behind it. */
  upkeepStepRowsMax: 50,
  /** Events and calls of runs that upkeep deletes in one step; a longer run goes alone. */
  upkeepStepEventsMax: 500,
  /** Failures in a row after which a receiver is left alone for a while. */
  webhookFailuresMax: 4,
  webhookRestMs: 5 * 60 * 1_000,
  webhookFailuresKept: 10_000,
  webhookSecretCharactersMin: 16,
  webhookSecretCharactersMax: 256,
  /** Rows that an export reads in one step. */
  exportPageRowsMax: 200,
  /** Exports under way in one process, and of one tenant among them: each holds a connection and a moment of the database. */
  exportsAtOnceMax: 4,
  exportsPerTenantMax: 2,
  /** Lines of an import that are stored in one commit. */
  importStepLinesMax: 500,
  /** Conflicts of a merge that are named; the rest is counted. */
  importConflictsShownMax: 1_000,
  forgetAttemptsMax: 20,
  /** Rows of one page while something is forgotten. */
  forgetPageMax: 500,
  /** Versions looked at in one statement to find those behind a fence. */
  forgetScanRowsMax: 2_000,
  /** Entries erased in one commit. */
  forgetBatchEntriesMax: 50,
  /** How often everything is gone over again when a check finds something left. */
  forgetRoundsMax: 3,
  forgetsPageMax: 100,
  /** Entries that name a subject and are not about it: so many are listed, all are counted. */
  forgetMentionsShownMax: 100,
  /** So many of them are erased with the subject: each is a line of the fence, which every read is compared with meanwhile. */
  forgetMentionsErasedMax: 1_000,
  /** How long deleting a memory for good waits for the last byte; it is hidden from the first moment. */
  forgetWaitMs: 10_000,
  debugBundleBytesMax: 8 * 1_024 * 1_024,
} as const
