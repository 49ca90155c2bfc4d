import type { NodeConfigMember, NodeListOptions, NodeRequest } from '../app/runs/node-type.ts'
import { invalid } from '../core/errors.ts'

/** What the memory nodes share: config members, and how they read them. */

export const memoryRefMember: NodeConfigMember = {
  description: 'the ref; by default that of the agent of the node',
  type: 'text',
}
export const intoMember: NodeConfigMember = { description: 'the variable that gets the result', type: 'text' }
export const idMember: NodeConfigMember = { description: 'the id of the entry', type: 'text', isRequired: true }
export const selectionMembers = {
  limit: { description: 'the largest number of entries' },
  tag: { description: 'only entries with this tag', type: 'text' },
  tokenBudget: { description: 'the largest number of tokens of all entries together' },
  trustMin: { description: 'the lowest trust class; by default the floor of the run', type: 'text' },
} as const satisfies Record<string, NodeConfigMember>

/** The ref of the config, or that of the node's agent. */
export function memoryRefOf({ config, node }: NodeRequest): string {
  const memoryRef = config.memoryRef ?? node.agent?.memoryRef
  if (typeof memoryRef === 'string' && memoryRef !== '') return memoryRef
  throw invalid('memoryRef', 'must be given in the config or by the agent of the node')
}

export function textOf({ config }: NodeRequest, name: string): string {
  const value = config[name]
  if (typeof value === 'string') return value
  // A config member that is one template keeps the type of its value. Where a text is needed, its JSON is used.
  return JSON.stringify(value ?? null)
}

/** Limit, tag, token budget and class of a list or a search, as far as the config has them. */
export function selectionOf({ config }: NodeRequest): NodeListOptions {
  const { limit, tag, tokenBudget, trustMin } = config as NodeListOptions
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(tag === undefined ? {} : { tag }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
    ...(trustMin === undefined ? {} : { trustMin }),
  }
}

export function intoVariable({ config }: NodeRequest, value: unknown): { variables?: Record<string, unknown> } {
  return typeof config.into === 'string' ? { variables: { [config.into]: value } } : {}
}
