import type { NewEntry } from '../../core/commit/batch.ts'
import type { EntryVersion, MemoryEntry } from '../../core/entries/entry.ts'
import type { EntryEnd } from '../provenance/plan-entry-end.ts'

/** The entries of a node's memory calls, as they are recorded. */

/** The entries that became current because another one ended. */
export function writtenBy({
  puts = [],
  revisions = [],
}: EntryEnd): readonly Pick<NewEntry, 'memoryRef' | 'entryId' | 'tags'>[] {
  return [...puts, ...revisions].filter(({ endsAtOnce }) => endsAtOnce === undefined)
}

export function toVersionId({ entryId, version }: EntryVersion) {
  return { id: entryId, version }
}

/** Entries of a scratchpad or conversation have one version only. */
export function toFirstVersion({ id }: MemoryEntry) {
  return { id, version: 1 }
}

export function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
