import { utf8Bytes } from '../check.ts'
import type { EntryVersion } from '../entries/entry.ts'
import { isExpired } from '../entries/view.ts'
import { limits } from '../limits.ts'
import type { CompactionSource } from './compaction.ts'
import type { CompactionPolicy } from './policy.ts'

/** What a pass over one ref takes, and how much at once. */
export type Selection = Pick<
  CompactionPolicy,
  'keepNewest' | 'minEntries' | 'minBytes' | 'tags' | 'skipTags' | 'outputs' | 'maxInputEntries'
> & {
  /** Only entries created before this instant. */
  readonly createdBefore: number
}

/** Entries that may become one, by identifiers: their text is read when their turn comes. */
export type SourceGroup = {
  readonly subject: string | null
  /** The earliest end of their lives; null when they have none. */
  readonly expiresAt: number | null
  readonly bytes: number
  /** The newest first. */
  readonly sources: readonly CompactionSource[]
}

/**
 * Sorts the entries of one ref, which come newest first, into groups that may become one entry each: of one subject, and
 * with an end of life only among themselves. An entry that decides a claim is never taken: whether it holds is a matter
 * of authority, and no summary may take that over.
 */
export class Selector {
  readonly #selection: Selection
  readonly #now: number
  readonly #open = new Map<string, OpenGroup>()
  #seen = 0

  constructor(selection: Selection, now: number) {
    this.#selection = selection
    this.#now = now
  }

  /** A group that is complete with this entry, if there is one. */
  add(entry: EntryVersion): SourceGroup | null {
    this.#seen += 1
    if (this.#seen <= this.#selection.keepNewest || !this.#isCandidate(entry)) return null
    const key = JSON.stringify([entry.subject, entry.expiresAt !== null])
    const bytes = utf8Bytes(entry.content)
    const open = this.#open.get(key)
    const isFull = open !== undefined && open.bytes + bytes > limits.compactionInputBytesMax
    const group = open === undefined || isFull ? newGroup(entry) : open
    group.sources.push({ entryId: entry.entryId, version: entry.version })
    group.bytes += bytes
    if (entry.expiresAt !== null) group.expiresAt = Math.min(group.expiresAt ?? entry.expiresAt, entry.expiresAt)
    this.#open.set(key, group)
    if (isFull) return this.#worth(open)
    if (group.sources.length < this.#selection.maxInputEntries) return null
    this.#open.delete(key)
    return this.#worth(group)
  }

  /** What is left when every entry was seen. */
  rest(): SourceGroup[] {
    const groups = [...this.#open.values()].map((group) => this.#worth(group))
    this.#open.clear()
    return groups.filter((group) => group !== null)
  }

  #worth(group: OpenGroup): SourceGroup | null {
    const { minEntries, minBytes } = this.#selection
    return group.sources.length >= Math.max(minEntries, 2) && group.bytes >= minBytes ? group : null
  }

  #isCandidate(entry: EntryVersion): boolean {
    const { createdBefore, tags, skipTags, outputs } = this.#selection
    return (
      entry.createdAt < createdBefore &&
      !isExpired(entry, this.#now) &&
      (entry.classification?.claimId ?? null) === null &&
      (outputs || entry.origin.kind !== 'compaction') &&
      (tags.length === 0 || tags.some((tag) => entry.tags.includes(tag))) &&
      !skipTags.some((tag) => entry.tags.includes(tag))
    )
  }
}

type OpenGroup = { subject: string | null; expiresAt: number | null; bytes: number; sources: CompactionSource[] }

function newGroup({ subject }: EntryVersion): OpenGroup {
  return { subject, expiresAt: null, bytes: 0, sources: [] }
}
