import type { HostMemory } from '../core/entries/memory-dimensions.ts'
import type { StorageTraits } from '../ports/storage.ts'

/** What is really configured and working now; nothing is claimed that does not come from here. */
export type HostFacts = {
  readonly version: string
  readonly traits: StorageTraits
  /** What the database does at this moment. */
  readonly store: { readonly readable: boolean; readonly writable: boolean }
  /** Whether every stored secret can be redacted. Without that nothing is written: SR-1 would not hold. */
  readonly vaultOpen: boolean
  readonly bodyLimitBytes: number
  /** Whether this process can tell webhooks. */
  readonly sendsWebhooks: boolean
  /** Whether an embedder is configured and works. */
  readonly hasSemanticSearch: boolean
  /** Workflows that stand ready for a conformance run. */
  readonly fixtures: readonly string[]
}

/** Every write is redacted first, so it needs the vault as well as the database. */
export function takesWrites({ store, vaultOpen }: HostFacts): boolean {
  return store.readable && store.writable && vaultOpen
}

/** What the memory of this host can do: discovery and the inventory of agents both follow from it. */
export function hostMemory(facts: HostFacts): HostMemory {
  const read = facts.store.readable
  const write = takesWrites(facts)
  const longTerm = read && facts.traits.durable && facts.vaultOpen
  return {
    read,
    write,
    longTerm,
    scratchpad: true,
    conversation: true,
    // By words, narrowed by tag, category, writer and time; by meaning only with an embedder that works.
    search: !read ? [] : facts.hasSemanticSearch ? ['filter', 'semantic'] : ['filter'],
    compaction: longTerm && write,
    attribution: write,
    // The protocol derives it from an execution model of version 2, and no such model is claimed: nothing dispatches agents.
    replaySnapshot: false,
    ttl: read,
    forget: write,
  }
}
