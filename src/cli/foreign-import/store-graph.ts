import { type Client, type EntryDraft, isClientError } from '../../client/index.ts'
import type { SourceWriter } from '../../client/source-writer.ts'
import { sha256 } from '../../core/audit/digest.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import { eventIdOf } from '../../integrations/items.ts'
import { graphRef, partKey } from '../../mcp/server-memory/graph.ts'
import { attemptsMax, type ImportOutcome, isKnownEvent } from './outcome.ts'

/** The graph as this import knows it: what it has, its newest entry, and the position of both. */
type Known = { readonly parts: Set<string>; newest: string[]; position: number }

/**
 * Adds lines to the knowledge graph, as its tools store it. Parts that the graph has are not stored again, and nothing is removed, so
 * what the tools added stays.
 */
export class GraphImport {
  readonly #client: Client
  readonly #writer: SourceWriter
  readonly #lowered: { readonly trust?: Trust }
  #known: Known | null = null

  constructor(client: Client, writer: SourceWriter, lowered: { readonly trust?: Trust }) {
    this.#client = client
    this.#writer = writer
    this.#lowered = lowered
  }

  /** The parts of one line: one event and one commit, if they are not more than one commit can have. */
  async store(drafts: readonly EntryDraft[]): Promise<ImportOutcome> {
    const id = eventIdOf(graphRef, `import:${sha256(JSON.stringify(drafts)).slice(0, 32)}`)
    let outcome: ImportOutcome = 'skipped'
    for (let at = 0; at < drafts.length; at += limits.batchEntriesMax) {
      const batch = drafts.slice(at, at + limits.batchEntriesMax)
      if ((await this.#storeBatch(batch, at === 0 ? id : `${id}:${at}`)) === 'imported') outcome = 'imported'
    }
    return outcome
  }

  async #storeBatch(drafts: readonly EntryDraft[], id: string): Promise<ImportOutcome> {
    for (let attempt = 1; ; attempt++) {
      this.#known ??= await this.#read()
      const known = this.#known
      const missing = drafts.filter((draft) => !known.parts.has(partKey(draft)))
      if (missing.length === 0) return 'skipped'
      const entries = missing.map((draft) => ({ ...draft, ...this.#lowered }))
      try {
        const stored = await this.#writer.write(graphRef, { entries, newest: known.newest }, { id, scope: {} })
        // A repeated event has the position of its first call: what it stored was deleted since, or is in quarantine.
        if (stored.position <= known.position) return 'skipped'
        for (const draft of missing) known.parts.add(partKey(draft))
        known.newest = stored.entries.slice(-1).map((entry) => entry.id)
        known.position = stored.position
        return 'imported'
      } catch (error) {
        if (isKnownEvent(error)) return 'skipped'
        if (!isClientError(error, 'version_conflict') || attempt === attemptsMax) throw error
        this.#known = null
      }
    }
  }

  async #read(): Promise<Known> {
    const { position, entries } = await this.#client.memory.list(graphRef, { limit: 1 })
    const parts = new Set<string>()
    for await (const entry of this.#client.memory.each(graphRef, { limit: limits.pageEntriesMax }))
      parts.add(partKey(entry))
    return { parts, newest: entries.map(({ id }) => id), position }
  }
}
