import { foreignApiLimits } from './foreign-api-limits.ts'
import { quotaLimits } from './quotas/quota-limits.ts'

/** Limits that keep one request, key or tenant from blocking the others: a part of `limits`. */
export const loadLimits = {
  ...foreignApiLimits,
  ...quotaLimits,
  /** Values in the JSON of one request: parsing this many takes up to 40 ms, and what is done with them about as long. */
  jsonValuesMax: 100_000,
  /** Bytes of all secrets of a tenant: each is searched in about twenty encodings, and all of them are kept in memory. */
  vaultBytesMax: 524_288,
  /** Instructions of all compiled rules of a tenant. On the worst text each is executed once per character, in about 30 ns. */
  ruleInstructionsMax: 5_000,
  /** Instructions times characters of one text: about 30 s of a thread at worst, usually a hundredth of that. */
  ruleStepsMax: 1_000_000_000,
  /** How long the rules of a tenant may run over one text. */
  ruleScanMsMax: 10_000,
  /** A longer text is scanned for secrets in a worker thread: on the worst text, a character takes 3 µs. */
  scanInlineCharactersMax: 8_192,
  /** After this time, the rest of a batch is scanned in a worker thread too. */
  scanInlineMs: 8,
  /** With rules: instructions times characters, about 6 ms at worst. */
  scanInlineStepsMax: 200_000,
  /** With a larger vault, all texts are scanned in a worker thread: to build its scanner takes more than 50 ms. */
  scanInlineVaultBytesMax: 8_192,
  /** Characters that may wait for a scan in one process, and of one tenant among them. */
  scanQueueCharactersMax: 256 * 1_024 * 1_024,
  scanQueuePerTenantCharactersMax: 32 * 1_024 * 1_024,
  /** Contents of a claim in one response; the others follow by cursor. */
  claimContentsPageMax: 100,
  /** Claims that a preview of authority rules lists; it counts all. */
  previewChangesMax: 100,
  /** Claims in one page of the timeline of a subject. */
  timelineRowsMax: 100,
  /** Memories of one claim in a timeline: the newest of them. */
  timelineEntriesMax: 50,
  /** Characters of each content in a timeline. */
  timelineTextMax: 200,
  /** Contents that lost against the winner, in the provenance of one entry. The claim lists all. */
  resolutionLosersMax: 20,
  /** Newest runs whose read journals are searched for the reads of one entry. */
  entryUsesRunsMax: 200,
  /** Event streams and long polls of one process; connections beyond them stay free for other calls. */
  streamsMax: 18_000,
  /** Of those, this many are reserved for tenants that have few. */
  streamsKeptForOthers: 2_000,
  streamsOfSmallTenant: 100,
  /** Defaults of COLOPHON_STREAMS_PER_KEY and COLOPHON_STREAMS_PER_TENANT. */
  streamsPerKeyMax: 6_000,
  streamsPerTenantMax: 8_000,
  /** Bytes that may be buffered for the client of one stream; then it is disconnected, and resumes with Last-Event-ID. */
  streamBacklogBytesMax: 1_048_576,
  /** The same for all streams of a tenant: with many streams each may have less, but at least `streamBacklogBytesMin`. */
  streamBacklogBytesPerTenantMax: 64 * 1_024 * 1_024,
  streamBacklogBytesMin: 16_384,
  /** Bytes of responses to one tenant that are buffered until its clients read them. */
  unreadAnswerBytesPerTenantMax: 64 * 1_024 * 1_024,
  /** A client that reads nothing for this long is disconnected. */
  unreadAnswerMs: 30_000,
  /** Queued deliveries of one webhook. Further events share one coalesced delivery, which says where to read them. */
  webhookDeliveriesWaitingMax: 10_000,
  /** How long their number is cached: counting this many takes 1 ms. */
  webhookBacklogCacheMs: 1_000,
  /** Runs that a coalesced delivery names. It is stored again with each event that joins it. */
  webhookCoalescedRunsMax: 100,
  /** Items that a list reads at once when its first page has too few that are shown. */
  readablePageItems: 100,
} as const
