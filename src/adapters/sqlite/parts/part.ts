import type { Database } from 'better-sqlite3'
import type { PartRows, PartState } from '../../../core/commit/parts/index.ts'
import type { JobTable } from '../jobs.ts'
import type { SearchTable } from '../search-table.ts'
import type { VectorTable } from '../vectors.ts'

/** Tables that others write too, not only commits. */
export type SharedTables = {
  readonly jobs: JobTable
  readonly search: SearchTable
  readonly vectors: VectorTable
}

/** How SQLite stores one part of a batch, inside a transaction that is already open. */
export type SqlitePart<State extends Partial<PartState> = object> = {
  /** What sealing must see of the tenant's rows. A row is read when sealing needs it, and not before. */
  readonly state: (tenantId: string) => State
  /** Drops what was read for an earlier batch. Runs before each batch. */
  readonly begin?: () => void
  /** Deletes rows that other parts of the same batch may replace. Runs before any part is saved. */
  readonly clear?: (tenantId: string, rows: PartRows) => void
  readonly save: (tenantId: string, rows: PartRows, at: number) => void
}

/** Prepares the statements of a part. */
export type PreparePart<State extends Partial<PartState> = object> = (
  db: Database,
  tables: SharedTables,
) => SqlitePart<State>
