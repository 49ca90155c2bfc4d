/**
 * What a storage adapter needs, exported as `colophon/store`: the port, sealing, the rules of reading, the errors, and a
 * store in memory to build on. The contract suite that an adapter has to pass is `colophon/testing`.
 * The guide is docs/guides/storage-adapter.md.
 *
 * @example
 * import { openColophon } from 'colophon'
 *
 * const storage = await openMyStore('…') // returns a Storage
 * await using colophon = await openColophon({ storage })
 */

// The port: what an adapter implements.

export type { TenantStatus } from './core/access/tenant-status.ts'
export type { CompactionStore } from './ports/compaction-store.ts'
export type {
  SchemaDifference,
  SchemaObject,
  SnapshotCounts,
  SnapshotScope,
  StorageSnapshot,
} from './ports/database-snapshot.ts'
export type { FencedSource, FencedVersion, ForgetStore, Leftovers, PhysicalState } from './ports/forget-store.ts'
export type { HistoryStore, JobAge, RunAge } from './ports/history-store.ts'
export type { JobStore } from './ports/job-store.ts'
export type { LogStore, TileRoot } from './ports/log-store.ts'
export type { ProvenanceStore } from './ports/provenance-store.ts'
export type { RunListQuery, RunStore } from './ports/run-store.ts'
export type {
  FindQuery,
  FoundCandidates,
  FoundRow,
  NeighbourRow,
  SearchStore,
  UnindexedRef,
} from './ports/search-store.ts'
export type { ActivitySpan, HostStats, StatsStore } from './ports/stats-store.ts'
export type {
  EntryPage,
  GetQuery,
  ListQuery,
  RefSummary,
  ScanPlace,
  Storage,
  StoragePressure,
  StorageTraits,
  StoredTenant,
  TenantSecrets,
} from './ports/storage.ts'
export type { RowKey, StoredRow, StoredRows, StoredTable, StoredTables, StoredTag } from './ports/stored-rows.ts'
export type { NearVersion, NewVector, RecordedPlace, VectorSpace, VectorStore } from './ports/vector-store.ts'

// Sealing: decides under the tenant's lock which rows a batch writes. Every database uses the same code.

export {
  type AuditRow,
  type Batch,
  type Clock,
  type CommitState,
  type Committed,
  type EntryHead,
  type Idempotency,
  keyOf,
  type Outcome,
  type Sealed,
  type SealedEnding,
  type SealedErasure,
  type SealedRewrite,
  toCommitted,
  toRepeated,
  type VersionKey,
} from './core/commit/batch.ts'
export { outcomeKeys, repeatedOutcome, type StoredOutcome, tombstoneAt } from './core/commit/idempotency.ts'
export { sealBatch } from './core/commit/seal.ts'
export type { Redacted } from './core/redaction/redaction.ts'

// The rows, as the core defines them.

export { type AdminKind, type AdminRecord, adminKeyOf, type SealedAdmin } from './core/admin.ts'
export { genesisHash } from './core/audit/audit.ts'
export type { Compaction, CompactionSource, SealedCompaction } from './core/compaction/compaction.ts'
export type { EntryKey, EntryVersion, Origin, Place } from './core/entries/entry.ts'
export type { SealedForgetting } from './core/forget/forgetting.ts'
export { isUnfinished, type Job } from './core/jobs/job.ts'
export { neverDue, type Schedule } from './core/jobs/schedule.ts'
export { assertionsAfter } from './core/provenance/assertions-after.ts'
export type { Assertion, ClaimRecord, StoredAssertion } from './core/provenance/claim.ts'
export type { SealedClaim } from './core/provenance/seal-claim.ts'
export {
  erasedSource,
  type SourceEventRecord,
  type SourceRewrite,
  sourceKeyOf,
} from './core/provenance/source-event.ts'
export type { EndedVersion } from './core/retention.ts'
export type { MemoryCall } from './core/run/memory-call.ts'
export {
  isEnded,
  type Run,
  type RunEvent,
  type RunHead,
  type RunSummary,
  runKeyOf,
  type SealedRun,
  toRunSummary,
} from './core/run/run.ts'
export { type Delivery, deliveryJobKind } from './core/webhooks/coalesced-delivery.ts'

// The rules of reading: which version a view shows, what a fence hides, what a query finds.

export { examine, type SearchedScope, toFound } from './adapters/sql/search-steps.ts'
export {
  currentView,
  isExpired,
  isOlder,
  isOwnWrite,
  isVisibleAt,
  newestFirst,
  type ReadView,
  scanStart,
} from './core/entries/as-of.ts'
export {
  type Fence,
  isAssertionFenced,
  isBlockedByForget,
  isClaimFenced,
  isEventFenced,
  isFenced,
} from './core/forget/fence.ts'
export type { PostingList } from './core/search/candidate-rows.ts'
export { type IndexFilter, passesIndexFilter } from './core/search/index-filter.ts'
export { hasTerm, indexedTerms } from './core/search/indexed-terms.ts'
export { cosineSimilarity, vectorFromBytes, vectorToBytes } from './core/search/vectors.ts'

// Errors and limits.

export { ColophonError, type ErrorCode, isColophonError } from './core/errors.ts'
export { limits } from './core/limits.ts'

// The store in memory: the definition of the port, and tables to build on.

export { openInMemoryStore } from './adapters/in-memory/open.ts'
export type { TenantState as InMemoryTenant } from './adapters/in-memory/tenant-state.ts'
