import type { NodeListOptions, NodeRequest } from '../app/runs/node-type.ts'
import { schemaProblem } from '../core/agents/handoff.ts'
import type { AgentToolId, KnownTool } from '../core/agents/tools.ts'
import type { ClassedEntry } from '../core/entries/entry.ts'
import { classOf } from '../core/entries/trust.ts'
import { type ColophonError, isColophonError } from '../core/errors.ts'
import { type ContextItem, toPromptContext } from '../core/search/prompt-context.ts'
import type { JsonObject } from '../core/workflow/json-values.ts'

/** What an agent's tools work with: the memory of the run, the ref that the agent is bound to, and what it may read of it. */
export type ToolWorld = Pick<NodeRequest, 'memory'> & {
  readonly memoryRef: string | null
  readonly selection: NodeListOptions
  /** Tokens of the memories in one result. */
  readonly tokenBudget: number
}

/** The result of a tool: the text for the model, and what the log may show of it, ids and counts. */
export type ToolResult = {
  readonly text: string
  readonly shown: { readonly count: number; readonly ids?: readonly string[] }
}

/** Why a call cannot be made. Without a refusal of the host, its arguments are wrong. */
export type ToolProblem = { readonly problem: string; readonly refusal?: ColophonError }

/** Calls a tool. Wrong arguments are a problem that is sent to the model, no error of the run. */
export async function callTool(world: ToolWorld, tool: KnownTool, args: unknown): Promise<ToolResult | ToolProblem> {
  const problem = schemaProblem(tool.parameters, args, 'arguments')
  return problem === null ? calls[tool.id](world, args as JsonObject) : { problem }
}

type Call = (world: ToolWorld, args: JsonObject) => Promise<ToolResult | ToolProblem>

const calls: Readonly<Record<AgentToolId, Call>> = {
  async 'memory:search'(world, args) {
    const found = await world.memory.search(refOf(world), String(args.query), { ...world.selection, ...limitOf(args) })
    return toResult(
      world,
      found.map(({ entry }) => entry),
    )
  },
  async 'memory:list'(world, args) {
    const tag = typeof args.tag === 'string' ? { tag: args.tag } : {}
    return toResult(world, await world.memory.list(refOf(world), { ...world.selection, ...limitOf(args), ...tag }))
  },
  async 'memory:remember'(world, args) {
    const tags = Array.isArray(args.tags) ? { tags: args.tags as string[] } : {}
    const { id } = await world.memory.put(refOf(world), { content: String(args.content), ...tags })
    return { text: JSON.stringify({ id }), shown: { count: 1, ids: [id] } }
  },
  async 'workspace:read'(world, args) {
    try {
      const file = await world.memory.getFile(String(args.path))
      return { text: file?.content ?? 'There is no such file.', shown: { count: file === null ? 0 : 1 } }
    } catch (error) {
      if (!isColophonError(error, 'workspace_file_untrusted') && !isColophonError(error, 'reader_forbidden'))
        throw error
      return { problem: error.message, refusal: error }
    }
  },
}

function refOf({ memoryRef }: ToolWorld): string {
  return memoryRef ?? ''
}

function limitOf({ limit }: JsonObject): { limit?: number } {
  return typeof limit === 'number' ? { limit } : {}
}

function toResult({ tokenBudget }: ToolWorld, entries: readonly ClassedEntry[]): ToolResult {
  const { text } = toPromptContext(entries.map(toContextItem), 'json', tokenBudget)
  return { text: text || '{"memories":[]}', shown: { count: entries.length, ids: entries.map(({ id }) => id) } }
}

/** An entry for a prompt, with its class: what is untrusted is marked. */
export function toContextItem(entry: ClassedEntry): ContextItem {
  const { id, content, createdAt } = entry
  return { id, content, category: 'memory', observedAt: Date.parse(createdAt), trust: classOf(entry) }
}
