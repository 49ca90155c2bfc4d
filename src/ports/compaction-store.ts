import type { Compaction, CompactionSource } from '../core/compaction/compaction.ts'

/** Reads compactions and what went into them. They are written by `Storage.commit`, together with their output. */
export interface CompactionStore {
  get(tenantId: string, compactionId: string): Promise<Compaction | null>
  /** Newest first, by id. */
  list(query: {
    tenantId: string
    memoryRef: string | null
    after: string | null
    limit: number
  }): Promise<readonly Compaction[]>
  /** What went into it, in the order it was read: the oldest first. */
  sources(tenantId: string, compactionId: string): Promise<readonly CompactionSource[]>
  /** The compactions that any of these entries went into, undone ones too, in order of id. */
  derivedFrom(tenantId: string, entryIds: readonly string[]): Promise<readonly Compaction[]>
}
