import { type HostMemory, hasDimension, type MemoryDimension, memoryDimensions } from '../entries/memory-dimensions.ts'
import { type AgentManifest, type MemoryShape, packError } from './agent.ts'
import { type Advertised, isClaimed, isMet } from './capability-claims.ts'

/** What an agent asks of the host, and what of it is missing here. */

/** What a host has for its agents: its memory, and the discovery document that says so. */
export type HostOffer = { readonly memory: HostMemory; readonly document: Advertised }

/** Which dimensions of memory the agent asks for and does not get here. Only `true` asks. */
export function degradedDimensions(memoryShape: MemoryShape | undefined, host: HostMemory): MemoryDimension[] {
  const missing = new Set<MemoryDimension>()
  for (const kind of ['scratchpad', 'conversation', 'longTerm'] as const) {
    if (memoryShape?.[kind] !== true) continue
    if (kind === 'longTerm' && !hasDimension(host, 'long-term-durability')) missing.add('long-term-durability')
    // The protocol has no name for a kind of memory that is not there: such a memory can be neither read nor written.
    const isThere = kind === 'longTerm' || host[kind]
    for (const dimension of ['read', 'write'] as const) {
      if (!isThere || !hasDimension(host, dimension)) missing.add(dimension)
    }
  }
  return memoryDimensions.filter((dimension) => missing.has(dimension))
}

/** An agent that cannot do without something is not installed where the document does not claim it. */
export function refuseUnmetPeers(manifest: AgentManifest, document: Advertised): void {
  for (const { name, optional, range } of peersOf(manifest)) {
    if (optional || isMet(name, range, document)) continue
    throw packError(
      `The agent needs ${name}, which this host does not have as it asks for it.`,
      `peerDependencies.${name}`,
    )
  }
}

/** Peers that were met at installation count too: what a host can do may change at any time. */
export function missingCapabilities(manifest: AgentManifest, document: Advertised): string[] {
  const peers = peersOf(manifest).filter(({ name, range }) => !isMet(name, range, document))
  const required = (manifest.requiresCapabilities ?? []).filter((name) => !isClaimed(name, document))
  return [...new Set([...peers.map(({ name }) => name), ...required])]
}

type Peer = { readonly name: string; readonly range: string; readonly optional: boolean }

function peersOf({ peerDependencies = {}, peerDependenciesMeta = {} }: AgentManifest): Peer[] {
  const ranges = new Map(Object.entries(peerDependencies))
  const optional = new Map(Object.entries(peerDependenciesMeta).map(([name, meta]) => [name, meta.optional === true]))
  return [...new Set([...ranges.keys(), ...optional.keys()])].flatMap((name): Peer[] => {
    // A remark about a dependency that is not declared asks for nothing, except where it says "if you have it".
    if (!ranges.has(name) && !optional.get(name)) return []
    return [{ name, range: ranges.get(name) ?? '*', optional: optional.get(name) ?? false }]
  })
}
