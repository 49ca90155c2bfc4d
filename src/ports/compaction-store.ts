import type { Compaction, CompactionSource } from '../core/compaction/compaction.ts'

/** Reads compactions and their sources. `Storage.commit` writes them, together with their output. */
export interface CompactionStore {
  /** Null when there is none. */
  get(tenantId: string, compactionId: string): Promise<Compaction | null>
  /** The compactions of a ref, or of all refs; newest first, by id. */
  list(query: {
    tenantId: string
    memoryRef: string | null
    after: string | null
    limit: number
  }): Promise<readonly Compaction[]>
  /** The entries that became one, in the order in which they were read: the oldest first. */
  sources(tenantId: string, compactionId: string): Promise<readonly CompactionSource[]>
  /** The compactions that have one of these entries as a source, undone ones too, in order of id. */
  derivedFrom(tenantId: string, entryIds: readonly string[]): Promise<readonly Compaction[]>
}
