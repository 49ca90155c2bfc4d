import { shortSha256 } from '../audit/digest.ts'
import { limits } from '../limits.ts'
import { type CompactionSource, isDistillation, type SealedCompaction } from './compaction.ts'

/**
 * A part of the sources of a distillation. Its id is a digest of what it has, so the distillations of a ref share their equal parts: a
 * ref is distilled again and again, and most of its entries stay as they are.
 */
export type LineageChunk = { readonly chunkId: string; readonly sources: readonly CompactionSource[] }

/** Before every id of a compaction, so that in their order the chunks come first. */
const chunkPrefix = '#'

/** In the lineage of a distillation, this version marks the id of a chunk. The versions of entries begin at 1. */
export const chunkVersion = 0

export function isChunkId(id: string): boolean {
  return id.startsWith(chunkPrefix)
}

/** The lineage of a compaction as it is stored: its own rows and, of a distillation, the chunks that they name. */
export function toLineage({ compaction, sources }: SealedCompaction): {
  readonly own: readonly CompactionSource[]
  readonly chunks: readonly LineageChunk[]
} {
  if (!isDistillation(compaction)) return { own: sources, chunks: [] }
  const chunks = toLineageChunks(sources)
  return { own: chunks.map(({ chunkId }) => ({ entryId: chunkId, version: chunkVersion })), chunks }
}

/**
 * Splits the sources into chunks. Where one ends is decided by the id of its last entry (content-defined chunking): if an entry is added,
 * changed or deleted, only its own chunk is another one.
 */
export function toLineageChunks(sources: readonly CompactionSource[]): readonly LineageChunk[] {
  const chunks: LineageChunk[] = []
  let first = 0
  for (const [index, { entryId }] of sources.entries()) {
    const size = index + 1 - first
    const isLast = index + 1 === sources.length
    if (!isLast && !endsChunk(entryId) && size < limits.lineageChunkSourcesMax) continue
    chunks.push(toChunk(sources.slice(first, index + 1)))
    first = index + 1
  }
  return chunks
}

function toChunk(sources: readonly CompactionSource[]): LineageChunk {
  const pairs = sources.map(({ entryId, version }) => [entryId, version])
  return { chunkId: `${chunkPrefix}${shortSha256(JSON.stringify(pairs))}`, sources }
}

/** Whether it is one of the entries that end a chunk: one in `lineageChunkSources`, by the hash FNV-1a. */
function endsChunk(entryId: string): boolean {
  let hash = 0x811c9dc5
  for (let index = 0; index < entryId.length; index++)
    hash = Math.imul(hash ^ entryId.charCodeAt(index), 0x01000193) >>> 0
  return hash % limits.lineageChunkSources === 0
}
