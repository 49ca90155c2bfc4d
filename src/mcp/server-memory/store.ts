import { type Client, type EntryDraft, isClientError, type MemoryEntry } from '../../client/index.ts'
import { limits } from '../../core/limits.ts'
import type { BoundRef } from '../bound-ref.ts'
import type { ToolCall } from '../source-of-call.ts'
import { ToolRefusal } from '../tools.ts'
import { type Graph, graphOf } from './graph.ts'

/** How often a change is decided again because another client changed the graph meanwhile. */
const attemptsMax = 8

/** What a tool adds to the graph and removes from it. */
export type GraphChange = { readonly entries?: readonly EntryDraft[]; readonly deletes?: readonly string[] }

export type GraphStore = {
  read(): Promise<Graph>
  /** Decides a change on the graph as it is, and stores it with its source event. Returns what was stored as a graph. */
  change(call: ToolCall, decide: (graph: Graph, entries: readonly MemoryEntry[]) => GraphChange): Promise<Graph>
}

function tooLarge(ref: string): ToolRefusal {
  const { graphEntriesMax: entries, graphCharactersMax: characters } = limits
  return new ToolRefusal(
    'graph_too_large',
    `The graph ${ref} has more than ${entries} parts or ${characters} characters. Use the tools of Colophon on this ref, or another ref.`,
  )
}

/** The graph of one ref. */
export function createGraphStore(client: Client, ref: string, readers: BoundRef['readers']): GraphStore {
  /** All entries, oldest first. */
  async function readAll(): Promise<MemoryEntry[]> {
    const entries: MemoryEntry[] = []
    let characters = 0
    for await (const entry of client.memory.each(ref, { limit: limits.pageEntriesMax })) {
      characters += entry.content.length
      if (entries.length === limits.graphEntriesMax || characters > limits.graphCharactersMax) throw tooLarge(ref)
      entries.push(entry)
    }
    return entries.reverse()
  }

  async function store({ writer, call }: ToolCall, known: readonly MemoryEntry[], change: GraphChange) {
    const drafts = (change.entries ?? []).map((draft) => (readers === undefined ? draft : { ...draft, readers }))
    const deletes = change.deletes ?? []
    const stored: MemoryEntry[] = []
    const commits = Math.ceil(Math.max(drafts.length, deletes.length) / limits.batchEntriesMax)
    let newest = known.at(-1)?.id
    for (let at = 0; at < commits; at++) {
      const range = [at * limits.batchEntriesMax, (at + 1) * limits.batchEntriesMax] as const
      const batch = { entries: drafts.slice(...range), deletes: deletes.slice(...range) }
      const written = await writer.write(
        ref,
        // Refused if another client stored something since it was read: then the change is decided again.
        { ...batch, ...(at > 0 || newest === undefined ? {} : { newest: [newest] }) },
        at === 0 ? call : { ...call, id: `${call.id}:${at}` },
      )
      newest = undefined
      stored.push(...written.entries)
    }
    return graphOf(stored)
  }

  return {
    read: async () => graphOf(await readAll()),
    async change(call, decide) {
      for (let attempt = 1; ; attempt++) {
        const entries = await readAll()
        try {
          return await store(call, entries, decide(graphOf(entries), entries))
        } catch (error) {
          if (!isClientError(error, 'version_conflict') || attempt === attemptsMax) throw error
        }
      }
    },
  }
}
