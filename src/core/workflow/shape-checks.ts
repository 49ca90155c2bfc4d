import { checkCharacters, checkCount, checkIdentifier, checkKnownKeys, checkText, parseInstant } from '../check.ts'
import { invalid } from '../errors.ts'
import { isJsonObject, memberField } from './json-values.ts'
import { type WorkflowLimit, workflowLimits } from './workflow-limits.ts'

/** A check of one value of a document. Checks are combined into the shape of a document; each throws a validation_error with the field. */
export type ShapeCheck = (field: string, value: unknown) => void

/** The name of the whole document in messages. Members have their own path, such as `nodes[3].config`. */
export const root = 'workflow'

export const anything: ShapeCheck = () => {}

export const anyText: ShapeCheck = checkText

export const openObject: ShapeCheck = (field, value) => {
  if (!isJsonObject(value)) throw invalid(field, 'must be an object')
}

export const flag: ShapeCheck = (field, value) => {
  if (typeof value !== 'boolean') throw invalid(field, 'must be true or false')
}

export const number: ShapeCheck = (field, value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(field, 'must be a number')
}

export const instant: ShapeCheck = parseInstant

export function text(limit: WorkflowLimit): ShapeCheck {
  return (field, value) => checkCharacters(field, value, limit, workflowLimits[limit])
}

export function maybeEmpty(check: ShapeCheck): ShapeCheck {
  return (field, value) => {
    if (value !== '') check(field, value)
  }
}

export function identifier(limit: WorkflowLimit): ShapeCheck {
  return (field, value) => checkIdentifier(field, value, limit, workflowLimits[limit])
}

/** An identifier that is used as a key of an object. Names that every object has, such as constructor, are refused. */
export function key(limit: WorkflowLimit): ShapeCheck {
  return (field, value) => {
    checkIdentifier(field, value, limit, workflowLimits[limit])
    if (value in Object.prototype) throw invalid(field, 'must not be a name that every object has, such as constructor')
  }
}

export function matching(pattern: RegExp, problem: string, limit: WorkflowLimit): ShapeCheck {
  return (field, value) => {
    checkIdentifier(field, value, limit, workflowLimits[limit])
    if (!pattern.test(value)) throw invalid(field, problem)
  }
}

export function count(min: number, max = Number.MAX_SAFE_INTEGER): ShapeCheck {
  return (field, value) => {
    checkCount(field, value, min)
    if (value > max) throw invalid(field, `must be at most ${max}`, { max })
  }
}

export function oneOf(...values: readonly string[]): ShapeCheck {
  return (field, value) => {
    if (typeof value !== 'string' || !values.includes(value))
      throw invalid(field, `must be one of ${values.join(', ')}`)
  }
}

export function list(item: ShapeCheck, limit: WorkflowLimit, min = 0): ShapeCheck {
  return (field, value) => {
    if (!Array.isArray(value)) throw invalid(field, 'must be an array')
    if (value.length < min) throw invalid(field, `must have at least ${min} item`, { min })
    const max = workflowLimits[limit]
    if (value.length > max) throw invalid(field, `must have at most ${max} items`, { limit, max })
    for (const [index, member] of value.entries()) item(`${field}[${index}]`, member)
  }
}

export function mapOf(item: ShapeCheck, limit: WorkflowLimit): ShapeCheck {
  return (field, value) => {
    openObject(field, value)
    const members = Object.entries(value as object)
    const max = workflowLimits[limit]
    if (members.length > max) throw invalid(field, `must have at most ${max} members`, { limit, max })
    for (const [name, member] of members) {
      key('portNameCharactersMax')(`${field}.*`, name)
      item(memberField(field, name), member)
    }
  }
}

type Members = Readonly<Record<string, ShapeCheck>>

/** An object with these members and no others. */
export function closed(required: Members, optional: Members = {}): ShapeCheck {
  const check = open(required, optional)
  const known = [...Object.keys(required), ...Object.keys(optional)]
  return (field, value) => {
    openObject(field, value)
    checkKnownKeys(field, value, known)
    check(field, value)
  }
}

/** An object with at least these members. */
export function open(required: Members, optional: Members = {}): ShapeCheck {
  const members = Object.entries({ ...required, ...optional })
  return (field, value) => {
    openObject(field, value)
    for (const [name, check] of members) {
      const memberPath = field === root ? name : `${field}.${name}`
      if (Object.hasOwn(value as object, name)) check(memberPath, (value as Members)[name])
      else if (Object.hasOwn(required, name)) throw invalid(memberPath, 'is required')
    }
  }
}
