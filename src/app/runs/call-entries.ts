import type { NewEntry } from '../../core/commit/batch.ts'
import type { EntryVersion, MemoryEntry } from '../../core/entries/entry.ts'
import { invalid } from '../../core/errors.ts'
import { commitmentsPrefix, workspacePrefix } from '../../core/names.ts'
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

/** Refuses writes of nodes to refs that only the host writes. */
export function refuseHostOnlyRef(memoryRef: string): void {
  const prefix = ['runs:', 'archive:', workspacePrefix, commitmentsPrefix].find((each) => memoryRef.startsWith(each))
  if (prefix !== undefined)
    throw invalid('memoryRef', `must not start with ${prefix} because the host writes these refs`)
}
