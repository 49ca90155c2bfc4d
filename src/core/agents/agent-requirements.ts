import { type HostMemory, hasDimension, type MemoryDimension, memoryDimensions } from '../entries/memory-dimensions.ts'
import { type DiscoveryDocument, isAdvertised, isInRange } from './advertised-capabilities.ts'
import { type AgentManifest, type MemoryShape, packError } from './agent.ts'

/** The capabilities of this host: its memory, and the discovery document that advertises them. */
export type HostCapabilities = { readonly memory: HostMemory; readonly document: DiscoveryDocument }

/** The memory dimensions that the agent requests and this host lacks. Only `true` is a request. */
export function degradedDimensions(memoryShape: MemoryShape | undefined, host: HostMemory): MemoryDimension[] {
  const missing = new Set<MemoryDimension>()
  for (const kind of ['scratchpad', 'conversation', 'longTerm'] as const) {
    if (memoryShape?.[kind] !== true) continue
    if (kind === 'longTerm' && !hasDimension(host, 'long-term-durability')) missing.add('long-term-durability')
    // The protocol has no dimension for a missing kind of memory, so it is reported as neither readable nor writable.
    const isAvailable = kind === 'longTerm' || host[kind]
    for (const dimension of ['read', 'write'] as const) {
      if (!isAvailable || !hasDimension(host, dimension)) missing.add(dimension)
    }
  }
  return memoryDimensions.filter((dimension) => missing.has(dimension))
}

/** Refuses to install an agent whose required peer the discovery document does not advertise. */
export function refuseUnmetPeers(manifest: AgentManifest, document: DiscoveryDocument): void {
  for (const { name, optional, range } of peersOf(manifest)) {
    if (optional || isInRange(name, range, document)) continue
    throw packError(`The agent requires ${name} in a form that this host does not have.`, `peerDependencies.${name}`)
  }
}

/** The capabilities that the agent requires and this host lacks now. Peers that were there at installation are checked again. */
export function missingCapabilities(manifest: AgentManifest, document: DiscoveryDocument): string[] {
  const peers = peersOf(manifest).filter(({ name, range }) => !isInRange(name, range, document))
  const required = (manifest.requiresCapabilities ?? []).filter((name) => !isAdvertised(name, document))
  return [...new Set([...peers.map(({ name }) => name), ...required])]
}

type Peer = { readonly name: string; readonly range: string; readonly optional: boolean }

function peersOf({ peerDependencies = {}, peerDependenciesMeta = {} }: AgentManifest): Peer[] {
  const ranges = new Map(Object.entries(peerDependencies))
  const optional = new Map(Object.entries(peerDependenciesMeta).map(([name, meta]) => [name, meta.optional === true]))
  return [...new Set([...ranges.keys(), ...optional.keys()])].flatMap((name): Peer[] => {
    // Metadata of a dependency that is not declared counts only when it says that the dependency is optional.
    if (!ranges.has(name) && !optional.get(name)) return []
    return [{ name, range: ranges.get(name) ?? '*', optional: optional.get(name) ?? false }]
  })
}
