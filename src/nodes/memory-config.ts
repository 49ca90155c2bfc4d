import type { NodeRequest } from '../app/runs/node-type.ts'
import { checkKnownKeys } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import type { JsonObject } from '../core/workflow/json.ts'

/** What the memory nodes share: where they look, and where their result goes. */

const texts = ['memoryRef', 'content', 'tag', 'id', 'into', 'expiresAt', 'subject', 'query']

/** Unknown members are refused: a mistyped one would do something else than was meant, and nobody would notice. */
export function checkMemoryConfig(
  config: JsonObject,
  field: string,
  known: readonly string[],
  needed: readonly string[],
): void {
  checkKnownKeys(field, config, ['memoryRef', 'into', ...known])
  for (const name of texts) {
    if (config[name] !== undefined && (typeof config[name] !== 'string' || config[name] === ''))
      throw invalid(`${field}.${name}`, 'must be a text')
  }
  for (const name of needed) if (config[name] === undefined) throw invalid(`${field}.${name}`, 'is needed')
}

/** The ref of the config, or that of the node's agent. */
export function memoryRefOf({ config, node }: NodeRequest): string {
  const memoryRef = config.memoryRef ?? node.agent?.memoryRef
  if (typeof memoryRef === 'string' && memoryRef !== '') return memoryRef
  throw invalid('memoryRef', 'must be given in the config or by the agent of the node')
}

export function textOf({ config }: NodeRequest, name: string): string {
  const value = config[name]
  if (typeof value === 'string') return value
  // A template that is the whole text keeps its type; as a text, other values are their JSON.
  return JSON.stringify(value ?? null)
}

export function intoVariable({ config }: NodeRequest, value: unknown): { variables?: Record<string, unknown> } {
  return typeof config.into === 'string' ? { variables: { [config.into]: value } } : {}
}
