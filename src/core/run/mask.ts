import type { WorkflowDefinition } from '../workflow/definition.ts'
import { isJsonObject } from '../workflow/json-values.ts'
import type { InterruptRequest } from './interrupt.ts'
import type { RunText } from './run.ts'

/** How sensitive values are shown: `[REDACTED]`, left out, as a keyed hash, or unchanged. */
export const maskingModes = ['mask', 'omit', 'hash', 'passthrough'] as const

export type MaskingMode = (typeof maskingModes)[number]

/** The replacement of a sensitive value. */
const maskedText = '[REDACTED]'

/** Shorter texts occur in others by chance, so copies of them are not masked. */
const copiedCharactersMin = 4

/** How sensitive values of a run are shown outside of its nodes. */
export type Mask = {
  readonly mode: MaskingMode
  /** The names of the sensitive variables. */
  readonly names: ReadonlySet<string>
  /** A keyed digest in hexadecimal: a short value could be guessed from a plain one. */
  readonly digest: (text: string) => string
}

/** The mask of a workflow; null when it has no sensitive variable, or shows them. */
export function maskOf(definition: WorkflowDefinition, digest: Mask['digest']): Mask | null {
  const mode = maskingModeOf(definition)
  const names = definition.variables.filter(({ sensitive }) => sensitive === true).map(({ name }) => name)
  return names.length === 0 || mode === 'passthrough' ? null : { mode, names: new Set(names), digest }
}

/** How the workflow wants sensitive values to be shown; `mask` unless it says otherwise. */
export function maskingModeOf({ metadata }: WorkflowDefinition): MaskingMode {
  return metadata.complianceConfig?.maskingMode ?? 'mask'
}

/** The text of a run with its sensitive variables masked, and copies of their values in other variables. */
export function maskRunText(text: RunText, mask: Mask): RunText {
  const copies = copiesOf(text.variables, mask)
  const others = (values: Readonly<Record<string, unknown>>) => withoutCopies(values, copies) as typeof values
  const isSensitive = ([name]: [string, unknown]) => mask.names.has(name)
  const masked = (values: Readonly<Record<string, unknown>>) => {
    const entries = Object.entries(values)
    return {
      ...others(Object.fromEntries(entries.filter((entry) => !isSensitive(entry)))),
      ...maskMembers(Object.fromEntries(entries.filter(isSensitive)), mask),
    }
  }
  // An input has the name of the variable that it sets.
  const channels = text.channels === undefined ? {} : { channels: others(text.channels) as typeof text.channels }
  return { ...text, variables: masked(text.variables), inputs: masked(text.inputs), ...channels }
}

/** An interrupt request with copies of sensitive values masked. */
export function maskInterruptRequest(request: InterruptRequest, text: RunText, mask: Mask): InterruptRequest {
  const copies = copiesOf(text.variables, mask)
  const data = withoutCopies(request.data, copies) as InterruptRequest['data']
  return { ...request, key: String(withoutCopies(request.key, copies)), data }
}

/** Masks every member by the mode. Null and undefined stay. */
export function maskMembers(
  values: Readonly<Record<string, unknown>>,
  { mode, digest }: Pick<Mask, 'mode' | 'digest'>,
): Record<string, unknown> {
  if (mode === 'passthrough') return values
  if (mode === 'omit') return {}
  const shown = (value: unknown): unknown => {
    if (value === null || value === undefined) return value
    return mode === 'hash' ? `sha256:${digest(`masked.${JSON.stringify(value)}`)}` : maskedText
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(value)]))
}

/** The texts in the sensitive values, the longest first, because one may be a part of another. */
function copiesOf(variables: Readonly<Record<string, unknown>>, { names }: Mask): string[] {
  const found = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value === 'string') found.add(value)
    else if (typeof value === 'number') found.add(String(value))
    else if (value !== null && typeof value === 'object') Object.values(value).forEach(collect)
  }
  for (const [name, value] of Object.entries(variables)) if (names.has(name)) collect(value)
  return [...found].filter(({ length }) => length >= copiedCharactersMin).sort((a, b) => b.length - a.length)
}

/** The value with every copy masked, also in member names. */
function withoutCopies(value: unknown, copies: readonly string[]): unknown {
  if (copies.length === 0) return value
  const clean = (text: string) => copies.reduce((rest, copy) => rest.replaceAll(copy, maskedText), text)
  if (typeof value === 'string') return clean(value)
  if (typeof value === 'number') return copies.includes(String(value)) ? maskedText : value
  if (Array.isArray(value)) return value.map((item) => withoutCopies(item, copies))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [clean(name), withoutCopies(item, copies)]))
}
