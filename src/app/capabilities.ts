import type { HostMemory } from '../core/memory-dimensions.ts'
import type { StorageTraits } from '../ports/storage.ts'

/** What is really configured and working now; nothing is claimed that does not come from here. */
export type HostFacts = {
  readonly version: string
  readonly traits: StorageTraits
  /** Whether every stored secret can be redacted. Without that, SR-1 does not hold and long-term memory is not offered. */
  readonly vaultOpen: boolean
  readonly bodyLimitBytes: number
  /** Whether this process can tell webhooks. */
  readonly sendsWebhooks: boolean
  /** Whether an embedder is configured and works. */
  readonly hasSemanticSearch: boolean
  /** Workflows that stand ready for a conformance run. */
  readonly fixtures: readonly string[]
}

/** What the memory of this host can do: discovery and the inventory of agents both follow from it. */
export function hostMemory(facts: HostFacts): HostMemory {
  const longTerm = facts.traits.durable && facts.vaultOpen
  return {
    read: true,
    write: true,
    longTerm,
    scratchpad: true,
    conversation: true,
    // By words, narrowed by tag, category, writer and time; by meaning only with an embedder, and there is none.
    search: facts.hasSemanticSearch ? ['filter', 'semantic'] : ['filter'],
    // The summary goes through the redactor, so it needs what redacts.
    compaction: longTerm,
    attribution: true,
    replaySnapshot: longTerm,
    ttl: true,
    forget: true,
  }
}
