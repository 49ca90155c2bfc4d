import type { TenantStatus } from '../core/access/tenant-status.ts'
import type { AdminKind, AdminRecord } from '../core/admin.ts'
import type { AuditRow, Batch, Clock, Committed, Idempotency, Outcome, VersionKey } from '../core/commit/batch.ts'
import type { ReadAccess } from '../core/entries/access.ts'
import type { ReadView } from '../core/entries/as-of.ts'
import type { EntryVersion, ListedVersion, Place } from '../core/entries/entry.ts'
import type { EntryFilter } from '../core/filter/filter.ts'
import type { Redacted } from '../core/redaction/redaction.ts'
import type { CompactionStore } from './compaction-store.ts'
import type { StorageSnapshot } from './database-snapshot.ts'
import type { ForgetStore } from './forget-store.ts'
import type { HistoryStore } from './history-store.ts'
import type { JobStore } from './job-store.ts'
import type { LogStore } from './log-store.ts'
import type { PeopleStore } from './people-store.ts'
import type { ProvenanceStore } from './provenance-store.ts'
import type { RunStore } from './run-store.ts'
import type { SearchStore } from './search-store.ts'
import type { StatsStore } from './stats-store.ts'
import type { VectorStore } from './vector-store.ts'

/** Facts about a store that callers may need. No caller may depend on which database it is. */
export type StorageTraits = {
  /** A write that was acknowledged survives the end of the process and a power cut. */
  readonly durable: boolean
  /** Several processes may use the same data at the same time. */
  readonly sharedAcrossProcesses: boolean
  /** Whether the database itself hides the rows of other tenants. Absent where it cannot. */
  readonly hasRowSecurity?: boolean
}

/** The load on the store, as this process sees it. */
export type StoragePressure = {
  /** Batches that wait for their transaction, or are in it. */
  readonly commits: number
  /** Commits that the database did not confirm in time. While there are any, writes are refused. */
  readonly commitsOverdue: number
  /** Whether the last write found no room. Noticed above the store. */
  readonly isFull?: boolean
  /** Null for a store without connections. */
  readonly connections: { readonly open: number; readonly idle: number; readonly waiting: number } | null
}

export type AuditQuery = {
  readonly tenantId: string
  readonly from: number
  readonly to: number
  readonly limit: number
  readonly charactersMax?: number
}

/** Made with the tenant and never changed. `macKey` is the key of the digests by which the audit names refs and subjects. */
export type TenantSecrets = { readonly macKey: Uint8Array }

/** One entry, as `view` shows it. An entry that has expired by `now` is not shown. */
export type GetQuery = { tenantId: string; memoryRef: string; entryId: string; view: ReadView; now: number }

/** The entries of a ref, as `view` shows them, newest first. Entries that have expired by `now` are left out. */
export type ListQuery = {
  tenantId: string
  memoryRef: string
  tag: string | null
  view: ReadView
  now: number
  /** Only entries older than this place. */
  before: Place | null
  limit: number
}

/** The entries of a ref that match a filter, newest first. The view has a position, so that all steps of a page see the same. */
export type MatchingQuery = Omit<ListQuery, 'view'> & {
  view: ReadView & { readonly position: number }
  /** Also the newest version of superseded and archived entries. Then neither a tag nor own writes of a run are given. */
  includesEnded: boolean
  filter: EntryFilter
  /** Rows that are examined, at least one. */
  examinedMax: number
}

export type MatchingPage = {
  readonly versions: readonly EntryVersion[]
  /** The last place that was examined, where the next step resumes. Null when the page is full, or the list is at its end. */
  readonly examinedTo: Place | null
}

/** The rows of one page and the position they were read at. */
export type EntryPage = { readonly position: number; readonly versions: readonly EntryVersion[] }

/** The same with only what a list shows of each row. */
export type ListedPage = { readonly position: number; readonly versions: readonly ListedVersion[] }

/** Where a scan of all versions resumes: after this version. */
export type ScanPlace = { readonly entryId: string; readonly version: number }

/** Where a scan from the last change backwards resumes: after this version. */
export type RecentPlace = ScanPlace & { readonly recordedPosition: number }

export type StoredTenant = { readonly tenantId: string; readonly status: TenantStatus; readonly createdAt: number }

/** What is read by a request before its handler runs has the tenant's last recorded instant with it, so that no read of its own is needed; 0 without records. */
type WithLastInstant = { readonly lastCreatedAt: number }

export type RefSummary = { readonly memoryRef: string; readonly entries: number; readonly lastWriteAt: number }

/**
 * The storage port: memory of many tenants. An adapter implements it for one database. It translates and decides nothing: `sealBatch` of the core
 * decides which rows a commit writes.
 *
 * Every method promises:
 * - It reads and writes rows of the named tenant only, unless its comment says otherwise.
 * - It rejects with a `ColophonError` (`storage_busy`, `storage_unavailable`, …) when the database fails, and with `closed` after `close`.
 * - A list is complete up to its `limit` and in the stated order. The caller passes the last item as `after` to get the next page.
 * - Rows behind a fence are left out, as if they were not stored. `ForgetStore` and `StorageSnapshot.rows` are the exceptions.
 *
 * The contract suite (`colophon/testing`) tests all of this.
 */
export interface Storage {
  readonly traits: StorageTraits
  readonly jobs: JobStore
  readonly runs: RunStore
  readonly provenance: ProvenanceStore
  readonly compactions: CompactionStore
  readonly search: SearchStore
  readonly vectors: VectorStore
  readonly history: HistoryStore
  readonly stats: StatsStore
  readonly forget: ForgetStore
  readonly log: LogStore
  readonly people: PeopleStore

  /** How many writes and connections wait now. It does not touch the database. */
  pressure(): StoragePressure
  /** Whether the database accepts writes now: false for a read-only one, and while commits are overdue. Rejects if it does not answer. */
  isWritable(): Promise<boolean>
  /** Stores the tenant with `fresh` if it is new, and returns what is stored. Of concurrent calls one stores; all return the same. */
  ensureTenant(
    tenantId: string,
    fresh: TenantSecrets,
    now: number,
  ): Promise<TenantSecrets & { readonly createdAt: number }>
  /** The tenant's clock as of its last commit; null for an unknown tenant. */
  clock(tenantId: string): Promise<Clock | null>
  /** The positions of several tenants, by tenant. Unknown tenants are left out. */
  clocks(tenantIds: readonly string[]): Promise<ReadonlyMap<string, number>>

  /**
   * Seals a batch under the tenant's lock and stores all of it or nothing. When it resolves, the batch is durable (see `traits`) and
   * visible to every later read. Commits of one tenant are ordered: positions become visible in their order, without gaps.
   * A batch whose idempotency key is known stores nothing and gets the first outcome. A batch that `sealBatch` refuses changes nothing.
   */
  commit(batch: Redacted<Batch>): Promise<Committed>
  /** The outcome that is stored under an idempotency key; null when the key is free. The key of a different call is refused. */
  outcome(tenantId: string, idempotency: Idempotency): Promise<Outcome | null>

  /** The version of an entry that the view shows; null when it shows none. */
  get(query: GetQuery): Promise<EntryVersion | null>
  /** One page of a ref. Its rows and its position belong together: one statement, or one read transaction. */
  list(query: ListQuery): Promise<EntryPage>
  /** The same page for a reader that needs no more than a list shows. An adapter may return whole versions. */
  listShown(query: ListQuery): Promise<ListedPage>
  /** One step of a filtered list, in one read transaction. */
  listMatching(query: MatchingQuery): Promise<MatchingPage>
  /**
   * These versions in any order, ended ones too. Those that are not stored, or do not match the filter at the position (left out: now), are left
   * out.
   */
  versions(
    tenantId: string,
    keys: readonly VersionKey[],
    filter?: EntryFilter,
    position?: number,
  ): Promise<readonly EntryVersion[]>
  /** Every version of every entry, ended ones too, in order of id and version. */
  scanVersions(query: { tenantId: string; after: ScanPlace | null; limit: number }): Promise<readonly EntryVersion[]>
  /** Every version of every entry, ended ones too, the last recorded first; in one commit, in falling order of id and version. */
  recentVersions(query: {
    tenantId: string
    after: RecentPlace | null
    limit: number
  }): Promise<readonly EntryVersion[]>
  /** The last position whose instant is not after the given one; 0 before the first. */
  positionAt(tenantId: string, instant: number): Promise<number>
  /**
   * Audit records in order of position, from `from` to `to` inclusive, at most `limit`. After `charactersMax`, by default
   * `pageCharactersMax`, no further record follows: only an empty page is the last one.
   */
  audit(query: AuditQuery): Promise<readonly AuditRow[]>

  /** An administered record; null when there is none. */
  record(tenantId: string, kind: AdminKind, id: string): Promise<AdminRecord | null>
  /** The records of a kind, in order of id. */
  records(query: {
    tenantId: string
    kind: AdminKind
    after: string | null
    limit: number
  }): Promise<readonly AdminRecord[]>
  /** Refs with live entries, in order of name. */
  refs(query: {
    tenantId: string
    after: string | null
    now: number
    limit: number
    /** Counts only what a read with this access may see; by default everything. */
    access?: ReadAccess
  }): Promise<readonly RefSummary[]>
  /** The record of an API key or a session; null if there is none or its tenant is disabled. One statement, because every request begins with it. */
  activeCredential(
    tenantId: string,
    kind: 'key' | 'session',
    id: string,
  ): Promise<(AdminRecord & WithLastInstant) | null>
  /** Stores when a key was used. An earlier instant never replaces a later one. */
  noteKeyUse(tenantId: string, keyId: string, at: number): Promise<void>
  /** When each of these keys was last used. Keys that were never used are left out. */
  keyUses(tenantId: string, keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>

  tenant(tenantId: string): Promise<(StoredTenant & WithLastInstant) | null>
  /** All tenants, in order of id. */
  tenants(query: { after: string | null; limit: number }): Promise<readonly StoredTenant[]>

  /** A tenant as of now, to be read page by page while commits continue. It keeps a connection until it is closed. */
  snapshot(tenantId: string): Promise<StorageSnapshot>

  /** Refuses new calls, waits for those under way, then releases every handle. */
  close(): Promise<void>
}
