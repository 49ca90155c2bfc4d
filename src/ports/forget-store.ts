import type { Outcome, VersionKey } from '../core/commit/batch.ts'
import type { Fence } from '../core/forget/fence.ts'
import type { Claim } from '../core/provenance/claim.ts'
import type { ScanPlace } from './storage.ts'

/** A version behind a fence, as far as erasing needs it. */
export type FencedVersion = VersionKey & { readonly claimId: string | null; readonly tags: number }

/** How far erasing reaches into the files. */
export type PhysicalState = 'erased' | 'pending-vacuum-and-wal' | 'not-durable'

/** What is left of what a fence names, by layer, looked up in the tables themselves. */
export type Leftovers = {
  readonly entries: number
  readonly tags: number
  readonly sourceEvents: number
  readonly assertions: number
  readonly claims: number
  readonly auditRefs: number
  /** Of the whole tenant: what the index or an embedder made of a version that is gone. */
  readonly searchRows: number
  readonly searchWaiting: number
  readonly vectors: number
}

/**
 * Finds what is to be erased. Fences are given, not looked up, so that a dry run finds the same; these reads see what
 * fences hide from all others.
 */
export interface ForgetStore {
  /** The lines of all fences that are up. */
  fences(tenantId: string): Promise<readonly (Fence & { readonly forgetId: string })[]>
  /** Looks at the next `limit` versions in order of id and gives those behind the fences, and where to go on. */
  scan(query: {
    tenantId: string
    fences: readonly Fence[]
    after: ScanPlace | null
    limit: number
  }): Promise<{ readonly versions: readonly FencedVersion[]; readonly next: ScanPlace | null }>
  /** Of these entries, the versions behind the fences. */
  among(tenantId: string, fences: readonly Fence[], entryIds: readonly string[]): Promise<readonly FencedVersion[]>
  /** Source events behind the fences that are not erased yet, in order of id. */
  sources(query: {
    tenantId: string
    fences: readonly Fence[]
    after: string | null
    limit: number
  }): Promise<readonly FencedSource[]>
  /** Claims of subjects behind the fences, in order of id, with how much was stated for each. */
  claims(query: {
    tenantId: string
    fences: readonly Fence[]
    after: string | null
    limit: number
  }): Promise<readonly { readonly claim: Claim; readonly assertions: number }[]>
  /** What these entries say and said, in all their versions. */
  contents(tenantId: string, entryIds: readonly string[]): Promise<readonly string[]>
  /** Idempotency keys with what their first call did, in order of key. */
  outcomes(query: {
    tenantId: string
    after: string | null
    limit: number
  }): Promise<readonly { readonly key: string; readonly outcome: Outcome }[]>
  leftovers(tenantId: string, fences: readonly Fence[]): Promise<Leftovers>
  /**
   * Deletes what hangs on a version that is gone (tags, rows of the index, vectors), at most `limit` of each sort; how many
   * there were. Nothing leaves such rows behind, but one that is there must not keep the tenant from forgetting.
   */
  removeStrays(tenantId: string, limit: number): Promise<number>
  /** Takes what was deleted out of the files as well, as far as the store can. */
  purge(): Promise<PhysicalState>
}

export type FencedSource = {
  readonly sourceEventId: string
  readonly service: string | null
  readonly eventId: string | null
  readonly jobId: string
  readonly hasMessages: boolean
}
