import { keyLimits } from './access/key-limits.ts'
import { sessionLimits } from './access/session-limits.ts'
import { tokenLimits } from './access/token-limits.ts'
import { agentRunLimits } from './agents/agent-run-limits.ts'
import { clockLimits } from './clock-limits.ts'
import { commitmentLimits } from './commitments/commitment-limits.ts'
import { consolidationLimits } from './consolidation/consolidation-limits.ts'
import { containmentLimits } from './containment/containment-limits.ts'
import { distillationLimits } from './distillation/distillation-limits.ts'
import { filterLimits } from './filter/filter-limits.ts'
import { forgetLimits } from './forget/forget-limits.ts'
import { scheduleLimits } from './jobs/schedule-limits.ts'
import { loadLimits } from './load-limits.ts'
import { logLimits } from './log/log-limits.ts'
import { writerLimits } from './provenance/writer-limits.ts'
import { orchestrationLimits } from './run/orchestration-limits.ts'
import { promptLimits } from './search/prompt-limits.ts'
import { rankLimits } from './search/rank-limits.ts'
import { tenantSearchLimits } from './search/tenant-search-limits.ts'
import { vectorLimits } from './search/vector-limits.ts'
import { webhookLimits } from './webhooks/webhook-limits.ts'
import { workspaceLimits } from './workspace/workspace-limits.ts'

/** Every limit of the engine, by name, with its unit last. A limit that is hit is an error or a cursor, never a silent cut. */
export const limits = {
  ...loadLimits,
  ...logLimits,
  ...clockLimits,
  ...keyLimits,
  ...sessionLimits,
  ...tokenLimits,
  ...agentRunLimits,
  ...orchestrationLimits,
  ...consolidationLimits,
  ...filterLimits,
  ...writerLimits,
  ...promptLimits,
  ...tenantSearchLimits,
  ...vectorLimits,
  contentBytesMax: 65_536,
  /** The metrics query the database for host statistics at most this often. */
  hostStatsMs: 5_000,
  /** How long the metrics wait for that query. */
  hostStatsWaitMs: 2_000,
  /** Rows of each kind that the query counts. */
  hostStatsRowsMax: 10_000,
  /** A longer `traceparent` is invalid: version 00 has 55 characters, later versions may have more. */
  traceParentCharactersMax: 256,
  /** A longer `tracestate` is dropped; the trace continues without it. */
  traceStateCharactersMax: 512,
  tagCharactersMax: 256,
  tagsPerEntryMax: 64,
  /** Readers of one entry. */
  readersMax: 64,
  readerCharactersMax: 128,
  /** Tags in a request, before repeated and empty ones are dropped. */
  tagsGivenMax: 128,
  scopesPerKeyMax: 64,
  categoriesPerQueryMax: 64,
  memoryRefCharactersMax: 256,
  entryIdCharactersMax: 1_500,
  tenantIdCharactersMax: 64,
  subjectCharactersMax: 256,
  actorCharactersMax: 256,
  batchEntriesMax: 1_000,
  /** What the databases can store of the number of a version, and of the ordinal of an entry in its commit (20 bits; the last is the end of a scan). */
  entryVersionMax: 2 ** 31 - 1,
  entryOrdinalMax: 2 ** 20 - 2,
  pageEntriesDefault: 100,
  pageEntriesMax: 500,
  idempotencyKeyCharactersMax: 255,
  idempotencyHoldMs: 24 * 60 * 60 * 1_000,
  /** How long the retry of a call is refused after its text was forgotten: longer than a client's queue keeps a call. */
  erasedKeyHoldMs: 365 * 24 * 60 * 60 * 1_000,
  /** Batches that may wait for a commit in one process; more are refused with `overloaded`. */
  commitQueueBatchesMax: 10_000,
  /** Characters of those batches together: 10,000 batches of 1,000 large entries would not fit in memory. */
  commitQueueCharactersMax: 256 * 1_024 * 1_024,
  /** Batches that share one database transaction. */
  commitGroupBatchesMax: 256,
  /** Entries that share one database transaction, so that one flush never blocks the process for long. */
  commitGroupEntriesMax: 2_000,
  /** Characters that share one database transaction; a larger batch has its own. */
  commitGroupCharactersMax: 1_048_576,
  /** For how many turns of the event loop a group gathers for SQLite, whose commits are synchronous: about 32 requests of a busy process. */
  commitGatherTurns: 4,
  /** A group that has batches of several tenants gathers no longer if one tenant has this share of them. */
  commitGatherShareMax: 0.75,
  /** How often a transaction is sent again after a deadlock or a lost connection. */
  commitAttemptsMax: 5,
  /** How often a use case reads and decides again when other writers commit first: about 10 s with the pauses between attempts. */
  decideAttemptsMax: 200,
  /** Calls of one process that may wait for a connection to PostgreSQL, and of one tenant among them. */
  databaseQueueMax: 20_000,
  databaseQueuePerTenantMax: 2_000,
  /** How long one of them waits; then it is refused. */
  databaseWaitMs: 10_000,
  /** Requests that may wait in the fair queue of one process, and of one tenant among them. */
  requestQueueMax: 20_000,
  requestQueuePerTenantMax: 2_000,
  /** How long one of these requests waits; then it is refused. */
  requestWaitMs: 10_000,
  /** Requests that start in one turn of the event loop: more delay the requests that arrive meanwhile, fewer make smaller groups on SQLite. */
  requestsPerTurn: 8,
  /** The same with a store that processes share, whose commits do not run on the event loop: groups do not depend on its turns. */
  requestsPerTurnOfSharedStore: 2,
  /** After this time no more requests start in a turn. */
  requestTurnMs: 5,
  /** For this time after the last response, another request is likely to follow. */
  requestFollowsMs: 5,
  /** How often a text is redacted again because secrets or rules changed during the call. */
  redactionAttemptsMax: 50,
  /** Stored texts that one step of a redaction pass scans and rewrites. */
  rewritePageEntriesMax: 100,
  /** Entries that may be compacted into one: all of them end in one commit. */
  compactionSourcesMax: 1_000,
  /** Bytes of text that are read for one compaction. */
  compactionInputBytesMax: 262_144,
  compactionOutputBytesMin: 256,
  /** Entries that one step of a compaction pass examines. */
  compactionPageEntriesMax: 100,
  /** Sources that an event, a list and a colophon name individually. */
  compactionSourcesShownMax: 100,
  /** Entries that a dry run names individually. */
  compactionDryRunSourcesMax: 10_000,
  /** Fewer than `decideAttemptsMax`, because each attempt calls the summariser, which may be a paid model. */
  compactionAttemptsMax: 5,
  auditPageRecordsMax: 1_000,
  /** Characters after which a page of audit records, source events or claims ends: one may have 180,000, a million or six million. */
  pageCharactersMax: 2_097_152,
  /** Rows that verify reads at once. A page is read without a pause, and a record may name a thousand entries. */
  verifyPageRowsMax: 50,
  /** Rows that verify keeps in memory, by digest: about 300 bytes each. A larger tenant is verified in several rounds. */
  verifyRowsHeldMax: 250_000,
  /** Anomalies that a verdict names; all are counted. */
  verifyAnomaliesMax: 100,
  /** The time slice of the work of requests; after it the event loop handles everything else. */
  workSliceMs: 10,
  /** The same for long loops, such as those of passes. Short, because a put that comes during a slice waits for its end. */
  loopSliceMs: 1,
  /** Up to this size a SQLite file is scanned on the event loop: it takes about 20 ms. A larger one is scanned in a thread. */
  scanInPlaceBytesMax: 16 * 1_024 * 1_024,
  /** From this many entries on, the overview says "at least". */
  statsEntriesMax: 200_000,
  changePollMs: 250,
  /** How deep a JSON value may be nested: code that walks it must not overflow the stack. */
  jsonDepthMax: 500,
  jobPayloadBytesMax: 1_048_576,
  jobProgressBytesMax: 16_384,
  jobResultBytesMax: 1_048_576,
  jobKindCharactersMax: 64,
  jobErrorCharactersMax: 500,
  jobAttemptsDefault: 3,
  jobAttemptsMax: 100,
  jobLostLeasesMax: 10,
  /** From this many lost leases on, a job may be a poison pill: a process runs only one such job at a time, to protect the others. */
  jobSuspectLeases: 2,
  jobPostponeMs: 1_000,
  jobLeaseMs: 30_000,
  jobRetryDelayMs: 1_000,
  jobRetryDelayMsMax: 15 * 60 * 1_000,
  jobPollMs: 1_000,
  /** The longest pause of a worker between two batches of jobs while requests are being answered. */
  jobPauseMsMax: 200,
  jobConcurrencyDefault: 4,
  jobConcurrencyMax: 1_000,
  jobLeaseMsMin: 100,
  schedulesPerTenantMax: 1_000,
  /** Ids whose names one request can ask for. */
  namedIdsMax: 100,
  secretsPerTenantMax: 10_000,
  secretIdCharactersMax: 128,
  secretCharactersMin: 8,
  secretCharactersMax: 65_536,
  /** A secret with fewer than 2 to the power of this candidates could be guessed by writing texts. Twelve random digits have more. */
  secretCandidateBitsMin: 39,
  rulesPerTenantMax: 200,
  rulePatternCharactersMax: 1_000,
  ruleDescriptionCharactersMax: 1_000,
  /** A run that takes longer is ended; it protects its snapshot for at most that long. */
  runDurationMsMax: 30 * 24 * 60 * 60 * 1_000,
  /** How long a run protects its snapshot from pruning; after that, its reads fail. */
  snapshotHoldDaysMax: 30,
  runNodeExecutionsMax: 1_000,
  /** How deep child runs may be nested. */
  runDepthMax: 10,
  runInputsBytesMax: 1_048_576,
  /** Bytes of the variables, outputs and scratchpads of a run together. */
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
  /** Events that share one commit, so that a long run is stored while it executes. */
  runStepEventsMax: 200,
  runAttemptsMax: 20,
  /** Child runs that one run may start; each child a tenth of that, and so on. */
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
  runListPageMax: 100,
  /** JSON of a page of whole runs: after the run that reaches it, the page ends with a cursor. A run has up to 4 MiB. */
  runListBytes: 2 * 1_024 * 1_024,
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
  /** The name of the speaker of a message. */
  speakerCharactersMax: 128,
  /** How far in the future an observation may be, because clocks differ. */
  observedAheadMs: 5 * 60 * 1_000,
  candidateCharactersMin: 10,
  candidateCharactersMax: 500,
  candidatesPerEventMax: 200,
  ingestAttemptsMax: 3,
  memoriesPageDefault: 10,
  memoriesPageMax: 50,
  queryCharactersMax: 4_096,
  /** Terms of one query that are looked up; later ones are ignored. */
  searchTermsMax: 64,
  searchTermCharactersMax: 64,
  /** Postings of one term that are read, newest first; the frequency of a more common term is estimated from them. */
  searchPostingsMax: 20_000,
  /** Memory for posting lists that were read, in one process: four bytes for each posting. The list that was used longest ago is dropped. */
  searchPostingBytesMax: 16_000_000,
  /** The same for a related word that is not in the query; a more common one finds nothing. */
  searchRelatedPostingsMax: 500,
  /** Rows that are fetched, best first, to find those that are visible and match the filter. */
  searchExaminedMax: 4_000,
  ...rankLimits,
  /** Unindexed rows of a ref from which on they are indexed in the background. */
  searchUnindexedRows: 256,
  /** The same once a search has scanned the ref: from this many unindexed rows on, it has them indexed for the next search. */
  searchScannedRows: 16,
  /** Unindexed rows that a search scans; with more, it indexes them first. */
  searchUnindexedRowsMax: 1_024,
  /** Characters of those rows: a megabyte takes 0.1 s to split into terms. */
  searchUnindexedCharactersMax: 262_144,
  /** Rows that are indexed in one step, so that other requests do not wait long. */
  searchIndexRowsMax: 256,
  /** Characters of those rows, so that as many of the usual length are one step; a longer text is indexed alone. */
  searchIndexCharactersMax: 98_304,
  /** The pause between two such steps while the backlog is small. */
  searchIndexPauseMs: 10,
  /** Unindexed rows in one process from which on writes wait for the index. */
  searchBacklogRowsMax: 16_384,
  /** How often a search waits for an index with a backlog. */
  searchAttemptsMax: 10_000,
  searchRetryMs: 20,
  searchResultsDefault: 10,
  searchResultsMax: 100,
  retentionPageEventsMax: 200,
  /** Rows that upkeep changes in one step, so that no writer waits long for it. */
  upkeepStepRowsMax: 50,
  /** Events and calls of runs that upkeep deletes in one step; a run with more has its own step. */
  upkeepStepEventsMax: 500,
  /** Rows that an export reads in one step. */
  exportPageRowsMax: 200,
  /** Concurrent exports of one process, and of one tenant among them: each keeps a connection and a database snapshot open. */
  exportsAtOnceMax: 4,
  exportsPerTenantMax: 2,
  /** Lines of an import that are stored in one commit. */
  importStepLinesMax: 500,
  /** Conflicts of a merge that are named; all are counted. */
  importConflictsShownMax: 1_000,
  ...webhookLimits,
  ...forgetLimits,
  ...commitmentLimits,
  ...scheduleLimits,
  ...containmentLimits,
  ...distillationLimits,
  ...workspaceLimits,
  debugBundleBytesMax: 8 * 1_024 * 1_024,
} as const
