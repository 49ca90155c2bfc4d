import type { AuditHead } from '../core/audit/audit.ts'
import type { AuditVerdict } from '../core/audit/verify/verdict.ts'
import type { Committed, Outcome } from '../core/commit/batch.ts'
import type { EntryDraft, MemoryEntry } from '../core/entries/entry.ts'
import { type ChangesOptions, changes, type MemoryChange } from './changes/follow.ts'
import { type Change, type CommitOptions, commitChange, findOutcome } from './commit.ts'
import type { Engine } from './engine.ts'
import { type ChangeOptions, type RevisedText, removeEntry, revise } from './entries/change.ts'
import { type PutManyResult, type PutOptions, put, putMany } from './entries/put.ts'
import {
  colophon,
  type EntryColophon,
  get,
  type ListOptions,
  type ListResult,
  list,
  type ReadOptions,
  type Snapshot,
  snapshot,
} from './entries/read.ts'
import { type SearchOptions, type SearchResults, search } from './search/search.ts'
import type { TenantContext } from './tenant-context.ts'
import { auditHead, type VerifyOptions, verify } from './verify/verify.ts'

/** The memory of one tenant. No argument of it can reach another tenant. */
export interface TenantMemory {
  put(memoryRef: string, draft: EntryDraft, options?: PutOptions): Promise<MemoryEntry>
  /** Up to 1,000 entries, all or none; the last one is the newest. */
  putMany(memoryRef: string, drafts: readonly EntryDraft[], options?: PutOptions): Promise<PutManyResult>
  get(memoryRef: string, id: string, options?: ReadOptions): Promise<MemoryEntry | null>
  /** Newest first. */
  list(memoryRef: string, options?: ListOptions): Promise<ListResult>
  /** What bears on a question, best first. */
  search(memoryRef: string, query: string, options?: SearchOptions): Promise<SearchResults>
  /** A new version of an entry. */
  revise(memoryRef: string, id: string, text: RevisedText, options?: ChangeOptions): Promise<MemoryEntry>
  delete(memoryRef: string, id: string, options?: ChangeOptions): Promise<boolean>
  /** Where an entry comes from and which version it has. */
  colophon(memoryRef: string, id: string, options?: ReadOptions): Promise<EntryColophon | null>
  snapshot(): Promise<Snapshot>
  changes(options?: ChangesOptions): AsyncGenerator<MemoryChange>
  verify(options?: VerifyOptions): Promise<AuditVerdict>
  auditHead(): Promise<AuditHead>
}

/**
 * One tenant of the engine. Every use case takes it first, so a use case cannot mix up two tenants: the id comes with what is
 * done for it.
 */
export class Tenant implements TenantMemory {
  readonly engine: Engine
  readonly id: string

  constructor(engine: Engine, id: string) {
    this.engine = engine
    this.id = id
  }

  get storage(): Engine['storage'] {
    return this.engine.storage
  }

  get system(): Engine['system'] {
    return this.engine.system
  }

  get host(): Engine['host'] {
    return this.engine.host
  }

  now(): number {
    return this.engine.system.now()
  }

  /** The tenant's keyed digests and its redaction; makes the tenant on its first use. */
  context(): Promise<TenantContext> {
    return this.engine.contextOf(this.id)
  }

  /** Redacts a decided change and stores it, all or nothing. */
  commit(change: Change, options: CommitOptions): Promise<Committed> {
    return commitChange(this, change, options)
  }

  /**
   * The outcome of an earlier call with the same idempotency key; null when there is none. A use case that refuses a call looks it
   * up after it decided to: a first call that landed before the decision is then found.
   */
  findOutcome(options: CommitOptions): Promise<Outcome | null> {
    return findOutcome(this, options)
  }

  // Functions, not methods: a caller may take them off the handle.
  readonly put: TenantMemory['put'] = (ref, draft, options) => put(this, ref, draft, options)
  readonly putMany: TenantMemory['putMany'] = (ref, drafts, options) => putMany(this, ref, drafts, options)
  readonly get: TenantMemory['get'] = (ref, id, options) => get(this, ref, id, options)
  readonly list: TenantMemory['list'] = (ref, options) => list(this, ref, options)
  readonly search: TenantMemory['search'] = (ref, query, options) => search(this, ref, query, options)
  readonly revise: TenantMemory['revise'] = (ref, id, text, options) => revise(this, ref, id, text, options)
  readonly delete: TenantMemory['delete'] = async (ref, id, options) =>
    (await removeEntry(this, ref, id, options)).deleted
  readonly colophon: TenantMemory['colophon'] = (ref, id, options) => colophon(this, ref, id, options)
  readonly snapshot: TenantMemory['snapshot'] = () => snapshot(this)
  readonly changes: TenantMemory['changes'] = (options) => changes(this, options)
  readonly verify: TenantMemory['verify'] = (options) => verify(this, options)
  readonly auditHead: TenantMemory['auditHead'] = () => auditHead(this)
}
