import type { AuditHead } from '../core/audit/audit.ts'
import type { AuditVerdict } from '../core/audit/verify/verdict.ts'
import type { Committed, Outcome } from '../core/commit/batch.ts'
import type { EntryDraft, MemoryEntry } from '../core/entries/entry.ts'
import { type ChangeRecord, type ChangeStreamOptions, changes } from './changes/change-stream.ts'
import { type Change, type CommitOptions, commitChange, findOutcome } from './commit.ts'
import type { Engine } from './engine.ts'
import { type ChangeOptions, type RevisedText, removeEntry, revise } from './entries/change.ts'
import { colophon, type EntryColophon } from './entries/colophon.ts'
import { type PutManyResult, type PutOptions, put, putMany } from './entries/put.ts'
import {
  get,
  type ListOptions,
  type ListResult,
  list,
  type ReadOptions,
  type Snapshot,
  snapshot,
} from './entries/read.ts'
import { type SearchOptions, type SearchResults, search } from './search/search-memory.ts'
import type { TenantContext } from './tenant-context.ts'
import { auditHead, type VerifyOptions, verify } from './verify/verify.ts'

/**
 * The memory of one tenant, from `colophon.memory(tenantId)`. No argument of its methods can name another tenant.
 *
 * A `memoryRef` names a list of entries, such as `agents/concierge`. A ref exists as soon as an entry is stored in it.
 *
 * @example
 * await using colophon = await openColophon({ path: 'memory.db' })
 * const memory = colophon.memory('acme')
 * const { id } = await memory.put('agents/concierge', { content: 'Ada prefers tea.' })
 * const { entries } = await memory.list('agents/concierge')
 */
export interface TenantMemory {
  /**
   * Stores a new entry and returns it as it was stored: secrets in the text are redacted.
   *
   * @example
   * const entry = await memory.put('agents/concierge', { content: 'Ada prefers tea.', tags: ['drinks'] })
   */
  put(memoryRef: string, draft: EntryDraft, options?: PutOptions): Promise<MemoryEntry>
  /**
   * Stores up to 1,000 entries in one transaction: all of them, or none. The last one counts as the newest.
   *
   * @example
   * const { entries, position } = await memory.putMany('agents/concierge', [
   *   { content: 'Ada prefers tea.' },
   *   { content: 'Ada moved to Porto.' },
   * ])
   */
  putMany(memoryRef: string, drafts: readonly EntryDraft[], options?: PutOptions): Promise<PutManyResult>
  /**
   * Reads one entry by its id; null when there is none. With `asOf`, as it was at an earlier position or instant.
   *
   * @example
   * const before = await memory.get('agents/concierge', id, { asOf: '2026-01-31T12:00:00Z' })
   */
  get(memoryRef: string, id: string, options?: ReadOptions): Promise<MemoryEntry | null>
  /**
   * Lists the entries of a ref, newest first, page by page. All pages are read at the position of the first one.
   *
   * @example
   * const first = await memory.list('agents/concierge', { limit: 50 })
   * const second = await memory.list('agents/concierge', { limit: 50, cursor: first.cursor })
   */
  list(memoryRef: string, options?: ListOptions): Promise<ListResult>
  /**
   * Searches the entries of a ref, best match first. With an embedder it searches by meaning too, otherwise by words.
   *
   * @example
   * const { results } = await memory.search('agents/concierge', 'what does Ada drink?', { limit: 5 })
   */
  search(memoryRef: string, query: string, options?: SearchOptions): Promise<SearchResults>
  /**
   * Stores the next version of an entry: same id, new text. Reads as of earlier positions still return the old text.
   *
   * @example
   * await memory.revise('agents/concierge', id, { content: 'Ada prefers green tea.' }, { expects: 1 })
   */
  revise(memoryRef: string, id: string, text: RevisedText, options?: ChangeOptions): Promise<MemoryEntry>
  /**
   * Deletes an entry; false when there was none. Reads as of earlier positions still return it. To erase it from history too, use
   * forget.
   *
   * @example
   * const wasThere = await memory.delete('agents/concierge', id)
   */
  delete(memoryRef: string, id: string, options?: ChangeOptions): Promise<boolean>
  /**
   * Says where an entry comes from: origin, version, claim, every step of its history, and the audit record that proves it.
   *
   * @example
   * const colophon = await memory.colophon('agents/concierge', id)
   * for (const { at, text } of colophon?.story ?? []) console.log(at, text)
   */
  colophon(memoryRef: string, id: string, options?: ReadOptions): Promise<EntryColophon | null>
  /**
   * The current position of the tenant. Pass it as `asOf` to read memory as it is now, at any later time.
   *
   * @example
   * const { position } = await memory.snapshot()
   * const same = await memory.list('agents/concierge', { asOf: position })
   */
  snapshot(): Promise<Snapshot>
  /**
   * Follows the changes of the tenant in order of position, each exactly once, until the caller stops or aborts the signal.
   *
   * @example
   * for await (const { memoryRef, entryIds } of memory.changes({ after: lastPosition })) refresh(memoryRef, entryIds)
   */
  changes(options?: ChangeStreamOptions): AsyncGenerator<ChangeRecord>
  /**
   * Verifies the hash chain of the audit records. With `contents`, also compares every stored row with its record.
   *
   * @example
   * const verdict = await memory.verify({ contents: true })
   * if (!verdict.ok) console.error(verdict.fault)
   */
  verify(options?: VerifyOptions): Promise<AuditVerdict>
  /**
   * The newest audit record by position and hash. Keep it outside of the database and pass it to `verify` later.
   *
   * @example
   * const head = await memory.auditHead()
   * // a month later: the chain must still contain this record
   * const { ok } = await memory.verify({ head })
   */
  auditHead(): Promise<AuditHead>
}

/**
 * One tenant of the engine: the first parameter of every use case. A use case cannot mix up two tenants, because the id is part of
 * this handle.
 */
export class Tenant implements TenantMemory {
  readonly engine: Engine
  readonly id: string
  /** The reader that everything is read for; null reads what any reader may see. Writes of the host itself are made without a reader. */
  readonly reader: string | null

  constructor(engine: Engine, id: string, reader: string | null = null) {
    this.engine = engine
    this.id = id
    this.reader = reader
  }

  /** The same tenant for one reader: what the reader cannot see is not there. */
  withReader(reader: string | null): Tenant {
    return reader === this.reader ? this : new Tenant(this.engine, this.id, reader)
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

  /**
   * Now for everything that expires: never before the tenant's last recorded instant, so that nothing is valid again when the clock is set back.
   * Durations, timers and due times are measured by `now`.
   */
  expiryNow(): number {
    return this.engine.instants.expiryNow(this.id)
  }

  /** The keyed digests and the redaction of the tenant. Creates the tenant on first use. */
  context(): Promise<TenantContext> {
    return this.engine.contextOf(this.id)
  }

  /** Redacts a decided change and stores it in one transaction. */
  commit(change: Change, options: CommitOptions): Promise<Committed> {
    return commitChange(this, change, options)
  }

  /**
   * The outcome of an earlier call with the same idempotency key; null when there is none. A use case looks it up after it decided to
   * refuse a call, because the first call may have caused the refusal.
   */
  findOutcome(options: CommitOptions): Promise<Outcome | null> {
    return findOutcome(this, options)
  }

  // Function members, not methods: a caller may destructure them.
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
