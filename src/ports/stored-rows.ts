import type { AdminRecord } from '../core/admin.ts'
import type { AuditRow } from '../core/commit/batch.ts'
import type { Compaction, CompactionSource } from '../core/compaction/compaction.ts'
import type { EntryVersion, Place } from '../core/entries/entry.ts'
import type { Fence } from '../core/forget/fence.ts'
import type { ClaimRecord, StoredAssertion } from '../core/provenance/claim.ts'
import type { SourceEventRecord } from '../core/provenance/source-event.ts'
import type { MemoryCall } from '../core/run/memory-call.ts'
import type { Run, RunEvent } from '../core/run/run.ts'

/** The members of a row's key after the tenant; rows are ordered by them. */
export type RowKey = readonly (string | number)[]

/** A stored row by its key. It is null when it cannot be read, or is not as the store itself would write it. */
export type StoredRow<T> = { readonly key: RowKey; readonly row: T | null }

/** A row by which a version is found by one of its tags. */
export type StoredTag = Place & {
  /** The tag and its ref, as the store names them in such rows. */
  readonly name: string
  readonly version: number
  readonly recordedPosition: number
  readonly endedPosition: number | null
}

/** The name of a tag in a store that keeps the names of tag and ref. */
export const tagNameOf = (memoryRef: string, tag: string) => `${memoryRef}\u0000${tag}`

export type StoredSource = { readonly event: SourceEventRecord; readonly erasedAt: number | null }

/** The tables that are compared with the audit, and what a row of each is. */
export type StoredTables = {
  readonly audit: AuditRow
  readonly versions: EntryVersion
  readonly tags: StoredTag
  readonly sourceEvents: StoredSource
  readonly claims: ClaimRecord
  readonly assertions: StoredAssertion
  readonly compactions: Compaction
  /** By compaction, or by chunk: a store may keep sources that distillations share once (`lineage-chunks.ts`). */
  readonly lineage: CompactionSource
  readonly runs: Run
  readonly runEvents: RunEvent
  readonly runCalls: MemoryCall
  readonly records: AdminRecord
  readonly fences: Fence & { readonly forgetId: string }
}

export type StoredTable = keyof StoredTables

/** A page of rows after a key. */
export type RowPage = { readonly tenantId: string; readonly after: RowKey | null; readonly limit: number }

/**
 * Every stored row of a tenant as it is, in the order of its key. Fences hide nothing here, and nothing is left out: a row that no
 * other refers to is returned like any other. `verify` compares these rows with the audit. Tags may be in any order, if their pages are read one after
 * the other.
 */
export interface StoredRows {
  /** How many rows of a table are best read at once, where that is not `verifyPageRowsMax`. */
  readonly pageRows?: Readonly<Partial<Record<StoredTable, number>>>
  /** What the rows of a tag of this ref are named by. Different tags may have the same name: then a version with both has one row. */
  tagName(tenantId: string, memoryRef: string, tag: string): string
  page<Table extends StoredTable>(table: Table, page: RowPage): Promise<readonly StoredRow<StoredTables[Table]>[]>
}
