import { utf8Bytes } from '../check.ts'
import { isExpired } from '../entries/as-of.ts'
import type { EntryVersion } from '../entries/entry.ts'
import { readersKey } from '../entries/readers.ts'
import { isMark } from '../entries/tags.ts'
import { limits } from '../limits.ts'
import type { CompactionSource } from './compaction.ts'
import type { CompactionPolicy } from './policy.ts'

/** The criteria by which a pass selects the entries of one ref, and the size of a group. */
export type SelectionCriteria = Pick<
  CompactionPolicy,
  'keepNewest' | 'minEntries' | 'minBytes' | 'tags' | 'skipTags' | 'outputs' | 'maxInputEntries'
> & {
  /** Only entries created before this instant. */
  readonly createdBefore: number
}

/** Entries that may be compacted into one, by identifiers. Their texts are read when the group is compacted. */
export type SourceGroup = {
  readonly subject: string | null
  /** The earliest expiry of the sources; null when they do not expire. */
  readonly expiresAt: number | null
  readonly bytes: number
  /** Newest first. */
  readonly sources: readonly CompactionSource[]
}

/**
 * Groups the entries of one ref, which arrive newest first, into candidates for compaction. A group has one subject, one
 * class and the same readers, so that no summary hides what a reader may see, and its entries either all expire or never expire. An entry that belongs to a claim is never selected: authority decides which
 * content is current, and a summary must not replace that decision. Nor is one that a person has marked to be in every prompt.
 */
export class SourceSelector {
  readonly #selection: SelectionCriteria
  readonly #now: number
  readonly #open = new Map<string, OpenGroup>()
  #seen = 0

  constructor(selection: SelectionCriteria, now: number) {
    this.#selection = selection
    this.#now = now
  }

  /** Adds an entry. Returns a group when it is complete. */
  add(entry: EntryVersion): SourceGroup | null {
    this.#seen += 1
    if (this.#seen <= this.#selection.keepNewest || !this.#isCandidate(entry)) return null
    const key = JSON.stringify([entry.subject, entry.expiresAt !== null, entry.trust, readersKey(entry.readers)])
    const bytes = utf8Bytes(entry.content)
    const open = this.#open.get(key)
    const isFull = open !== undefined && open.bytes + bytes > limits.compactionInputBytesMax
    const group = open === undefined || isFull ? newGroup(entry) : open
    group.sources.push({ entryId: entry.entryId, version: entry.version })
    group.bytes += bytes
    if (entry.expiresAt !== null) group.expiresAt = Math.min(group.expiresAt ?? entry.expiresAt, entry.expiresAt)
    this.#open.set(key, group)
    if (isFull) return this.#ifLargeEnough(open)
    if (group.sources.length < this.#selection.maxInputEntries) return null
    this.#open.delete(key)
    return this.#ifLargeEnough(group)
  }

  /** The incomplete groups, after the last entry was added. */
  flush(): SourceGroup[] {
    const groups = [...this.#open.values()].map((group) => this.#ifLargeEnough(group))
    this.#open.clear()
    return groups.filter((group) => group !== null)
  }

  #ifLargeEnough(group: OpenGroup): SourceGroup | null {
    const { minEntries, minBytes } = this.#selection
    return group.sources.length >= Math.max(minEntries, 2) && group.bytes >= minBytes ? group : null
  }

  #isCandidate(entry: EntryVersion): boolean {
    const { createdBefore, tags, skipTags, outputs } = this.#selection
    return (
      entry.createdAt < createdBefore &&
      !isExpired(entry, this.#now) &&
      (entry.classification?.claimId ?? null) === null &&
      !entry.tags.some(isMark) &&
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
