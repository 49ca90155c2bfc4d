import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { markerOf } from './rules/marker.ts'
import { isBuiltInMarkerId } from './rules/marker-ids.ts'
import { kindOfName } from './rules/secret-names.ts'
import type { Scanner } from './scanner.ts'

/** How a value is redacted: the scanner, the hit counter and, optionally, a cache. */
export type RedactionContext = {
  readonly scan: Scanner
  readonly onHit: (rule: string) => void
  /** Values that an equivalent scanner has already redacted under the same member name. */
  readonly clean?: CleanValueCache
}

/** A cache of redacted objects. A value counts as clean only under the member name it was redacted with. */
export type CleanValueCache = {
  has(value: object, name: string | null): boolean
  add(value: object, name: string | null): void
}

/**
 * Redacts a JSON value, member names included. A name and its value are also scanned together, as if they were written in a
 * text: `{"password": "…"}` like `password=…`. Numbers are scanned as they are written. A value nested deeper than
 * `jsonDepthMax` is refused.
 *
 * @example
 * redactJson({ password: 'Tr0ub4dor&3' }, { scan, onHit }) // { password: '[REDACTED:password]' }
 */
export function redactJson(
  value: unknown,
  redaction: RedactionContext,
  name: string | null = null,
  depth = 0,
): unknown {
  if (typeof value === 'string') return redactText(value, name, redaction)
  if (typeof value === 'number') return redactNumber(value, name, redaction)
  if (value === null || typeof value !== 'object') return value
  const max = limits.jsonDepthMax
  if (depth >= max) throw invalid('body', `must be nested at most ${max} deep`, { limit: 'jsonDepthMax', max })
  const isArray = Array.isArray(value)
  // Not cached: most members of a run are empty, and a look-up costs more than a new value.
  if ((isArray ? value : Object.keys(value)).length === 0) return isArray ? [] : {}
  if (redaction.clean?.has(value, name)) return value
  const clean: object = isArray
    ? value.map((item) => redactJson(item, redaction, name, depth + 1))
    : redactMembers(value, redaction, name, depth)
  redaction.clean?.add(clean, name)
  return clean
}

function redactMembers(value: object, redaction: RedactionContext, parent: string | null, depth: number): object {
  const sibling = siblingName(value)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const member = redactMember(key, item, redaction, inheritedName(parent, key), depth)
      if (sibling === null || !siblingValueMembers.has(key)) return member
      return [member[0], redactJson(member[1], redaction, sibling, depth + 1)]
    }),
  )
}

/** Redacts a member whose name a client chose. A secret that spans name and value replaces both. */
function redactMember(
  key: string,
  item: unknown,
  redaction: RedactionContext,
  inherited: string | null,
  depth: number,
): [string, unknown] {
  const name = redaction.scan(key, redaction.onHit)
  const isLeaf = typeof item === 'string' || typeof item === 'number'
  const spanning = isLeaf ? findSpanningSecret(name, String(item), redaction.scan) : null
  if (spanning === null) return [name, redactJson(item, redaction, inherited ?? name, depth + 1)]
  redaction.onHit(spanning)
  return [markerOf(spanning), markerOf(spanning)]
}

/** The name for nested members: `{"password": {"current": …}}` is scanned as `password_current`. */
function inheritedName(parent: string | null, key: string): string | null {
  if (parent === null || kindOfName(key) !== undefined) return null
  const joined = `${parent}_${key}`
  return kindOfName(joined) === undefined ? null : joined
}

const namingMembers = ['name', 'key', 'field', 'header', 'parameter', 'variable', 'left']
/** Members whose value is named by a sibling member, as in `{"name": "DB_PASSWORD", "value": "…"}`. */
export const siblingValueMembers = new Set(['value', 'content', 'default', 'defaultValue', 'right'])

/** The name that a sibling member gives to a value: `DB_PASSWORD` in `{"name": "DB_PASSWORD", "value": "…"}`. */
export function siblingName(value: object): string | null {
  for (const member of namingMembers) {
    const name = (value as Record<string, unknown>)[member]
    if (typeof name === 'string' && name.length <= nameCharactersMax && kindOfName(name) !== undefined) return name
  }
  return null
}

const nameCharactersMax = 256
/** Of a longer value only the beginning is scanned together with its name, because that takes several scans. */
const scannedCharacters = 1_024
const spanningCharactersMax = 4_096
/** No secret is shorter. */
const spanningCharactersMin = limits.secretCharactersMin

function redactText(value: string, name: string | null, redaction: RedactionContext): string {
  const clean = redaction.scan(value, redaction.onHit)
  if (name === null || clean === '') return clean
  const redacted = redactNamedValue(name, clean, redaction.scan)
  if (redacted === null) return clean
  for (const rule of redacted.rules) redaction.onHit(rule)
  return redacted.value
}

/** A shorter number is not scanned without its name: an operator rule such as `\d{3,}` must not redact every count. */
const digitsMin = 8

function redactNumber(value: number, name: string | null, { scan, onHit }: RedactionContext): unknown {
  const text = String(value)
  const isLong = text.replace(/\D/g, '').length >= digitsMin
  const alone = isLong ? scan(text, onHit) : text
  if (alone !== text) return alone
  // A fraction is not a password.
  const redacted = name === null || !Number.isInteger(value) ? null : redactNamedValue(name, text, scan)
  if (redacted === null || (!isLong && scan(text, () => {}) !== text)) return value
  for (const rule of redacted.rules) onHit(rule)
  return redacted.value
}

type RedactedValue = { readonly value: string; readonly rules: readonly string[] }
/** One syntax to write a name and its value as text, and to parse the value again. */
type AssignmentSyntax = {
  readonly front: (name: string) => string
  readonly back: string
  readonly write: (value: string) => string
  readonly read: (text: string) => string | null
}

/** As a JSON member and as an assignment. */
const syntaxes: readonly AssignmentSyntax[] = [
  {
    front: (name) => `${JSON.stringify(name)}: "`,
    back: '"',
    write: (value) => JSON.stringify(value).slice(1, -1),
    read: unquote,
  },
  { front: (name) => `${name}=`, back: '', write: (value) => value, read: (text) => text },
]

/** Scans a value together with its name. Null when that finds nothing more; both were scanned separately before. */
function redactNamedValue(name: string, value: string, scan: Scanner): RedactedValue | null {
  const near = name.slice(-nameCharactersMax)
  const head = value.slice(0, scannedCharacters)
  const tail = value.slice(scannedCharacters)
  for (const { front: frontOf, back, write, read } of syntaxes) {
    const rules: string[] = []
    const front = frontOf(near)
    const clean = scan(front + write(head) + back, (rule) => rules.push(rule))
    const [first] = rules
    if (first === undefined) continue
    // The name itself matches a rule, so the match says nothing about the value.
    if (scan(near, () => {}) !== near) return null
    const isOnlyValue = clean.startsWith(front) && clean.endsWith(back)
    const rest = isOnlyValue ? read(clean.slice(front.length, clean.length - back.length)) : null
    // The whole value is replaced when the match cannot be separated from the name, or may continue beyond the scanned part.
    const isWhole = rest === null || (tail !== '' && rest.endsWith(']'))
    return { value: isWhole ? markerOf(first) : rest + tail, rules }
  }
  return null
}

function unquote(text: string): string | null {
  try {
    return JSON.parse(`"${text}"`)
  } catch {
    return null
  }
}

/**
 * Finds a tenant secret that starts in the member name and ends in the value: concatenated, as an assignment, or as JSON.
 * Only the characters around the boundary are scanned.
 */
function findSpanningSecret(name: string, value: string, scan: Scanner): string | null {
  if (name === '' || name.length + value.length < spanningCharactersMin) return null
  const near = name.slice(-nameCharactersMax)
  const head = value.slice(0, spanningCharactersMax)
  const rules: string[] = []
  // Scanners ignore white space, so the three texts are separated by a private-use character that no secret contains.
  const texts = ['', '=', ':'].map((between) => near + between + head)
  scan(texts.join('\ue000'), (rule) => rules.push(rule))
  // A built-in rule that matches only the concatenation is a coincidence, not a secret.
  if (rules.every(isBuiltInMarkerId)) return null
  for (const text of texts) {
    const found: string[] = []
    const clean = scan(text, (rule) => found.push(rule))
    const own = found.find((rule) => !isBuiltInMarkerId(rule))
    if (own !== undefined && !clean.startsWith(near)) return own
  }
  return null
}
