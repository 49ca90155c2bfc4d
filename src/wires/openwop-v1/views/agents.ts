import type { z } from 'zod'
import type { AgentManifest } from '../../../core/agents/agent.ts'
import {
  degradedDimensions,
  type HostCapabilities,
  missingCapabilities,
} from '../../../core/agents/agent-requirements.ts'
import type { AgentInventory, AgentInventoryEntry } from '../schemas/agents.ts'

/** The pack of agents that were installed from a manifest, which belong to no published pack. */
const localPack = { packName: 'colophon.local', packVersion: '1.0.0' } as const

/** Built member by member, so that a system prompt, a handoff schema or a credential cannot leak into it. */
export function toInventoryEntry(
  manifest: AgentManifest,
  host: HostCapabilities,
): z.output<typeof AgentInventoryEntry> {
  const { agentId, persona, label = persona, description, modelClass, memoryShape, handoff, confidence } = manifest
  const threshold = confidence?.defaultThreshold
  const degraded = missingCapabilities(manifest, host.document)
  const dimensions = degradedDimensions(memoryShape, host.memory)
  return {
    agentId,
    persona,
    label,
    ...(description === undefined ? {} : { description }),
    modelClass,
    ...localPack,
    toolAllowlist: manifest.toolAllowlist ?? [],
    hasHandoffSchemas: handoff?.taskSchemaRef !== undefined || handoff?.returnSchemaRef !== undefined,
    ...(memoryShape === undefined ? {} : { memoryShape }),
    ...(threshold === undefined ? {} : { confidenceThreshold: threshold }),
    ...(degraded.length === 0 ? {} : { degraded }),
    ...(dimensions.length === 0 ? {} : { memoryDegraded: true, degradedMemoryDimensions: dimensions }),
  }
}

/** Reads manifests one at a time, because they are large. */
export async function toInventory(
  manifests: AsyncIterable<AgentManifest>,
  host: HostCapabilities,
): Promise<z.output<typeof AgentInventory>> {
  const agents: z.output<typeof AgentInventoryEntry>[] = []
  for await (const manifest of manifests) agents.push(toInventoryEntry(manifest, host))
  return { agents, total: agents.length }
}
