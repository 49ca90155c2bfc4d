import { utf8Bytes } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'
import type { PortValue, WorkflowNode } from './definition.ts'
import { containsErased, erasedValue } from './erased-value.ts'
import { checkLevel, isJsonObject, memberField } from './json-values.ts'
import { ownMember, type RunValues, readPath } from './value-path.ts'
import { workflowLimits } from './workflow-limits.ts'

export type { RunValues } from './value-path.ts'

const template = /\{\{([^{}]*)\}\}/g

/**
 * Resolves `{{variables.x}}`, `{{inputs.x}}` and `{{outputs.node.x}}` in all strings of a value. A string that is exactly one template
 * becomes the value with its type; in other strings, the value is inserted as text, or as JSON when it is no text. There is one pass:
 * a resolved value that looks like a template is not resolved again, otherwise the author of an input could read every variable. A text
 * that would contain an erased value becomes `erasedValue` as a whole.
 *
 * @example
 * resolveTemplates({ title: 'For {{inputs.name}}' }, values) // { title: 'For Ada' }
 */
export function resolveTemplates(value: unknown, values: RunValues): unknown {
  return resolve(value, { values, bytes: 0 }, 0)
}

type TemplateState = { readonly values: RunValues; bytes: number }

function resolve(value: unknown, state: TemplateState, level: number): unknown {
  if (typeof value === 'string') return resolveText(value, state)
  if (value === null || typeof value !== 'object') return value
  checkLevel('template', level + 1)
  if (Array.isArray(value)) return value.map((item) => resolve(item, state, level + 1))
  // fromEntries defines members; assigning a member named __proto__ would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member, state, level + 1)]))
}

function resolveText(text: string, state: TemplateState): unknown {
  const [whole] = text.matchAll(template)
  if (whole !== undefined && whole[0].length === text.length) {
    const value = valueAt(whole[1] ?? '', state.values)
    spend(state, toText(value))
    return value
  }
  let isErasedWhole = false
  const resolved = text.replace(template, (_, path: string) => {
    const value = valueAt(path, state.values)
    isErasedWhole ||= containsErased(value)
    return spend(state, toText(value))
  })
  spend(state, text)
  return isErasedWhole ? erasedValue : resolved
}

/** Counts bytes before texts are joined: a check of the result would be too late to protect memory. */
function spend(state: TemplateState, text: string): string {
  const max = workflowLimits.resolvedBytesMax
  state.bytes += utf8Bytes(text)
  if (state.bytes > max)
    throw invalid('template', `must not resolve to more than ${max} bytes`, { limit: 'resolvedBytesMax', max })
  return text
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    // A value nested some ten thousand levels deep overflows the stack.
    throw invalid('template', 'must resolve to a JSON value that is not nested too deeply')
  }
}

function valueAt(path: string, values: RunValues): unknown {
  const value = readPath(path.trim(), values)
  if (value === undefined) throw unresolved(path.trim())
  return value
}

const shownPath = /^[a-z]{1,16}(\.[A-Za-z0-9_]{1,64}){1,8}$/

/** The error repeats a path only when it consists of plain words: any other text could be a secret. */
function unresolved(path: string): ColophonError {
  if (!shownPath.test(path))
    return new ColophonError('template_unresolved', 'A template names a value that the run does not have.')
  return new ColophonError(
    'template_unresolved',
    `The template path ${path} names a value that the run does not have.`,
    {
      details: { path },
    },
  )
}

/** The values of a node's ports. An optional port without a value is left out. */
export function resolveInputs(node: WorkflowNode, values: RunValues): Record<string, unknown> {
  const ports: [string, unknown][] = []
  for (const [name, port] of Object.entries(node.inputs)) {
    const value = portValue(port, values)
    if (value !== undefined) ports.push([name, value])
    else if (port.type === 'static' || port.optional !== true) throw portUnresolved(name)
  }
  return Object.fromEntries(ports)
}

function portValue(port: PortValue, values: RunValues): unknown {
  if (port.type === 'static') return port.value
  if (port.type === 'variable') return ownMember(values.variables, port.variableName)
  const outputs = ownMember(values.outputs, port.nodeId)
  return isJsonObject(outputs) ? ownMember(outputs, port.outputKey) : undefined
}

function portUnresolved(name: string): ColophonError {
  const field = memberField('inputs', name)
  return new ColophonError(
    'template_unresolved',
    `${field} has no value: the run does not have the value of its source.`,
    {
      details: { field },
    },
  )
}
