import { type EntryVersion, type MemoryEntry, toMemoryEntry } from '../../core/entries/entry.ts'
import { defaultTrust, type Trust } from '../../core/entries/trust.ts'

/** The classes of the entries that nodes were given. They are beside the entries, because workflows copy entries into variables. */
const classes = new WeakMap<MemoryEntry, Trust>()

/** The entry of a version, for a node. */
export function toNodeEntry(version: EntryVersion): MemoryEntry {
  const entry = toMemoryEntry(version)
  classes.set(entry, version.trust)
  return entry
}

/** The class of an entry that a node was given. */
export function trustOfEntry(entry: MemoryEntry): Trust {
  return classes.get(entry) ?? defaultTrust
}
