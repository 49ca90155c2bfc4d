/**
 * The memory capabilities of this host at this moment. The discovery document and the inventory of agents are both made from this
 * value, so that they cannot disagree: a capability that discovery does not advertise is degraded in the inventory.
 */
export type HostMemory = {
  readonly read: boolean
  readonly write: boolean
  /** Memories are durable, and secrets are redacted from them. */
  readonly longTerm: boolean
  /** Notes of one task, deleted when its run ends. */
  readonly scratchpad: boolean
  /** The dialogue of one run, deleted when the run ends. */
  readonly conversation: boolean
  readonly search: readonly ('semantic' | 'filter')[]
  readonly compaction: boolean
  /** Entries that say the same become one. Not a dimension of the protocol. */
  readonly consolidation: boolean
  readonly attribution: boolean
  readonly replaySnapshot: boolean
  readonly ttl: boolean
  readonly forget: boolean
}

/** The dimensions that the protocol defines. */
export const memoryDimensions = [
  'read',
  'write',
  'search',
  'long-term-durability',
  'compaction',
  'attribution',
  'replay-snapshot',
  'retention',
] as const

export type MemoryDimension = (typeof memoryDimensions)[number]

const dimensionChecks: Readonly<Record<MemoryDimension, (host: HostMemory) => boolean>> = {
  read: (host) => host.read,
  // A write that cannot be read back is not memory.
  write: (host) => host.read && host.write,
  search: (host) => host.search.length > 0,
  'long-term-durability': (host) => host.longTerm,
  compaction: (host) => host.compaction,
  attribution: (host) => host.attribution,
  'replay-snapshot': (host) => host.replaySnapshot,
  retention: (host) => host.ttl || host.forget,
}

/** Whether the host has a dimension of memory. */
export function hasDimension(host: HostMemory, dimension: MemoryDimension): boolean {
  return dimensionChecks[dimension](host)
}
