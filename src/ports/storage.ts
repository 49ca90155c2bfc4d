import type { AdminKind, AdminRecord } from '../core/admin.ts'
import type { AuditRow, Batch, Clock, Committed, Idempotency, Outcome, VersionKey } from '../core/commit/batch.ts'
import type { EntryVersion, Place } from '../core/entries/entry.ts'
import type { View } from '../core/entries/view.ts'
import type { Redacted } from '../core/redaction/redaction.ts'
import type { CompactionStore } from './compaction-store.ts'
import type { ForgetStore } from './forget-store.ts'
import type { HistoryStore } from './history-store.ts'
import type { JobStore } from './job-store.ts'
import type { ProvenanceStore } from './provenance-store.ts'
import type { RunStore } from './run-store.ts'
import type { SearchStore } from './search-store.ts'
import type { Snapshot } from './snapshot.ts'
import type { StatsStore } from './stats-store.ts'
import type { VectorStore } from './vector-store.ts'

/** Facts about a store that callers may need; nobody asks which database it is. */
export type StorageTraits = {
  /** What is acknowledged survives the end of the process and of the machine. */
  readonly durable: boolean
  /** Several processes may work on the same data side by side. */
  readonly sharedAcrossProcesses: boolean
}

/** What waits in this process for the store. */
export type StoragePressure = {
  /** Batches that wait for their transaction, or are in it. */
  readonly commits: number
  /** Null where there is nothing to wait for. */
  readonly connections: { readonly open: number; readonly idle: number; readonly waiting: number } | null
}

export type TenantSecrets = { readonly macKey: Uint8Array }

export type GetQuery = { tenantId: string; memoryRef: string; entryId: string; view: View; now: number }

export type ListQuery = {
  tenantId: string
  memoryRef: string
  tag: string | null
  view: View
  now: number
  /** Only entries older than this place. */
  before: Place | null
  limit: number
}

/** The rows of one page and the position they were read at. */
export type Page = { readonly position: number; readonly versions: readonly EntryVersion[] }

export type ScanPlace = { readonly entryId: string; readonly version: number }

export type TenantStatus = 'active' | 'disabled'

export type Tenant = { readonly tenantId: string; readonly status: TenantStatus; readonly createdAt: number }

export type RefSummary = { readonly memoryRef: string; readonly entries: number; readonly lastWriteAt: number }

/** Durable memory of many tenants. Adapters translate; every decision was made in the core. */
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

  pressure(): StoragePressure
  /** Whether writes are taken now: false for a database that only reads; a database that does not answer rejects. */
  isWritable(): Promise<boolean>
  /** Makes the tenant if it is new; gives its secrets either way. */
  ensureTenant(tenantId: string, fresh: TenantSecrets, now: number): Promise<TenantSecrets>
  clock(tenantId: string): Promise<Clock | null>
  clocks(tenantIds: readonly string[]): Promise<ReadonlyMap<string, number>>

  /** All or nothing, durable when it resolves; a repeated idempotency key gives the first outcome. */
  commit(batch: Redacted<Batch>): Promise<Committed>
  /** The outcome that this key has stored; null when the key is free. The key of a different call is refused. */
  outcome(tenantId: string, idempotency: Idempotency): Promise<Outcome | null>

  get(query: GetQuery): Promise<EntryVersion | null>
  list(query: ListQuery): Promise<Page>
  versions(tenantId: string, keys: readonly VersionKey[]): Promise<readonly EntryVersion[]>
  /** Every version of every entry, ended ones too, in order of id and version. */
  scanVersions(query: { tenantId: string; after: ScanPlace | null; limit: number }): Promise<readonly EntryVersion[]>
  /** The last position whose instant is not after the given one; 0 before the first. */
  positionAt(tenantId: string, instant: number): Promise<number>
  /** Audit records in order of position, from `from` to `to` inclusive, at most `limit`. */
  audit(query: { tenantId: string; from: number; to: number; limit: number }): Promise<readonly AuditRow[]>

  record(tenantId: string, kind: AdminKind, id: string): Promise<AdminRecord | null>
  /** In order of id. */
  records(query: {
    tenantId: string
    kind: AdminKind
    after: string | null
    limit: number
  }): Promise<readonly AdminRecord[]>
  /** Refs with live entries, in order of name. */
  refs(query: { tenantId: string; after: string | null; now: number; limit: number }): Promise<readonly RefSummary[]>
  /** The record of a key, unless its tenant is disabled: one question, for every call begins with it. */
  activeKey(tenantId: string, keyId: string): Promise<AdminRecord | null>
  noteKeyUse(tenantId: string, keyId: string, at: number): Promise<void>
  /** When each of these keys was last used; without those that never were. */
  keyUses(tenantId: string, keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>

  /**
   * Notes for other processes who has just asked this one (two say it all), and tells up to three tenants that asked them, each with
   * how many of them. Nobody, where a database has one process.
   */
  exchangeAsks(tenantIds: readonly string[]): Promise<ReadonlyMap<string, number>>

  tenant(tenantId: string): Promise<Tenant | null>
  tenants(query: { after: string | null; limit: number }): Promise<readonly Tenant[]>
  /** False when there is no such tenant. */
  setTenantStatus(tenantId: string, status: TenantStatus): Promise<boolean>

  /** Everything as it is now, to be read piece by piece while others write. It holds a connection: close it. */
  snapshot(): Promise<Snapshot>

  /** Waits for what is under way, then lets go of every handle. */
  close(): Promise<void>
}
