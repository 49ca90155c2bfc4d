import type { AuditHead, AuditVerdict } from '../core/audit.ts'
import type { EntryDraft, MemoryEntry } from '../core/entry.ts'
import { checkTenantId } from '../core/names.ts'
import { type ChangeOptions, removeEntry, revise } from './change-entry.ts'
import type { Deps } from './deps.ts'
import { type ChangesOptions, changes, type MemoryChange } from './follow.ts'
import { type PutManyResult, type PutOptions, put, putMany } from './put.ts'
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
} from './read.ts'
import { type SearchOptions, type SearchResults, search } from './search/search.ts'
import { auditHead, type VerifyOptions, verify } from './verify.ts'

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
  revise(
    memoryRef: string,
    id: string,
    text: { content: string; tags?: readonly string[] },
    options?: ChangeOptions,
  ): Promise<MemoryEntry>
  delete(memoryRef: string, id: string, options?: ChangeOptions): Promise<boolean>
  /** Where an entry comes from and which version it has. */
  colophon(memoryRef: string, id: string, options?: ReadOptions): Promise<EntryColophon | null>
  snapshot(): Promise<Snapshot>
  changes(options?: ChangesOptions): AsyncGenerator<MemoryChange>
  verify(options?: VerifyOptions): Promise<AuditVerdict>
  auditHead(): Promise<AuditHead>
}

export function memoryOf(deps: Deps, tenantId: string): TenantMemory {
  checkTenantId(tenantId)
  return {
    put: (memoryRef, draft, options) => put(deps, tenantId, memoryRef, draft, options),
    putMany: (memoryRef, drafts, options) => putMany(deps, tenantId, memoryRef, drafts, options),
    get: (memoryRef, id, options) => get(deps, tenantId, memoryRef, id, options),
    list: (memoryRef, options) => list(deps, tenantId, memoryRef, options),
    search: (memoryRef, query, options) => search(deps, tenantId, memoryRef, query, options),
    revise: (memoryRef, id, text, options) => revise(deps, tenantId, memoryRef, id, text, options),
    delete: async (memoryRef, id, options) => (await removeEntry(deps, tenantId, memoryRef, id, options)).deleted,
    colophon: (memoryRef, id, options) => colophon(deps, tenantId, memoryRef, id, options),
    snapshot: () => snapshot(deps, tenantId),
    changes: (options) => changes(deps, tenantId, options),
    verify: (options) => verify(deps, tenantId, options),
    auditHead: () => auditHead(deps, tenantId),
  }
}
