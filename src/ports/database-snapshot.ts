import type { SourceEventRecord } from '../core/provenance/source-event.ts'
import type { CompactionStore } from './compaction-store.ts'
import type { ProvenanceStore } from './provenance-store.ts'
import type { Storage } from './storage.ts'
import type { StoredRows } from './stored-rows.ts'

/** Which rows of a tenant are counted or read; null is all of them. */
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

export type SchemaObject = 'table' | 'column' | 'index' | 'constraint' | 'trigger' | 'rule' | 'policy'

/** An object of the database that is not as the migrations make it: `unrecorded` was added, `gone` was dropped. */
export type SchemaDifference = {
  readonly problem: 'gone' | 'changed' | 'unrecorded'
  readonly what: SchemaObject
  readonly name: string
}

/** The rows of one tenant as of one moment. Every read returns the rows of that moment, whatever was written or erased since. */
export interface StorageSnapshot extends Pick<Storage, 'clock' | 'tenant' | 'scanVersions' | 'audit' | 'records'> {
  /** Every stored row, those that reads leave out too. */
  readonly rows: StoredRows
  /** What the schema has otherwise than the migrations made it. Absent in a store without a schema. */
  schemaDifferences?(): Promise<readonly SchemaDifference[]>
  readonly claims: ProvenanceStore['claims']
  readonly assertions: ProvenanceStore['assertions']
  readonly assertionsOfClaims: ProvenanceStore['assertionsOfClaims']
  readonly compactions: CompactionStore['list']
  readonly compactionSources: CompactionStore['sources']
  /** All source events, those without a service too, in order of id. A page ends as one of `keptPayloads`. */
  sourceEvents(query: {
    tenantId: string
    about: string | null
    after: string | null
    limit: number
  }): Promise<readonly SourceEventRecord[]>
  /** How many rows the other reads would return. */
  counts(tenantId: string, scope: SnapshotScope): Promise<SnapshotCounts>
  /** Releases the connection. */
  close(): Promise<void>
}
