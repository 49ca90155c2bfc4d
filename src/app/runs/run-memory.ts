import type { NewEntry } from '../../core/commit/batch.ts'
import { type EntryVersion, type MemoryEntry, parseDraft, toMemoryEntry } from '../../core/entries/entry.ts'
import { sourceTag } from '../../core/entries/tags.ts'
import { currentView } from '../../core/entries/view.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { checkWrittenRef, isMemoryRef } from '../../core/names.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import type { MemoryCall, MemoryOperation } from '../../core/run/run.ts'
import { withinBudget } from '../../core/search/within-budget.ts'
import { isEntryId } from '../entries/read.ts'
import { type End, planEnd } from '../provenance/withdraw.ts'
import { EphemeralMemory } from './ephemeral-memory.ts'
import type { RunExecution } from './leg.ts'
import type {
  NodeDraft,
  NodeListOptions,
  NodeMemory,
  NodeSearchHit,
  NodeSearchOptions,
  PendingEntry,
} from './node-type.ts'
import { ReplaySourceMissing, refuseExpired } from './recorded.ts'
import { parseListOptions, parseSearchOptions, searchInRun, toNodeHits } from './run-search.ts'
import { assertSnapshotRetained } from './run-view.ts'

type CallingNode = { readonly nodeId: string; readonly agentId: string | null }
type Facts = Pick<MemoryCall, 'op' | 'memoryRef' | 'entries' | 'at'>

/**
 * Memory for one node of one run. A call that is already recorded is answered from the record: after a crash because it
 * was done, in a replay because it must not be done. Everything else happens now and is recorded with the run's next step.
 */
export class RunMemory implements NodeMemory {
  readonly #execution: RunExecution
  readonly #nodeId: string
  readonly #agentId: string | null
  /** What is recorded of the node: by this run before this execution began, or by the one that is replayed. */
  readonly #done: readonly MemoryCall[]
  readonly #ephemeral: EphemeralMemory
  #count = 0

  constructor(execution: RunExecution, node: CallingNode, done: readonly MemoryCall[]) {
    this.#execution = execution
    this.#nodeId = node.nodeId
    this.#agentId = node.agentId
    this.#done = done
    this.#ephemeral = new EphemeralMemory(execution, node.agentId)
  }

  async list(memoryRef: string, options: NodeListOptions = {}): Promise<MemoryEntry[]> {
    const { tag, limit, tokenBudget } = parseListOptions(options)
    const known = this.#known('list')
    if (known) return this.#recall(known)
    const { tenant } = this.#execution
    const now = tenant.now()
    if (!isMemoryRef(memoryRef)) return this.#nothing('list', now, [])
    if (isEphemeralRef(memoryRef)) {
      const { full, entries } = this.#ephemeral.list(memoryRef, { tag, limit, now })
      const taken = [...withinBudget(entries, ({ content }) => content, tokenBudget)]
      this.#note({ op: 'list', memoryRef: full, entries: taken.map(toFirstVersion), at: now })
      return taken
    }
    await this.#ready()
    const { view } = this.#execution.progress
    const query = { tenantId: tenant.id, memoryRef, tag, view, now, before: null, limit }
    const { versions } = await tenant.storage.list(query)
    const taken = withinBudget(versions, ({ content }) => content, tokenBudget)
    this.#note({ op: 'list', memoryRef, entries: taken.map(toVersionId), at: now })
    return taken.map(toMemoryEntry)
  }

  async search(memoryRef: string, query: string, options: NodeSearchOptions = {}): Promise<NodeSearchHit[]> {
    const asked = parseSearchOptions(query, options)
    const known = this.#known('search')
    if (known) return toNodeHits(await this.#recall(known), known)
    const now = this.#execution.tenant.now()
    if (!isMemoryRef(memoryRef)) return this.#nothing('search', now, [])
    if (!isEphemeralRef(memoryRef)) await this.#ready()
    const own = isEphemeralRef(memoryRef) ? this.#ephemeral.open(memoryRef) : null
    const hits = await searchInRun(this.#execution, own?.full ?? memoryRef, asked, own?.entries ?? null, now)
    this.#note({ op: 'search', memoryRef: own?.full ?? memoryRef, entries: hits.map(({ found }) => found), at: now })
    return hits.map(({ entry, found }) => ({ entry, score: found.score }))
  }

  async get(memoryRef: string, id: string): Promise<MemoryEntry | null> {
    const known = this.#known('get')
    if (known) return (await this.#recall(known))[0] ?? null
    const { tenant } = this.#execution
    const now = tenant.now()
    if (!isMemoryRef(memoryRef) || !isEntryId(id)) return this.#nothing('get', now, null)
    if (isEphemeralRef(memoryRef)) {
      const { full, entry } = this.#ephemeral.get(memoryRef, id, now)
      this.#note({ op: 'get', memoryRef: full, entries: entry ? [toFirstVersion(entry)] : [], at: now })
      return entry
    }
    await this.#ready()
    const key = { tenantId: tenant.id, memoryRef, entryId: id }
    const version = await tenant.storage.get({ ...key, view: this.#execution.progress.view, now })
    this.#note({ op: 'get', memoryRef, entries: version ? [toVersionId(version)] : [], at: now })
    return version && toMemoryEntry(version)
  }

  async put(memoryRef: string, draft: NodeDraft): Promise<PendingEntry> {
    // What is wrong with the call itself is found before the record is asked: a refused call is not recorded.
    const parsed = parseDraft(dropUndefined(draft))
    checkWrittenRef(memoryRef)
    if (memoryRef.startsWith('runs:'))
      throw invalid('memoryRef', 'must not start with runs: because the host writes those')
    const about = memoryRef.startsWith('subject:') ? memoryRef.slice('subject:'.length) : parsed.subject
    if (parsed.subject !== null && parsed.subject !== about) throw invalid('subject', 'must be that of the memoryRef')
    const known = this.#known('put')
    const { tenant, progress } = this.#execution
    if (isEphemeralRef(memoryRef)) return this.#putEphemeral(memoryRef, parsed, known)
    if (known) return this.#recalledPut(known)
    if (parsed.expiresAt !== null && parsed.expiresAt <= tenant.now())
      throw invalid('expiresAt', 'must lie in the future')
    const entryId = tenant.system.newId('mem')
    const sequence = progress.nextSequence
    const origin = {
      kind: 'run',
      runId: progress.base.runId,
      sequence,
      nodeId: this.#nodeId,
      ...(this.#agentId === null ? {} : { agentId: this.#agentId }),
    } as const
    const tags = [...parsed.tags, sourceTag(origin)]
    const written = { memoryRef, entryId, tags, origin, salt: tenant.system.newSalt() }
    const entry: NewEntry = { ...parsed, subject: about, ...written }
    this.#note({ op: 'put', memoryRef, entries: [{ id: entryId, version: 1 }], at: tenant.now() })
    progress.puts.push(entry)
    this.#tell(memoryRef, entryId, tags)
    return { id: entryId, stored: () => this.#stored(memoryRef, entryId) }
  }

  async delete(memoryRef: string, id: string): Promise<boolean> {
    const known = this.#known('delete')
    const { tenant } = this.#execution
    const now = tenant.now()
    if (known) {
      const isDeleted = known.entries.length > 0
      if (isDeleted && isEphemeralRef(memoryRef)) this.#ephemeral.drop(memoryRef, id)
      return isDeleted
    }
    if (!isMemoryRef(memoryRef) || !isEntryId(id)) return this.#nothing('delete', now, false)
    if (isEphemeralRef(memoryRef)) {
      const { full, entry } = this.#ephemeral.get(memoryRef, id, now)
      if (entry) this.#ephemeral.drop(memoryRef, id)
      this.#note({ op: 'delete', memoryRef: full, entries: entry ? [toFirstVersion(entry)] : [], at: now })
      return entry !== null
    }
    await this.#ready()
    const query = { tenantId: tenant.id, memoryRef, entryId: id, now }
    const [seen, live] = await Promise.all([
      tenant.storage.get({ ...query, view: this.#execution.progress.view }),
      tenant.storage.get({ ...query, view: currentView }),
    ])
    // A run deletes only what it can see: what came after its snapshot is not its business.
    const found = seen !== null && live !== null ? live : null
    this.#note({ op: 'delete', memoryRef, entries: found ? [toVersionId(found)] : [], at: now })
    if (found === null) return false
    const end = await planEnd(tenant, { memoryRef, entryId: id })
    const { progress } = this.#execution
    progress.puts.push(...(end.puts ?? []))
    progress.ends.push(...(end.ends ?? []))
    progress.revisions.push(...(end.revisions ?? []))
    progress.claims.push(...(end.claims ?? []))
    progress.expects.push(...(end.expects ?? []), { memoryRef, entryId: id, version: found.version })
    // The content that wins its claim now is written by this deletion, and by this node.
    for (const written of writtenBy(end)) this.#tell(written.memoryRef, written.entryId, written.tags)
    return true
  }

  async findNothing(op: 'list' | 'get' | 'search'): Promise<void> {
    if (this.#known(op) === null) this.#nothing(op, this.#execution.tenant.now(), null)
  }

  /** A call that can find nothing is a call all the same: a replay must find it in its place. The ref may be anything, so it is not kept. */
  #nothing<T>(op: MemoryOperation, at: number, result: T): T {
    this.#note({ op, memoryRef: '', entries: [], at })
    return result
  }

  /** Before a read: the snapshot must still be held, and what was written must be stored. */
  async #ready(): Promise<void> {
    assertSnapshotRetained(this.#execution.progress.base, this.#execution.tenant.now())
    await this.#settle()
    await this.#execution.noteRead()
  }

  /** Memory that was written must be stored before it can be read. */
  async #settle(): Promise<void> {
    if (this.#execution.progress.hasWrites) await this.#execution.commitStep()
  }

  /** The record of the call that comes next, if there is one. In a replay there has to be. */
  #known(op: MemoryOperation): MemoryCall | null {
    const done = this.#done[this.#count++]
    if (this.#execution.source && done?.op !== op) throw new ReplaySourceMissing()
    return done ?? null
  }

  /** The entries of a recorded read, as they were: the very versions, deleted since or not. A replay is refused what has expired. */
  async #recall({ memoryRef, entries, at }: MemoryCall): Promise<MemoryEntry[]> {
    const { tenant } = this.#execution
    if (isEphemeralRef(memoryRef)) {
      const kept = this.#ephemeral.open(memoryRef, true).entries
      const found = entries.flatMap(({ id }) => kept.filter((entry) => entry.id === id))
      const reads = found.map(({ expiresAt }) => ({ expiresAt: expiresAt ? Date.parse(expiresAt) : null, readAt: at }))
      if (this.#execution.source !== null) await refuseExpired(tenant, reads)
      return found
    }
    await this.#execution.noteRead()
    const keys = entries.map(({ id, version }) => ({ memoryRef, entryId: id, version }))
    const versions = await tenant.storage.versions(tenant.id, keys)
    // What a run read itself and is not there any more was forgotten; the run goes on without it.
    if (versions.length < entries.length && this.#execution.source !== null)
      throw new ColophonError('replay_memory_snapshot_unavailable', 'What the run read is no longer kept.')
    if (this.#execution.source !== null) {
      const reads = versions.map(({ expiresAt }) => ({ expiresAt, readAt: at }))
      await refuseExpired(tenant, reads)
    }
    return versions.map(toMemoryEntry)
  }

  #putEphemeral(memoryRef: string, draft: ReturnType<typeof parseDraft>, known: MemoryCall | null): PendingEntry {
    const { tenant } = this.#execution
    const now = known?.at ?? tenant.now()
    const id = known?.entries[0]?.id ?? tenant.system.newId('mem')
    const { full, entry, isNew } = this.#ephemeral.put(memoryRef, id, draft, now)
    if (isNew && known === null) {
      this.#note({ op: 'put', memoryRef: full, entries: [toFirstVersion(entry)], at: now })
      this.#tell(full, id, entry.tags)
    }
    return { id, stored: async () => this.#ephemeral.open(memoryRef).entries.find((kept) => kept.id === id) ?? entry }
  }

  #recalledPut(call: MemoryCall): PendingEntry {
    const stored = async (): Promise<MemoryEntry> => {
      const [entry] = await this.#recall(call)
      if (!entry) throw new ColophonError('content_erased', 'What the run wrote is gone.')
      return entry
    }
    return { id: call.entries[0]?.id ?? '', stored }
  }

  async #stored(memoryRef: string, entryId: string): Promise<MemoryEntry> {
    const { tenant } = this.#execution
    await this.#settle()
    const [version] = await tenant.storage.versions(tenant.id, [{ memoryRef, entryId, version: 1 }])
    if (!version) throw new ColophonError('content_erased', 'What the run wrote is gone.')
    return toMemoryEntry(version)
  }

  #note(facts: Facts): void {
    const { progress } = this.#execution
    const { position } = progress.base.snapshot
    progress.noteCall({ ...facts, nodeId: this.#nodeId, sequence: progress.nextSequence, position })
    if (facts.op === 'put') progress.set({ facts: { memoryWrites: progress.facts.memoryWrites + 1 } })
  }

  #tell(memoryRef: string, memoryId: string, tags: readonly string[]): void {
    const agent = this.#agentId === null ? {} : { agentId: this.#agentId }
    const facts = { memoryRef, memoryId, nodeId: this.#nodeId, ...agent }
    this.#execution.progress.emit('memory.written', { nodeId: this.#nodeId, facts, text: { tags } })
  }
}

/** The entries that are live because another one ended. */
function writtenBy({ puts = [], revisions = [] }: End): readonly Pick<NewEntry, 'memoryRef' | 'entryId' | 'tags'>[] {
  return [...puts, ...revisions].filter(({ endsAtOnce }) => endsAtOnce === undefined)
}

function toVersionId({ entryId, version }: EntryVersion) {
  return { id: entryId, version }
}

/** Entries of a scratchpad or conversation have one version. */
function toFirstVersion({ id }: MemoryEntry) {
  return { id, version: 1 }
}

export function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
