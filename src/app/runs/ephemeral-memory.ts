import { toInstant } from '../../core/check.ts'
import type { MemoryEntry, parseDraft } from '../../core/entries/entry.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { listEphemeral, parseEphemeralRef, toEphemeralRef } from '../../core/run/ephemeral.ts'
import type { RunExecution } from './run-execution.ts'

type ListOptions = Parameters<typeof listEphemeral>[1]

/** The scratchpad and the conversation of a run. They are stored in the text of the run and deleted when it ends. */
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
    const entries = text.ephemeral[ref.name] ?? []
    return { name: ref.name, full: toEphemeralRef({ ...ref, runId: own.runId }), entries }
  }

  list(memoryRef: string, options: ListOptions) {
    const { full, entries } = this.open(memoryRef)
    return { full, entries: listEphemeral(entries, options) }
  }

  get(memoryRef: string, id: string, now: number): { readonly full: string; readonly entry: MemoryEntry | null } {
    const { full, entries } = this.list(memoryRef, { tag: null, limit: limits.ephemeralEntriesMax, now })
    return { full, entry: entries.find((entry) => entry.id === id) ?? null }
  }

  put(memoryRef: string, id: string, draft: ReturnType<typeof parseDraft>, now: number) {
    const { name, full, entries } = this.open(memoryRef)
    if (draft.expiresAt !== null && draft.expiresAt <= now) throw invalid('expiresAt', 'must be in the future')
    const entry = {
      id,
      content: draft.content,
      tags: [...draft.tags, 'source:run'],
      createdAt: toInstant(now),
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
    this.#set(
      name,
      entries.filter((entry) => entry.id !== id),
    )
  }

  #set(name: string, entries: readonly MemoryEntry[]): void {
    const { progress } = this.#execution
    progress.set({ text: { ephemeral: { ...progress.text.ephemeral, [name]: entries } } })
  }
}
