import type { NodeType } from '../app/runs/node-type.ts'
import { checkKnownKeys } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import type { JsonObject } from '../core/workflow/json-values.ts'

/** What a node type declares. */
export type NodeTypeDeclaration = NodeType & {
  /**
   * Unknown config members and texts of another type are ignored, and only `checkConfig` refuses a config. OpenWOP wants that
   * of its own `core.*` types; other types should not set it, because a mistyped member would then be ignored silently.
   */
  readonly hasLenientConfig?: true
}

/**
 * Makes a node type. A workflow is refused when a node of the type has a config member that is not declared, lacks a
 * required one, or has another value than a text where a text is declared. `checkConfig` can refuse more.
 *
 * @example
 * const shout = defineNodeType({
 *   typeId: 'acme.shout',
 *   description: 'Gives a text in capitals.',
 *   config: { text: { description: 'the text', type: 'text', isRequired: true } },
 *   replay: 'computes',
 *   execute: async ({ config }) => ({ kind: 'completed', outputs: { text: String(config.text).toUpperCase() } }),
 * })
 */
export function defineNodeType({ hasLenientConfig, ...type }: NodeTypeDeclaration): NodeType {
  if (hasLenientConfig) return type
  return {
    ...type,
    checkConfig(config, field) {
      checkDeclaredConfig(type, config, field)
      type.checkConfig?.(config, field)
    },
  }
}

function checkDeclaredConfig({ config: declared }: NodeType, config: JsonObject, field: string): void {
  checkKnownKeys(field, config, Object.keys(declared))
  const members = Object.entries(declared)
  for (const [name, { type }] of members) {
    const value = config[name]
    if (type === 'text' && value !== undefined && (typeof value !== 'string' || value === ''))
      throw invalid(`${field}.${name}`, 'must be a text')
  }
  for (const [name, { isRequired }] of members)
    if (isRequired && config[name] === undefined) throw invalid(`${field}.${name}`, 'is required')
}

const typeIdPattern = /^[a-z][A-Za-z0-9-]*(\.[A-Za-z0-9-]+)+$/

/** Checks node types that an operator adds: each has an id of its own, outside the namespaces of the host. */
export function checkNodeTypes(types: readonly NodeType[]): readonly NodeType[] {
  const seen = new Set<string>()
  for (const { typeId } of types) {
    if (typeof typeId !== 'string' || !typeIdPattern.test(typeId))
      throw invalid('nodeTypes', 'must have ids of letters, digits, - and at least one dot, such as acme.shout')
    if (/^(core|colophon|conformance)\./.test(typeId))
      throw invalid('nodeTypes', 'must not have ids that begin with core., colophon. or conformance.')
    if (seen.has(typeId)) throw invalid('nodeTypes', `must have different ids: ${typeId} is there twice`)
    seen.add(typeId)
  }
  return types
}
