import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { markerOf } from './rules/marker.ts'
import { isHostId } from './rules/marker-ids.ts'
import { kindOfName } from './rules/names.ts'
import type { Scanner } from './scanner.ts'

export type Redaction = {
  readonly scan: Scanner
  readonly onHit: (rule: string) => void
  /** Values that this scanner has gone over already, under the same name. */
  readonly clean?: CleanValues
}

export type CleanValues = {
  has(value: object, name: string | null): boolean
  add(value: object, name: string | null): void
}

/**
 * Takes secrets out of a JSON value, names of members included. A name and its value are judged together, as if they
 * stood in a text: `{"password": "…"}` like `password=…`. Numbers are judged as they are written. What is nested too
 * deep for any stack is refused.
 */
export function redactStructure(value: unknown, redaction: Redaction, name: string | null = null, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value, name, redaction)
  if (typeof value === 'number') return redactNumber(value, name, redaction)
  if (value === null || typeof value !== 'object') return value
  const max = limits.jsonDepthMax
  if (depth >= max) throw invalid('body', `must be nested at most ${max} deep`, { limit: 'jsonDepthMax', max })
  if (redaction.clean?.has(value, name)) return value
  const clean: object = Array.isArray(value)
    ? value.map((item) => redactStructure(item, redaction, name, depth + 1))
    : redactMembers(value, redaction, name, depth)
  redaction.clean?.add(clean, name)
  return clean
}

function redactMembers(value: object, redaction: Redaction, parent: string | null, depth: number): object {
  const sibling = siblingName(value)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const member = redactMember(key, item, redaction, inheritedName(parent, key), depth)
      if (sibling === null || !siblingValues.has(key)) return member
      return [member[0], redactStructure(member[1], redaction, sibling, depth + 1)]
    }),
  )
}

/** A member whose name came from outside: a secret that stands across name and value takes both. */
function redactMember(
  key: string,
  item: unknown,
  redaction: Redaction,
  inherited: string | null,
  depth: number,
): [string, unknown] {
  const name = redaction.scan(key, redaction.onHit)
  const isLeaf = typeof item === 'string' || typeof item === 'number'
  const across = isLeaf ? findAcross(name, String(item), redaction.scan) : null
  if (across === null) return [name, redactStructure(item, redaction, inherited ?? name, depth + 1)]
  redaction.onHit(across)
  return [markerOf(across), markerOf(across)]
}

/** `password` for what is in `{"password": {"current": …}}`, because `password_current` says the same. */
function inheritedName(parent: string | null, key: string): string | null {
  if (parent === null || kindOfName(key) !== undefined) return null
  const joined = `${parent}_${key}`
  return kindOfName(joined) === undefined ? null : joined
}

const namingMembers = ['name', 'key', 'field', 'header', 'parameter', 'variable', 'left']
export const siblingValues = new Set(['value', 'content', 'default', 'defaultValue', 'right'])

/** `{"name": "DB_PASSWORD", "value": "…"}`: the name stands beside the value. */
export function siblingName(value: object): string | null {
  for (const member of namingMembers) {
    const name = (value as Record<string, unknown>)[member]
    if (typeof name === 'string' && name.length <= nameCharactersMax && kindOfName(name) !== undefined) return name
  }
  return null
}

const nameCharactersMax = 256
/** A longer value is judged by its beginning, because it is read in several ways. */
const judgedCharacters = 1_024
const acrossCharacters = 4_096
/** No secret is shorter. */
const acrossCharactersMin = limits.secretCharactersMin

function redactText(value: string, name: string | null, redaction: Redaction): string {
  const clean = redaction.scan(value, redaction.onHit)
  if (name === null || clean === '') return clean
  const judged = judgeTogether(name, clean, redaction.scan)
  if (judged === null) return clean
  for (const rule of judged.rules) redaction.onHit(rule)
  return judged.value
}

/** So many digits are a number that means something by itself; a rule for shorter ones must not take every count. */
const digitsMin = 8

function redactNumber(value: number, name: string | null, { scan, onHit }: Redaction): unknown {
  const text = String(value)
  const isLong = text.replace(/\D/g, '').length >= digitsMin
  const alone = isLong ? scan(text, onHit) : text
  if (alone !== text) return alone
  // A fraction is no password.
  const judged = name === null || !Number.isInteger(value) ? null : judgeTogether(name, text, scan)
  if (judged === null || (!isLong && scan(text, () => {}) !== text)) return value
  for (const rule of judged.rules) onHit(rule)
  return judged.value
}

type Judged = { readonly value: string; readonly rules: readonly string[] }
/** One way to write a name and its value in a text, and to read the value again. */
type Writing = {
  readonly front: (name: string) => string
  readonly back: string
  readonly write: (value: string) => string
  readonly read: (text: string) => string | null
}

/** As a member of JSON and as an assignment. */
const writings: readonly Writing[] = [
  {
    front: (name) => `${JSON.stringify(name)}: "`,
    back: '"',
    write: (value) => JSON.stringify(value).slice(1, -1),
    read: unquote,
  },
  { front: (name) => `${name}=`, back: '', write: (value) => value, read: (text) => text },
]

/** Both have been judged alone. */
function judgeTogether(name: string, value: string, scan: Scanner): Judged | null {
  const near = name.slice(-nameCharactersMax)
  const head = value.slice(0, judgedCharacters)
  const tail = value.slice(judgedCharacters)
  for (const { front: frontOf, back, write, read } of writings) {
    const rules: string[] = []
    const front = frontOf(near)
    const clean = scan(front + write(head) + back, (rule) => rules.push(rule))
    const [first] = rules
    if (first === undefined) continue
    // A name of the host's stays, whatever happens to be a secret; it says nothing about its value.
    if (scan(near, () => {}) !== near) return null
    const isBehind = clean.startsWith(front) && clean.endsWith(back)
    const rest = isBehind ? read(clean.slice(front.length, clean.length - back.length)) : null
    // What cannot be separated goes as a whole, and so does a secret that goes on in what was not judged.
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
 * A secret of the tenant that begins in the name and goes on in the value: side by side, as an assignment, as JSON.
 * Only what is near the place where they meet can stand across it.
 */
function findAcross(name: string, value: string, scan: Scanner): string | null {
  if (name === '' || name.length + value.length < acrossCharactersMin) return null
  const near = name.slice(-nameCharactersMax)
  const head = value.slice(0, acrossCharacters)
  const rules: string[] = []
  // White space is read over, so what stands between the three must be a character that no secret begins or ends with.
  const texts = ['', '=', ':'].map((between) => near + between + head)
  scan(texts.join('\ue000'), (rule) => rules.push(rule))
  // A shape that two harmless halves happen to make is no secret.
  if (rules.every(isHostId)) return null
  for (const text of texts) {
    const found: string[] = []
    const clean = scan(text, (rule) => found.push(rule))
    const own = found.find((rule) => !isHostId(rule))
    if (own !== undefined && !clean.startsWith(near)) return own
  }
  return null
}
