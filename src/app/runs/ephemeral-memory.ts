import { toInstant } from '../../core/check.ts'
import type { ClassedEntry, ParsedDraft } from '../../core/entries/entry.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { conversationChannel, messagesOf, toEntries } from '../../core/run/channel.ts'
import { listEphemeral, parseEphemeralRef, toEphemeralRef } from '../../core/run/ephemeral.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import { refuseExpired } from './recorded-run.ts'
import type { RunExecution } from './run-execution.ts'

type ListOptions = Parameters<typeof listEphemeral>[1]

/** The scratchpads of a run, which are stored in its text and deleted when it ends, and its conversation, which is read here. */
export class EphemeralMemory {
  readonly #execution: RunExecution
  readonly #agentId: string

  constructor(execution: RunExecution, agentId: string | null) {
    this.#execution = execution
    this.#agentId = agentId ?? ''
  }

  /** A recorded ref names the scratchpad of the source run. With `isRecorded` it means this run's own. */
  open(memoryRef: string, isRecorded = false) {
    const { base, facts, text } = this.#execution.progress
    const own = { runId: base.runId, agentId: this.#agentId }
    const ref = parseEphemeralRef(memoryRef, own)
    // In a replay, the nodes of the source name the source's scratchpad.
    const isOwn = isRecorded || ref?.runId === own.runId || ref?.runId === facts.fork?.sourceRunId
    if (ref === null || !isOwn) throw invalid('memoryRef', 'must name the scratchpad or conversation of this run')
    const isConversation = ref.name === conversationChannel
    const entries = isConversation ? toEntries(messagesOf(text, ref.name)) : (text.ephemeral[ref.name] ?? [])
    return { name: ref.name, full: toEphemeralRef({ ...ref, runId: own.runId }), entries }
  }

  list(memoryRef: string, options: ListOptions) {
    const { full, entries } = this.open(memoryRef)
    return { full, entries: listEphemeral(entries, options) }
  }

  get(memoryRef: string, id: string, now: number): { readonly full: string; readonly entry: ClassedEntry | null } {
    const { full, entries } = this.list(memoryRef, { tag: null, limit: limits.ephemeralEntriesMax, now })
    return { full, entry: entries.find((entry) => entry.id === id) ?? null }
  }

  /** The entries that a recorded read returned. A replay is refused those that have expired, or messages that were erased. */
  async replayRead(memoryRef: string, entries: MemoryCall['entries'], at: number): Promise<ClassedEntry[]> {
    const kept = this.open(memoryRef, true).entries
    const found = entries.flatMap(({ id }) => kept.filter((entry) => entry.id === id))
    if (this.#execution.source === null) return found
    const reads = found.map(({ expiresAt }) => ({ expiresAt: expiresAt ? Date.parse(expiresAt) : null, readAt: at }))
    await refuseExpired(this.#execution.tenant, reads)
    if (found.length === entries.length) return found
    throw new ColophonError('replay_memory_snapshot_unavailable', 'A message that the run read is no longer stored.')
  }

  /** The conversation is a channel of the run: its messages are read here, and written as messages only. */
  #refuseConversation(name: string): void {
    if (name === conversationChannel)
      throw invalid('memoryRef', 'must not be the conversation: add messages with colophon.message.add')
  }

  put(memoryRef: string, id: string, draft: ParsedDraft & { readonly trust: Trust }, now: number) {
    const { name, full, entries } = this.open(memoryRef)
    this.#refuseConversation(name)
    if (draft.expiresAt !== null && draft.expiresAt <= now) throw invalid('expiresAt', 'must be in the future')
    const entry = {
      id,
      content: draft.content,
      tags: [...draft.tags, 'source:run'],
      createdAt: toInstant(now),
      trust: draft.trust,
      ...(draft.expiresAt === null ? {} : { expiresAt: toInstant(draft.expiresAt) }),
    }
    const isNew = entries.every((kept) => kept.id !== id)
    if (isNew && entries.length >= limits.ephemeralEntriesMax) {
      throw invalid('memoryRef', `must hold at most ${limits.ephemeralEntriesMax} entries`, {
        limit: 'ephemeralEntriesMax',
        max: limits.ephemeralEntriesMax,
      })
    }
    if (isNew) this.#set(name, [...entries, entry])
    return { full, entry, isNew }
  }

  drop(memoryRef: string, id: string): void {
    const { name, entries } = this.open(memoryRef)
    this.#refuseConversation(name)
    this.#set(
      name,
      entries.filter((entry) => entry.id !== id),
    )
  }

  #set(name: string, entries: readonly ClassedEntry[]): void {
    const { progress } = this.#execution
    progress.set({ text: { ephemeral: { ...progress.text.ephemeral, [name]: entries } } })
  }
}
