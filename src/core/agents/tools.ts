import { limits } from '../limits.ts'
import type { JsonObject } from '../workflow/json-values.ts'

/** A tool of the host that an agent can call. All memory tools work on the ref that the agent is bound to, and on no other. */
export type AgentTool = {
  /** `<scope>:<tool>`, as a manifest's allowlist names it. */
  readonly id: string
  /** One sentence for the model. */
  readonly description: string
  /** The JSON Schema of its arguments. */
  readonly parameters: JsonObject
  readonly writes: boolean
}

const closed = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const limit = { type: 'integer', minimum: 1, maximum: limits.searchResultsMax }
const text = { type: 'string', minLength: 1 }

/** Every tool that this host has. */
export const agentTools = [
  {
    id: 'memory:search',
    description: 'Finds the memories that match a query, best first.',
    parameters: closed({ query: { ...text, maxLength: limits.queryCharactersMax }, limit }, ['query']),
    writes: false,
  },
  {
    id: 'memory:list',
    description: 'Lists the newest memories, optionally only those with a tag.',
    parameters: closed({ tag: { ...text, maxLength: limits.tagCharactersMax }, limit }, []),
    writes: false,
  },
  {
    id: 'memory:remember',
    description: 'Stores a memory.',
    parameters: closed({ content: text, tags: { type: 'array', items: text, maxItems: limits.tagsPerEntryMax } }, [
      'content',
    ]),
    writes: true,
  },
  {
    id: 'workspace:read',
    description: 'Reads a workspace file as it was when the run began.',
    parameters: closed({ path: { ...text, maxLength: limits.workspacePathCharactersMax } }, ['path']),
    writes: false,
  },
] as const satisfies readonly AgentTool[]

export type AgentToolId = (typeof agentTools)[number]['id']
export type KnownTool = AgentTool & { readonly id: AgentToolId }

/**
 * The tools that an agent can call at all: those of its allowlist. A manifest without one gets the tools that only read. For a caller that cannot read
 * workspace files itself, the agent cannot either.
 */
export function toolSurface(
  allowlist: readonly string[] | undefined,
  isMemoryBound: boolean,
  lacksFiles = false,
): readonly KnownTool[] {
  return agentTools.filter(({ id, writes }) => {
    if (!isMemoryBound && id.startsWith('memory:')) return false
    if (lacksFiles && id.startsWith('workspace:')) return false
    return allowlist === undefined ? !writes : allowlist.includes(id)
  })
}
