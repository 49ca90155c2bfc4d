import type { SourceEvent } from '../core/provenance/source-event.ts'
import type { CompactionStore } from './compaction-store.ts'
import type { ProvenanceStore } from './provenance-store.ts'
import type { Storage } from './storage.ts'
import type { StoredRows } from './stored-rows.ts'

/** What of a tenant is counted or read; null is everything. */
export type SnapshotScope = {
  readonly memoryRef: string | null
  /** Of versions. */
  readonly subject: string | null
  /** Of source events and claims. */
  readonly about: string | null
}

export type SnapshotCounts = {
  readonly versions: number
  readonly sourceEvents: number
  readonly claims: number
  readonly compactions: number
}

/** One moment of the whole database. Every read gives what was there at that moment, whatever was written or erased since. */
export interface Snapshot extends Pick<Storage, 'clock' | 'scanVersions' | 'audit' | 'records'> {
  /** Everything that is stored, also what reads leave out. */
  readonly rows: StoredRows
  readonly claims: ProvenanceStore['claims']
  readonly assertions: ProvenanceStore['assertions']
  readonly assertionsOfClaims: ProvenanceStore['assertionsOfClaims']
  readonly compactions: CompactionStore['list']
  readonly compactionSources: CompactionStore['sources']
  /** All of them, also those without a service, in order of id. */
  sourceEvents(query: {
    tenantId: string
    about: string | null
    after: string | null
    limit: number
  }): Promise<readonly SourceEvent[]>
  counts(tenantId: string, scope: SnapshotScope): Promise<SnapshotCounts>
  close(): Promise<void>
}
