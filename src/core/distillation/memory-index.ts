import { canonicalJson } from '../canonical.ts'
import { utf8Bytes } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'

/** The workspace file that names the newest archive of every distilled ref, without any text of them. */
export const memoryIndexPath = 'MEMORY-INDEX.json'
export const memoryIndexType = 'application/json'

/** The newest archive of a ref. */
export type IndexEntry = {
  readonly archiveId: string
  readonly archiveChecksum: string
  readonly entryCount: number
  readonly updatedAt: string
  readonly expiresAt: string
}

export type MemoryIndex = Readonly<Record<string, IndexEntry>>

/** Refuses a client's or node's change of the index. A caller that could write it could name other archives to every agent that reads it. */
export function refuseIndexPath(path: string): void {
  if (path === memoryIndexPath)
    throw invalid('path', `must not be ${memoryIndexPath} because the host writes this file: use another path`)
}

/** The index in a file. A file with something else, as an import can bring one, is an empty index. */
export function parseIndex(content: string | null): MemoryIndex {
  try {
    const { version, refs } = JSON.parse(content ?? '') as { version?: unknown; refs?: unknown }
    if (version !== 1 || typeof refs !== 'object' || refs === null) return {}
    return Object.fromEntries(Object.entries(refs).filter((entry): entry is [string, IndexEntry] => isEntry(entry[1])))
  } catch {
    return {}
  }
}

function isEntry(value: unknown): boolean {
  const { archiveId, archiveChecksum, entryCount, updatedAt, expiresAt } = (value ?? {}) as Partial<IndexEntry>
  const texts = [archiveId, archiveChecksum, updatedAt, expiresAt]
  return texts.every((text) => typeof text === 'string') && typeof entryCount === 'number'
}

/** The index with another archive of a ref, or without one. Archives that have expired are dropped. */
export function withArchive(index: MemoryIndex, memoryRef: string, entry: IndexEntry | null, now: number): MemoryIndex {
  const others = Object.entries(index).filter(
    ([ref, { expiresAt }]) => ref !== memoryRef && Date.parse(expiresAt) > now,
  )
  return Object.fromEntries(entry === null ? others : [...others, [memoryRef, entry]])
}

/** The file of an index. What does not fit is counted in `omitted`, the oldest archives first. */
export function formatIndex(index: MemoryIndex): string {
  const newest = Object.entries(index).sort(([, a], [, b]) => (a.updatedAt < b.updatedAt ? 1 : -1))
  const total = newest.length
  for (;;) {
    const omitted = total - newest.length
    const document = { version: 1, refs: Object.fromEntries(newest), ...(omitted > 0 ? { omitted } : {}) }
    const content = canonicalJson(document)
    if (utf8Bytes(content) <= limits.workspaceFileBytesMax || newest.length === 0) return content
    newest.splice(-Math.ceil(newest.length / 20))
  }
}
