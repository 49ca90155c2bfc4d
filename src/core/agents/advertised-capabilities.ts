import { isJsonObject, type JsonObject } from '../workflow/json-values.ts'

/** The discovery document. The name of a capability is a path in it. */
export type DiscoveryDocument = JsonObject

/** Whether the document advertises the capability of a name such as `memory.search`. */
export function isAdvertised(name: string, document: DiscoveryDocument): boolean {
  return isRuntimeCapability(name, document) || isAffirmative(valueAt(name, document))
}

/**
 * Whether the capability of a name is in a range: an item of a list (`>=longTerm` means `long-term`), a version that is high enough, or
 * any value (`*`).
 */
export function isInRange(name: string, range: string, document: DiscoveryDocument): boolean {
  const [, operator = '', wanted = ''] = /^(>=|=)?\s*(\S+)$/.exec(range.trim()) ?? []
  if (wanted === '*') return isAdvertised(name, document)
  const value = valueAt(name, document)
  if (!isAffirmative(value)) return false
  if (Array.isArray(value)) return value.includes(wanted) || value.includes(toKebab(wanted))
  const version = isJsonObject(value) ? value.version : value
  const [here, least] = [partsOf(version), partsOf(wanted)]
  if (here === null || least === null) return String(version) === wanted
  const order = compare(here, least)
  return operator === '>=' ? order >= 0 : order === 0
}

/** Runtime capabilities are listed by their full name. */
function isRuntimeCapability(name: string, { runtimeCapabilities }: DiscoveryDocument): boolean {
  return Array.isArray(runtimeCapabilities) && runtimeCapabilities.includes(name)
}

/** The value at the path; undefined when the path does not exist, or leads through a block that says it is not supported. */
function valueAt(name: string, document: DiscoveryDocument): unknown {
  let here: unknown = document
  for (const step of withoutRoot(name).split('.')) {
    if (Array.isArray(here)) here = here.includes(step) ? true : undefined
    else if (isJsonObject(here) && here.supported !== false && Object.hasOwn(here, step)) here = here[step]
    else return undefined
  }
  return here
}

/** Whether a value of the document says that the capability is there. */
function isAffirmative(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isJsonObject(value))
    return 'supported' in value ? value.supported === true : Object.values(value).some(isAffirmative)
  return value === true || (typeof value === 'string' && value !== '') || (typeof value === 'number' && value > 0)
}

/** Packs prefix the names with `openwop.`, older packs with `capabilities.`, workflows with `host.`. */
function withoutRoot(name: string): string {
  return name.replace(/^(openwop|capabilities|host)\./, '')
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The numbers of a version, so that `1.10` is later than `1.9`; null for a value that is no version. */
function partsOf(version: unknown): number[] | null {
  const text = String(version)
  return /^\d+(\.\d+)*$/.test(text) ? text.split('.').map(Number) : null
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
