import type { NewEntry } from '../../core/commit/batch.ts'
import { refOfEntry } from '../../core/distillation/archive.ts'
import { commonReaders } from '../../core/entries/access.ts'
import { currentView } from '../../core/entries/as-of.ts'
import { type ClassedEntry, parseDraft, toClassedEntry } from '../../core/entries/entry.ts'
import { type Readers, readableRows } from '../../core/entries/readers.ts'
import { sourceTag } from '../../core/entries/tags.ts'
import { classOf, lowestTrust, type Trust } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { checkWrittenRef, isMemoryRef } from '../../core/names.ts'
import { foldName, personOfRef } from '../../core/people/spelling.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import type { MemoryCall, MemoryOperation } from '../../core/run/memory-call.ts'
import { withinBudget } from '../../core/search/token-budget.ts'
import { isEntryId } from '../entries/read.ts'
import { underStoredName } from '../people/stored-spellings.ts'
import { planEntryEnd } from '../provenance/plan-entry-end.ts'
import { dropUndefined, refuseHostOnlyRef, toFirstVersion, toVersionId, writtenBy } from './call-entries.ts'
import { EphemeralMemory } from './ephemeral-memory.ts'
import type {
  NodeDraft,
  NodeListOptions,
  NodeMemory,
  NodeSearchHit,
  NodeSearchOptions,
  PendingEntry,
} from './node-type.ts'
import { ReplaySourceMissing, refuseExpired } from './recorded-run.ts'
import type { RunExecution } from './run-execution.ts'
import { parseListOptions, parseSearchOptions, searchInRun, toNodeHits } from './run-search.ts'
import { assertSnapshotRetained } from './run-snapshot.ts'
import { canReadRef, viewOfRef, wholeViewOf } from './run-view.ts'

export type CallingNode = { readonly nodeId: string; readonly agentId: string | null }
type Facts = Pick<MemoryCall, 'op' | 'memoryRef' | 'entries' | 'at'>

/**
 * Memory for one node of one run. A call that is recorded already is answered from the record: after a crash because it was
 * made, in a replay because it must not be made. Any other call is made now and recorded with the run's next step.
 */
export class RunMemory implements Omit<NodeMemory, 'distill' | 'getFile' | 'putFile'> {
  readonly #execution: RunExecution
  readonly #nodeId: string
  readonly #agentId: string | null
  /** The recorded calls of the node: by this run before this execution, or by the source of the replay. */
  readonly #recorded: readonly MemoryCall[]
  readonly #ephemeral: EphemeralMemory
  #count = 0

  constructor(execution: RunExecution, node: CallingNode, recorded: readonly MemoryCall[]) {
    this.#execution = execution
    this.#nodeId = node.nodeId
    this.#agentId = node.agentId
    this.#recorded = recorded
    this.#ephemeral = new EphemeralMemory(execution, node.agentId)
  }

  async list(memoryRef: string, options: NodeListOptions = {}): Promise<ClassedEntry[]> {
    const { tag, limit, tokenBudget, trustMin } = parseListOptions(options)
    const recorded = this.recordedCall('list')
    if (recorded) return this.#replayRead(recorded)
    const { tenant } = this.#execution
    const now = tenant.expiryNow()
    if (!canReadRef(this.#execution, memoryRef)) return this.#recordNothing('list', now, [])
    if (isEphemeralRef(memoryRef)) {
      const { full, entries } = this.#ephemeral.list(memoryRef, { tag, limit, now })
      const taken = [...withinBudget(entries, ({ content }) => content, tokenBudget)]
      this.record({ op: 'list', memoryRef: full, entries: taken.map(toFirstVersion), at: now })
      this.#noteRead(taken)
      return taken
    }
    await this.#beforeRead()
    const view = viewOfRef(this.#execution, memoryRef)
    const seen = trustMin === undefined ? view : { ...view, access: { ...view.access, trustMin } }
    const query = { tenantId: tenant.id, memoryRef, tag, view: seen, now, before: null, limit }
    const { versions } = await tenant.storage.list(query)
    const taken = withinBudget(versions, ({ content }) => content, tokenBudget)
    this.record({ op: 'list', memoryRef, entries: taken.map(toVersionId), at: now })
    this.#noteRead(taken)
    return taken.map(toClassedEntry)
  }

  async search(memoryRef: string, query: string, options: NodeSearchOptions = {}): Promise<NodeSearchHit[]> {
    const parsed = parseSearchOptions(query, options)
    const recorded = this.recordedCall('search')
    if (recorded) return toNodeHits(await this.#replayRead(recorded), recorded)
    const now = this.#execution.tenant.expiryNow()
    if (!canReadRef(this.#execution, memoryRef)) return this.#recordNothing('search', now, [])
    if (!isEphemeralRef(memoryRef)) await this.#beforeRead()
    const own = isEphemeralRef(memoryRef) ? this.#ephemeral.open(memoryRef) : null
    const hits = await searchInRun(this.#execution, own?.full ?? memoryRef, parsed, own?.entries ?? null, now)
    this.record({ op: 'search', memoryRef: own?.full ?? memoryRef, entries: hits.map(({ found }) => found), at: now })
    this.#noteRead(hits)
    return hits.map(({ entry, found }) => ({ entry, score: found.score }))
  }

  async get(givenRef: string, id: string): Promise<ClassedEntry | null> {
    const memoryRef = refOfEntry(givenRef, id)
    const recorded = this.recordedCall('get')
    if (recorded) return (await this.#replayRead(recorded))[0] ?? null
    const { tenant } = this.#execution
    const now = tenant.expiryNow()
    if (!canReadRef(this.#execution, memoryRef) || !isEntryId(id)) return this.#recordNothing('get', now, null)
    if (isEphemeralRef(memoryRef)) {
      const { full, entry } = this.#ephemeral.get(memoryRef, id, now)
      this.record({ op: 'get', memoryRef: full, entries: entry ? [toFirstVersion(entry)] : [], at: now })
      if (entry) this.#noteRead([entry])
      return entry
    }
    await this.#beforeRead()
    const key = { tenantId: tenant.id, memoryRef, entryId: id }
    const version = await tenant.storage.get({ ...key, view: wholeViewOf(this.#execution, memoryRef), now })
    this.record({ op: 'get', memoryRef, entries: version ? [toVersionId(version)] : [], at: now })
    if (version) this.#noteRead([version])
    return version && toClassedEntry(version)
  }

  async put(givenRef: string, draft: NodeDraft): Promise<PendingEntry> {
    // Invalid arguments are refused before the record is read, because a refused call is not recorded.
    const parsed = parseDraft(dropUndefined(draft))
    checkWrittenRef(givenRef)
    refuseHostOnlyRef(givenRef)
    const about = personOfRef(givenRef) ?? parsed.subject
    if (parsed.subject !== null && foldName(parsed.subject) !== foldName(about ?? ''))
      throw invalid('subject', 'must be the subject of the memoryRef')
    const recorded = this.recordedCall('put')
    const { tenant, progress } = this.#execution
    if (isEphemeralRef(givenRef)) return this.#putEphemeral(givenRef, parsed, recorded)
    if (recorded) return this.#replayedPut(recorded)
    if (parsed.expiresAt !== null && parsed.expiresAt <= tenant.now())
      throw invalid('expiresAt', 'must be in the future')
    const { memoryRef, subject } = await underStoredName(tenant, { memoryRef: givenRef, subject: about })
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
    // What the run has read so far is part of what it writes.
    const trust = lowestTrust(parsed.trust ?? progress.writeTrust, progress.writeTrust)
    const written = { memoryRef, entryId, tags, origin, trust, salt: tenant.system.newSalt() }
    // A node can name fewer readers than those of what the run has read, and no others.
    const readers = commonReaders([parsed.readers ?? null, progress.facts.readers ?? null])
    const entry: NewEntry = { ...parsed, subject, readers, ...written }
    await this.#execution.ensureRoom({ puts: [entry] })
    this.record({ op: 'put', memoryRef, entries: [{ id: entryId, version: 1 }], at: tenant.now() })
    progress.puts.push(entry)
    this.#emitWritten(memoryRef, entryId, tags)
    return { id: entryId, stored: () => this.#stored(memoryRef, entryId) }
  }

  async delete(memoryRef: string, id: string): Promise<boolean> {
    refuseHostOnlyRef(memoryRef)
    const recorded = this.recordedCall('delete')
    const { tenant } = this.#execution
    const now = tenant.expiryNow()
    if (recorded) {
      const isDeleted = recorded.entries.length > 0
      if (isDeleted && isEphemeralRef(memoryRef)) this.#ephemeral.drop(memoryRef, id)
      return isDeleted
    }
    if (!isMemoryRef(memoryRef) || !isEntryId(id)) return this.#recordNothing('delete', now, false)
    if (isEphemeralRef(memoryRef)) {
      const { full, entry } = this.#ephemeral.get(memoryRef, id, now)
      if (entry) this.#ephemeral.drop(memoryRef, id)
      this.record({ op: 'delete', memoryRef: full, entries: entry ? [toFirstVersion(entry)] : [], at: now })
      return entry !== null
    }
    await this.#beforeRead()
    const query = { tenantId: tenant.id, memoryRef, entryId: id, now }
    const [seen, live] = await Promise.all([
      tenant.storage.get({ ...query, view: wholeViewOf(this.#execution, memoryRef) }),
      tenant.storage.get({ ...query, view: currentView }),
    ])
    // A run deletes only entries that it can see, not entries newer than its snapshot.
    const found = seen !== null && live !== null ? live : null
    this.record({ op: 'delete', memoryRef, entries: found ? [toVersionId(found)] : [], at: now })
    if (found === null) return false
    // The ref of the entry, which may spell the person in another way.
    const key = { memoryRef: found.memoryRef, entryId: id }
    const end = await planEntryEnd(tenant, key)
    const { progress } = this.#execution
    progress.puts.push(...(end.puts ?? []))
    progress.ends.push(...(end.ends ?? []))
    progress.revisions.push(...(end.revisions ?? []))
    progress.claims.push(...(end.claims ?? []))
    progress.expects.push(...(end.expects ?? []), { ...key, version: found.version })
    // If the deletion makes another content the winner of a claim, this node has written that entry.
    for (const written of writtenBy(end)) this.#emitWritten(written.memoryRef, written.entryId, written.tags)
    return true
  }

  async findNothing(op: 'list' | 'get' | 'search'): Promise<void> {
    if (this.recordedCall(op) === null) this.#recordNothing(op, this.#execution.tenant.now(), null)
  }

  /** Records a call without result, so that a replay finds it. The ref is not stored: it may be any text. */
  #recordNothing<T>(op: MemoryOperation, at: number, result: T): T {
    this.record({ op, memoryRef: '', entries: [], at })
    return result
  }

  /** Before a read: the snapshot must be retained, and the run's writes must be committed. */
  async #beforeRead(): Promise<void> {
    assertSnapshotRetained(this.#execution.progress.base, this.#execution.tenant.now())
    await this.commitWrites()
    await this.#execution.noteRead()
  }

  /** Commits the run's writes, so that they can be read. */
  protected async commitWrites(): Promise<void> {
    if (this.#execution.progress.hasWrites) await this.#execution.commitStep()
  }

  /** The recorded call that comes next; null when there is none. A replay must have one of the same operation. */
  protected recordedCall(op: MemoryOperation): MemoryCall | null {
    const call = this.#recorded[this.#count++]
    if (this.#execution.source && call?.op !== op) throw new ReplaySourceMissing()
    return call ?? null
  }

  /** The versions that a recorded read returned, even if they were deleted since. A replay is refused expired entries. */
  async #replayRead({ memoryRef, entries, at }: MemoryCall): Promise<ClassedEntry[]> {
    const { tenant } = this.#execution
    if (isEphemeralRef(memoryRef)) {
      const read = await this.#ephemeral.replayRead(memoryRef, entries, at)
      this.#noteRead(read)
      return read
    }
    await this.#execution.noteRead()
    const readable = canReadRef(this.#execution, memoryRef) ? entries : []
    const keys = readable.map(({ id, version }) => ({ memoryRef, entryId: id, version }))
    const { reader = null } = this.#execution.progress.facts
    // Judged by the rights of today, as every read of the past.
    const versions = readableRows(await tenant.storage.versions(tenant.id, keys), reader)
    // A version that this run read and that is missing was erased: the run continues without it.
    if (versions.length < entries.length && this.#execution.source !== null)
      throw new ColophonError('replay_memory_snapshot_unavailable', 'An entry that the run read is no longer stored.')
    const reads = versions.map(({ expiresAt }) => ({ expiresAt, readAt: at }))
    if (this.#execution.source !== null) await refuseExpired(tenant, reads)
    this.#noteRead(versions)
    return versions.map(toClassedEntry)
  }

  /** What the run writes has the lowest class, and the common readers, of what it has read. */
  #noteRead(read: readonly { readonly trust?: Trust; readonly readers?: Readers }[]): void {
    const { progress } = this.#execution
    progress.noteTrust(read.map(classOf))
    progress.noteReaders(read)
  }

  #putEphemeral(memoryRef: string, draft: ReturnType<typeof parseDraft>, recorded: MemoryCall | null): PendingEntry {
    const { tenant } = this.#execution
    const now = recorded?.at ?? tenant.now()
    const id = recorded?.entries[0]?.id ?? tenant.system.newId('mem')
    const { writeTrust } = this.#execution.progress
    const trust = lowestTrust(draft.trust ?? writeTrust, writeTrust)
    const { full, entry, isNew } = this.#ephemeral.put(memoryRef, id, { ...draft, trust }, now)
    if (isNew && recorded === null) {
      this.record({ op: 'put', memoryRef: full, entries: [toFirstVersion(entry)], at: now })
      this.#emitWritten(full, id, entry.tags)
    }
    return { id, stored: async () => this.#ephemeral.open(memoryRef).entries.find((kept) => kept.id === id) ?? entry }
  }

  #replayedPut(call: MemoryCall): PendingEntry {
    const stored = async (): Promise<ClassedEntry> => {
      const [entry] = await this.#replayRead(call)
      if (!entry) throw new ColophonError('content_erased', 'The entry that the run wrote was erased.')
      return entry
    }
    return { id: call.entries[0]?.id ?? '', stored }
  }

  async #stored(memoryRef: string, entryId: string): Promise<ClassedEntry> {
    const { tenant } = this.#execution
    await this.commitWrites()
    const [version] = await tenant.storage.versions(tenant.id, [{ memoryRef, entryId, version: 1 }])
    if (!version) throw new ColophonError('content_erased', 'The entry that the run wrote was erased.')
    return toClassedEntry(version)
  }

  protected record(facts: Facts): void {
    const { progress } = this.#execution
    const { position } = progress.base.snapshot
    progress.noteCall({ ...facts, nodeId: this.#nodeId, sequence: progress.nextSequence, position })
    if (facts.op === 'put') progress.set({ facts: { memoryWrites: progress.facts.memoryWrites + 1 } })
  }

  #emitWritten(memoryRef: string, memoryId: string, tags: readonly string[]): void {
    const agent = this.#agentId === null ? {} : { agentId: this.#agentId }
    const facts = { memoryRef, memoryId, nodeId: this.#nodeId, ...agent }
    this.#execution.progress.emit('memory.written', { nodeId: this.#nodeId, facts, text: { tags } })
  }
}
