import type { Outcome, VersionKey } from '../core/commit/batch.ts'
import type { Fence } from '../core/forget/fence.ts'
import type { ClaimRecord } from '../core/provenance/claim.ts'
import type { ScanPlace } from './storage.ts'

/** A version behind a fence, as far as erasing needs it. */
export type FencedVersion = VersionKey & {
  readonly claimId: string | null
  /** The source event that its text came from. */
  readonly sourceEventId: string | null
  readonly tags: number
  readonly readers: readonly string[] | null
}

/** How far deleted rows are removed from the files: overwritten, left to vacuum and the write-ahead log, or never on disk. */
export type PhysicalState = 'erased' | 'pending-vacuum-and-wal' | 'not-durable'

/** How many rows of what a fence names are still stored, counted in the tables themselves. */
export type Leftovers = {
  readonly entries: number
  readonly tags: number
  readonly sourceEvents: number
  readonly assertions: number
  readonly claims: number
  readonly auditRefs: number
  /** Of the whole tenant: rows of the search index and vectors whose version is no longer stored. */
  readonly searchRows: number
  readonly vectors: number
}

/**
 * Finds the rows that a forget erases. Fences are passed in, not read, so that a dry run finds the same rows. These reads also see
 * rows behind fences.
 */
export interface ForgetStore {
  /** The lines of all fences that are stored. */
  fences(tenantId: string): Promise<readonly (Fence & { readonly forgetId: string })[]>
  /** Examines the next `limit` versions in order of id. Returns those behind the fences, and where the next page begins; null at the end. */
  scan(query: {
    tenantId: string
    fences: readonly Fence[]
    after: ScanPlace | null
    limit: number
  }): Promise<{ readonly versions: readonly FencedVersion[]; readonly next: ScanPlace | null }>
  /** Of these entries, the versions behind the fences. */
  among(tenantId: string, fences: readonly Fence[], entryIds: readonly string[]): Promise<readonly FencedVersion[]>
  /**
   * How many entries the next commit should erase so that it blocks nothing. Without it, `forgetBatchEntriesMax`: for stores whose
   * commits do not run on the event loop.
   */
  entriesPerCommit?(): Promise<number>
  /** Source events behind the fences that are not erased yet, in order of id. */
  sources(query: {
    tenantId: string
    fences: readonly Fence[]
    after: string | null
    limit: number
  }): Promise<readonly FencedSource[]>
  /** Claims of subjects behind the fences, in order of id, with the number of their assertions. */
  claims(query: {
    tenantId: string
    fences: readonly Fence[]
    after: string | null
    limit: number
  }): Promise<readonly { readonly claim: ClaimRecord; readonly assertions: number }[]>
  /**
   * Examines the next `limit` runs in order of id. Returns those whose values, facts or events have one of the texts as a whole JSON string,
   * and perhaps others; and where the next page begins, null at the end.
   */
  runsNaming(query: {
    tenantId: string
    texts: readonly string[]
    after: string | null
    limit: number
  }): Promise<{ readonly runIds: readonly string[]; readonly next: string | null }>
  /** The contents of all versions of these entries. */
  contents(tenantId: string, entryIds: readonly string[]): Promise<readonly string[]>
  /** Idempotency keys with the outcome of their first call, in order of key. */
  outcomes(query: {
    tenantId: string
    after: string | null
    limit: number
  }): Promise<readonly { readonly key: string; readonly outcome: Outcome }[]>
  /** Counts what is still stored behind the fences. All zero once a forget is complete. */
  leftovers(tenantId: string, fences: readonly Fence[]): Promise<Leftovers>
  /**
   * Deletes orphans: tags, rows of the search index and vectors whose version is no longer stored. At most `limit` of each kind; returns how many.
   * No commit leaves orphans, but one that exists must not prevent a forget from completing.
   */
  removeOrphans(tenantId: string, limit: number): Promise<number>
  /** Removes deleted rows from the files too, as far as the store can. */
  purge(): Promise<PhysicalState>
}

/** A source event behind a fence, as far as erasing needs it. */
export type FencedSource = {
  readonly sourceEventId: string
  readonly service: string | null
  readonly eventId: string | null
  readonly jobId: string
  readonly hasMessages: boolean
}
