/** Limits that keep one request, key or tenant from stopping the others: part of the one table of limits. */
export const loadLimits = {
  /** Values in the JSON of one request: reading so many takes a tenth of a second. */
  jsonValuesMax: 500_000,
  /** All values of a tenant together: each is looked for in some twenty encodings, and all of them are kept in memory. */
  vaultBytesMax: 524_288,
  /** What all rules of a tenant compile to. On the worst text each instruction is executed once per character, in about 30 ns. */
  ruleInstructionsMax: 5_000,
  /** Instructions times characters of one text: about 30 s of a thread at worst, and mostly a hundredth of that. */
  ruleStepsMax: 1_000_000_000,
  /** How long the rules of a tenant may take for one text. */
  ruleScanMsMax: 10_000,
  /** A longer text is scanned for secrets beside the event loop: on the worst text, a character takes 3 µs. */
  scanInlineCharactersMax: 8_192,
  /** After so long, the rest of a batch is scanned there too. */
  scanInlineMs: 8,
  /** With rules: instructions times characters, about 6 ms at worst. */
  scanInlineStepsMax: 200_000,
  /** A larger vault is made ready there too, and everything is scanned there. */
  scanInlineVaultBytesMax: 16_384,
  /** Text that waits to be scanned in one process, and of one tenant among it. */
  scanQueueCharactersMax: 256 * 1_024 * 1_024,
  scanQueuePerTenantCharactersMax: 32 * 1_024 * 1_024,
  /** Contents of a claim that one answer shows; the rest has a cursor. */
  claimContentsPageMax: 100,
  /** Event streams and long polls of one process; connections beyond them stay free for other calls. */
  streamsMax: 18_000,
  /** Of those, the last ones are for tenants that have few. */
  streamsKeptForOthers: 2_000,
  streamsOfSmallTenant: 100,
  /** Defaults of COLOPHON_STREAMS_PER_KEY and COLOPHON_STREAMS_PER_TENANT. */
  streamsPerKeyMax: 6_000,
  streamsPerTenantMax: 8_000,
  /** What may wait in memory for the reader of one stream; then it is dropped, and comes back with Last-Event-ID. */
  streamBacklogBytesMax: 1_048_576,
  /** The same for all streams of a tenant: with many of them, each may have less, down to the second figure. */
  streamBacklogBytesPerTenantMax: 64 * 1_024 * 1_024,
  streamBacklogBytesMin: 16_384,
  /** Answers of one tenant that wait in memory for their clients to read them. */
  unreadAnswerBytesPerTenantMax: 64 * 1_024 * 1_024,
  /** A client that reads nothing for so long loses its connection. */
  unreadAnswerMs: 30_000,
  /** Deliveries that wait for one webhook. Events beyond them share one delivery, which says where to read them. */
  webhookDeliveriesWaitingMax: 10_000,
  /** How long a count of them holds: counting so many takes a millisecond. */
  webhookBacklogKnownMs: 1_000,
  /** Runs that a coalesced delivery names. It is stored anew with each event that joins it. */
  webhookCoalescedRunsMax: 100,
} as const
