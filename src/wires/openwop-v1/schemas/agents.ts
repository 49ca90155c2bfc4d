import { z } from 'zod'
import { agentLimits, agentRoles, modelClasses } from '../../../core/agents/agent.ts'
import { memoryDimensions } from '../../../core/entries/memory-dimensions.ts'
import { bounded, list } from '../../schema-parts.ts'

const MemoryShape = z
  .strictObject({
    scratchpad: z.boolean().optional(),
    conversation: z.boolean().optional(),
    longTerm: z.boolean().optional(),
  })
  .meta({ id: 'MemoryShape', description: 'The kinds of memory that an agent requests.' })

const PromptRef = z
  .union([
    z.string(),
    z.strictObject({
      libraryId: z.string().optional(),
      templateId: z.string(),
      version: z.string().optional(),
      variableOverrides: z.record(z.string(), z.unknown()).optional(),
    }),
  ])
  .meta({ id: 'PromptRef', description: 'A prompt of a library, by its URI or by its parts.' })

export const AgentManifest = z
  .strictObject({
    agentId: z.string().describe('Such as local.team.concierge'),
    persona: z.string(),
    modelClass: z.enum(modelClasses),
    role: z.enum(agentRoles).optional(),
    label: z.string().optional(),
    description: z.string().optional(),
    systemPrompt: z.string().optional().describe('Either this or systemPromptRef'),
    systemPromptRef: z.string().optional(),
    evalSuiteRef: z.string().optional(),
    toolAllowlist: bounded(z.string(), agentLimits, 'toolsPerAgentMax').optional(),
    requiresCapabilities: bounded(z.string(), agentLimits, 'capabilitiesPerAgentMax').optional(),
    memoryShape: MemoryShape.optional(),
    confidence: z.strictObject({ defaultThreshold: z.number().optional() }).optional(),
    handoff: z
      .strictObject({ taskSchemaRef: z.string().optional(), returnSchemaRef: z.string().optional() })
      .optional(),
    promptLibraryRef: z.string().optional(),
    promptOverrides: z
      .strictObject({
        system: PromptRef.optional(),
        user: PromptRef.optional(),
        'few-shot': PromptRef.optional(),
        'schema-hint': PromptRef.optional(),
      })
      .optional(),
    peerDependencies: z.record(z.string(), z.unknown()).optional().describe('Capability → range; each is checked'),
    peerDependenciesMeta: z.record(z.string(), z.unknown()).optional().describe('Capability → `{ optional }`'),
  })
  .meta({
    id: 'AgentManifest',
    description: 'An agent to install.',
    examples: [
      {
        agentId: 'local.team.concierge',
        persona: 'Concierge',
        modelClass: 'general',
        systemPrompt: 'You welcome visitors.',
        memoryShape: { longTerm: true },
      },
    ],
  })

const agent = {
  agentId: 'local.team.concierge',
  persona: 'Concierge',
  label: 'Concierge',
  modelClass: 'general',
  packName: 'colophon.local',
  packVersion: '1.0.0',
  toolAllowlist: [],
  hasHandoffSchemas: false,
  memoryShape: { longTerm: true },
}

export const AgentInventoryEntry = z
  .strictObject({
    agentId: z.string(),
    persona: z.string(),
    label: z.string(),
    description: z.string().optional(),
    modelClass: z.string(),
    packName: z.string(),
    packVersion: z.string(),
    toolAllowlist: list(z.string()),
    hasHandoffSchemas: z.boolean(),
    memoryShape: MemoryShape.optional(),
    confidenceThreshold: z.number().min(0).max(1).optional(),
    degraded: list(z.string()).optional().describe('Capabilities that the agent requests and this host lacks'),
    memoryDegraded: z.boolean().optional(),
    degradedMemoryDimensions: list(z.enum(memoryDimensions))
      .optional()
      .describe('Memory dimensions that the agent requests and this host lacks'),
  })
  .meta({
    id: 'AgentInventoryEntry',
    description: 'An installed agent. Its prompt and its schemas are not shown.',
    examples: [agent],
  })

export const AgentInventory = z.strictObject({ agents: list(AgentInventoryEntry), total: z.int().min(0) }).meta({
  id: 'AgentInventory',
  description: 'All agents of the tenant, in order of id.',
  examples: [{ agents: [agent], total: 1 }],
})
