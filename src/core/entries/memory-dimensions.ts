/**
 * What the memory of this host can do right now. Discovery and the inventory of agents are both made from one such
 * value: what the one does not claim, the other shows as degraded, and they cannot disagree.
 */
export type HostMemory = {
  readonly read: boolean
  readonly write: boolean
  /** Memories outlive the process, and every secret is kept out of them. */
  readonly longTerm: boolean
  /** Notes of one task, gone with its run. */
  readonly scratchpad: boolean
  /** The dialogue of one run, gone with it. */
  readonly conversation: boolean
  readonly search: readonly ('semantic' | 'filter')[]
  readonly compaction: boolean
  readonly attribution: boolean
  readonly replaySnapshot: boolean
  readonly ttl: boolean
  readonly forget: boolean
}

/** The closed vocabulary of the protocol. */
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

const claims: Readonly<Record<MemoryDimension, (host: HostMemory) => boolean>> = {
  read: (host) => host.read,
  // What cannot be read back was not remembered.
  write: (host) => host.read && host.write,
  search: (host) => host.search.length > 0,
  'long-term-durability': (host) => host.longTerm,
  compaction: (host) => host.compaction,
  attribution: (host) => host.attribution,
  'replay-snapshot': (host) => host.replaySnapshot,
  retention: (host) => host.ttl || host.forget,
}

export function hasDimension(host: HostMemory, dimension: MemoryDimension): boolean {
  return claims[dimension](host)
}
