import { type AgentManifest, type MemoryShape, packError } from './agent.ts'
import { type HostMemory, hasDimension, type MemoryDimension, memoryDimensions } from './memory-dimensions.ts'

/** What an agent asks of the host, and what of it is missing here. */

/** Which dimensions of memory the agent asks for and does not get here. Only `true` asks. */
export function degradedDimensions(memoryShape: MemoryShape | undefined, host: HostMemory): MemoryDimension[] {
  const missing = new Set<MemoryDimension>()
  if (memoryShape?.longTerm === true && !hasDimension(host, 'long-term-durability')) missing.add('long-term-durability')
  for (const kind of ['scratchpad', 'conversation'] as const) {
    if (memoryShape?.[kind] !== true) continue
    // The protocol has no name for a kind of memory that is not there: such a memory can be neither read nor written.
    for (const dimension of ['read', 'write'] as const) {
      if (!host[kind] || !hasDimension(host, dimension)) missing.add(dimension)
    }
  }
  return memoryDimensions.filter((dimension) => missing.has(dimension))
}

/** An agent that cannot do without something is not installed where that is missing. */
export function refuseUnmetPeers(manifest: AgentManifest, host: HostMemory): void {
  for (const { name, optional, range } of peersOf(manifest)) {
    if (optional || isPeerMet(name, range, host)) continue
    throw packError(
      `The agent needs ${name}, which this host does not have as it asks for it.`,
      `peerDependencies.${name}`,
    )
  }
}

/** Peers that were met at installation count too: what a host can do may change with its next start. */
export function missingCapabilities(manifest: AgentManifest, host: HostMemory): string[] {
  const peers = peersOf(manifest).filter(({ name, range }) => !isPeerMet(name, range, host))
  const required = (manifest.requiresCapabilities ?? []).filter((name) => !isAdvertised(name, host))
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

/** Packs write the backend as `>=longTerm`; discovery calls it `long-term`. Both are meant. */
function isPeerMet(name: string, range: string, host: HostMemory): boolean {
  return (
    withoutRoot(name) === 'agents.memoryBackends' &&
    /^((>=)?\s*(longTerm|long-term)|\*)$/.test(range.trim()) &&
    isAdvertised(name, host)
  )
}

const advertised: Readonly<Record<string, (host: HostMemory) => boolean>> = {
  'agents.manifestRuntime': () => true,
  'agents.memoryBackends': (host) => host.longTerm,
  memory: (host) => host.read,
  'memory.writable': (host) => hasDimension(host, 'write'),
  'memory.search': (host) => hasDimension(host, 'search'),
  'memory.compaction': (host) => host.compaction,
  'memory.attribution': (host) => host.attribution,
  'memory.ttlSupported': (host) => host.ttl,
  'memory.retention': (host) => hasDimension(host, 'retention'),
  'memory.retention.ttl': (host) => host.ttl,
  'memory.retention.forget': (host) => host.forget,
}

/** A capability that is not known here is not here. */
function isAdvertised(name: string, host: HostMemory): boolean {
  const key = withoutRoot(name)
  return Object.hasOwn(advertised, key) && advertised[key]?.(host) === true
}

function withoutRoot(name: string): string {
  return name.replace(/^(openwop|capabilities)\./, '')
}
