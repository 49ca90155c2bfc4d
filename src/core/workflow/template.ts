import { utf8Bytes } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'
import type { PortValue, WorkflowNode } from './definition.ts'
import { erasedValue, holdsErased } from './erased.ts'
import { checkLevel, isJsonObject, memberField } from './json.ts'
import { workflowLimits } from './limits.ts'
import { ownMember, readPath, type Scope } from './path.ts'

export type { Scope } from './path.ts'

const template = /\{\{([^{}]*)\}\}/g

/**
 * `{{variables.x}}`, `{{inputs.x}}` and `{{outputs.node.x}}` in every string value, deep. A string that is exactly one
 * template keeps the type of the value; others interpolate, and what is no text goes in as JSON. One pass: a value that
 * looks like a template is data and is not resolved again, or whoever writes an input could read every variable. A text
 * that would hold an erased value is erased as a whole.
 */
export function resolveTemplates(value: unknown, scope: Scope): unknown {
  return resolve(value, { scope, bytes: 0 }, 0)
}

type Work = { readonly scope: Scope; bytes: number }

function resolve(value: unknown, work: Work, level: number): unknown {
  if (typeof value === 'string') return resolveText(value, work)
  if (value === null || typeof value !== 'object') return value
  checkLevel('template', level + 1)
  if (Array.isArray(value)) return value.map((item) => resolve(item, work, level + 1))
  // fromEntries defines members; assigning one named __proto__ would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member, work, level + 1)]))
}

function resolveText(text: string, work: Work): unknown {
  const [whole] = text.matchAll(template)
  if (whole !== undefined && whole[0].length === text.length) {
    const value = valueAt(whole[1] ?? '', work.scope)
    spend(work, toText(value))
    return value
  }
  let isGone = false
  const resolved = text.replace(template, (_, path: string) => {
    const value = valueAt(path, work.scope)
    isGone ||= holdsErased(value)
    return spend(work, toText(value))
  })
  spend(work, text)
  return isGone ? erasedValue : resolved
}

/** Counted before texts are joined: a check of the result would come too late for memory. */
function spend(work: Work, text: string): string {
  const max = workflowLimits.resolvedBytesMax
  work.bytes += utf8Bytes(text)
  if (work.bytes > max)
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

function valueAt(path: string, scope: Scope): unknown {
  const value = readPath(path.trim(), scope)
  if (value === undefined) throw unresolved(path.trim())
  return value
}

const shownPath = /^[a-z]{1,16}(\.[A-Za-z0-9_]{1,64}){1,8}$/

/** A path is repeated only when it is made of plain words; anything else could be a text that was pasted in. */
function unresolved(path: string): ColophonError {
  if (!shownPath.test(path)) return new ColophonError('template_unresolved', 'A template names nothing the run has.')
  return new ColophonError('template_unresolved', `The template path ${path} names nothing the run has.`, {
    details: { path },
  })
}

/** The values at a node's ports. A port without a value is left out if it is optional. */
export function resolveInputs(node: WorkflowNode, scope: Scope): Record<string, unknown> {
  const values: [string, unknown][] = []
  for (const [name, port] of Object.entries(node.inputs)) {
    const value = portValue(port, scope)
    if (value !== undefined) values.push([name, value])
    else if (port.type === 'static' || port.optional !== true) throw portUnresolved(name)
  }
  return Object.fromEntries(values)
}

function portValue(port: PortValue, scope: Scope): unknown {
  if (port.type === 'static') return port.value
  if (port.type === 'variable') return ownMember(scope.variables, port.variableName)
  const outputs = ownMember(scope.outputs, port.nodeId)
  return isJsonObject(outputs) ? ownMember(outputs, port.outputKey) : undefined
}

function portUnresolved(name: string): ColophonError {
  const field = memberField('inputs', name)
  return new ColophonError('template_unresolved', `${field} has no value: nothing the run has is at its source.`, {
    details: { field },
  })
}
