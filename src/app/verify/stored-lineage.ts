import type { CompactionSource } from '../../core/compaction/compaction.ts'
import { chunkVersion, isChunkId } from '../../core/compaction/lineage-chunks.ts'
import type { StoredRow, StoredRows } from '../../ports/stored-rows.ts'
import type { TimeSlice } from '../event-loop.ts'
import { DependentRows, streamRows } from './stream-rows.ts'

/** The stored sources of compactions, read in step with them. The chunks come first, because of their ids. */
export class StoredLineage {
  readonly #stream: (from?: string) => AsyncGenerator<StoredRow<CompactionSource>>
  readonly #rows: DependentRows<CompactionSource>
  /** Chunks that no compaction has named yet. */
  readonly #unnamed = new Set<string>()

  constructor(rows: StoredRows, tenantId: string, yieldToEventLoop: TimeSlice) {
    this.#stream = (from) =>
      streamRows(rows, 'lineage', tenantId, yieldToEventLoop, from === undefined ? null : [from, -1])
    this.#rows = new DependentRows(this.#stream())
  }

  /** The owners of rows before those of this compaction that are no compactions. With null, all that remain, and chunks that none has. */
  async *orphans(before: string | null): AsyncGenerator<string> {
    for await (const { key } of this.#rows.before(before)) {
      const owner = String(key[0])
      if (isChunkId(owner)) this.#unnamed.add(owner)
      else yield owner
    }
    if (before === null) yield* this.#unnamed
  }

  /** The rows of a compaction; `expand` reads the chunks that they name. */
  async of(compactionId: string): Promise<CompactionSource[]> {
    const own = (await this.#rows.allOf(compactionId)).flatMap(({ row }) => row ?? [])
    for (const { entryId, version } of own) if (version === chunkVersion) this.#unnamed.delete(entryId)
    return own
  }

  async expand(own: readonly CompactionSource[]): Promise<CompactionSource[]> {
    const sources: CompactionSource[] = []
    for (const source of own) {
      if (source.version === chunkVersion) sources.push(...(await this.#chunk(source.entryId)))
      else sources.push(source)
    }
    return sources
  }

  async #chunk(chunkId: string): Promise<CompactionSource[]> {
    const rows = await new DependentRows(this.#stream(chunkId)).allOf(chunkId)
    return rows.flatMap(({ row }) => row ?? [])
  }
}
