import type { HostMemory } from '../core/entries/memory-dimensions.ts'
import { limits } from '../core/limits.ts'
import type { StorageTraits } from '../ports/storage.ts'
import type { Engine } from './engine.ts'

/** What is configured and works now. Every capability that the host advertises is derived from these facts. */
export type HostFacts = {
  readonly version: string
  readonly traits: StorageTraits
  /** Whether the database can be read and written now. */
  readonly store: { readonly readable: boolean; readonly writable: boolean }
  /** Whether every stored secret can be decrypted, and so redacted. If not, writes are refused (SR-1 of the protocol). */
  readonly vaultOpen: boolean
  readonly bodyLimitBytes: number
  /** Whether this process can notify webhooks. */
  readonly sendsWebhooks: boolean
  /** Whether an embedder is configured and works. */
  readonly hasSemanticSearch: boolean
  /** Whether agents and nodes can call a model. */
  readonly hasModel: boolean
  /** Ids of the workflows that are registered for conformance tests. */
  readonly fixtures: readonly string[]
}

/** The level of the protocol's execution model: supervisors, dispatch with chains of events, a floor of confidence, shared memory. */
export const executionModelVersion = 2

/** Whether writes are accepted. A write is redacted first, so it needs the vault as well as the database. */
export function acceptsWrites({ store, vaultOpen }: HostFacts): boolean {
  return store.readable && store.writable && vaultOpen
}

/** What the memory of this host can do. Discovery and the agent inventory are derived from it. */
export function hostMemory(facts: HostFacts): HostMemory {
  const read = facts.store.readable
  const write = acceptsWrites(facts)
  const longTerm = read && facts.traits.durable && facts.vaultOpen
  return {
    read,
    write,
    longTerm,
    scratchpad: true,
    conversation: true,
    // Search by words, filtered by tag, category, writer and time. Search by meaning needs an embedder that works.
    search: !read ? [] : facts.hasSemanticSearch ? ['filter', 'semantic'] : ['filter'],
    compaction: longTerm && write,
    consolidation: longTerm && write,
    attribution: write,
    // The protocol derives it from long-term memory and the second level of its execution model.
    replaySnapshot: longTerm && write && executionModelVersion >= 2,
    ttl: read,
    forget: write,
  }
}

/** Why requests cannot be served. */
export type Unreadiness = 'database_unreachable' | 'commits_overdue' | 'clock_ahead'

/** The readiness probe: null if the database answers a query and confirms commits, and writes are not refused because of the clock. */
export async function unreadiness({ storage, instants }: Engine): Promise<Unreadiness | null> {
  if (storage.pressure().commitsOverdue > 0) return 'commits_overdue'
  try {
    await storage.clocks(['default'])
    return (await instants.isAhead()) ? 'clock_ahead' : null
  } catch {
    return 'database_unreachable'
  }
}

/**
 * What an operator should look at although requests are served, the most urgent first: the last write found no room, so searches may lack what
 * is not indexed; or the clock was set back, or a record was made by a clock that was ahead.
 */
export function readinessWarning({ storage, instants }: Engine): 'storage_full' | 'clock_behind' | null {
  if (storage.pressure().isFull) return 'storage_full'
  return instants.behindMs > limits.clockBehindMsMax ? 'clock_behind' : null
}
