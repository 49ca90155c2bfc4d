import { invalid } from './errors.ts'
import { describeUnknown } from './unknown-names.ts'

/** Checks of a caller's input. Each error names the field and the limit, and never repeats the value. */

/** Refuses unknown keys. Otherwise a mistyped option would be ignored in silence. */
export function checkKnownKeys(where: string, value: unknown, known: readonly string[]): void {
  if (value === undefined) return
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid(where, 'must be an object')
  }
  const unknown = Object.keys(value).filter((key) => !known.includes(key))
  if (unknown.length === 0) return
  const { text, details } = describeUnknown('member', unknown, known)
  throw invalid(where, text, details)
}

/** Text that both databases store byte for byte: PostgreSQL has no NUL, UTF-8 has no lone surrogate. */
export function checkText(field: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalid(field, 'must be a string')
  if (value.includes('\u0000')) throw invalid(field, 'must not contain the NUL character')
  if (!value.isWellFormed()) throw invalid(field, 'must be well-formed Unicode (it has a lone surrogate)')
}

/** Text of 1 to `max` UTF-16 units. `limitName` goes into the details of the error. */
export function checkCharacters(
  field: string,
  value: unknown,
  limitName: string,
  max: number,
): asserts value is string {
  checkText(field, value)
  if (value.length === 0) throw invalid(field, 'must not be empty')
  if (value.length > max) throw invalid(field, `must be at most ${max} characters`, { limit: limitName, max })
}

/**
 * A name by which a stored row is looked up. It may have characters that new names must not have: rows with such names must still
 * be found.
 */
export function checkLookup(field: string, value: unknown, limitName: string, max: number): asserts value is string {
  checkCharacters(field, value, limitName, max)
  if (/\p{Cc}/u.test(value)) throw invalid(field, 'must not contain control characters')
}

/** A new name, which goes into keys and logs: of limited length and without invisible characters. */
export function checkIdentifier(
  field: string,
  value: unknown,
  limitName: string,
  max: number,
): asserts value is string {
  checkLookup(field, value, limitName, max)
  checkVisible(field, value)
}

/** Invisible characters that are not formatting characters: fillers, selectors. The variation selector of an emoji is allowed. */
const invisible = /(?<!\p{Extended_Pictographic})\p{Default_Ignorable_Code_Point}/u

/** Refuses invisible characters. Otherwise two different names could look the same. Contents may have them. */
export function checkVisible(field: string, value: string): void {
  if (/[\p{Zl}\p{Zp}]/u.test(value)) throw invalid(field, 'must not contain line or paragraph separators')
  checkUnformatted(field, value)
  refuseFound(field, invisible.exec(value))
}

/** Refuses zero-width characters and those that change the direction of text. */
export function checkUnformatted(field: string, value: string): void {
  refuseFound(field, /\p{Cf}/u.exec(value))
}

function refuseFound(field: string, found: RegExpExecArray | null): void {
  if (found === null) return
  const character = `U+${found[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
  throw invalid(field, `must not contain invisible or bidirectional control characters (it has ${character})`, {
    character,
  })
}

/** A whole number of at least `min`. */
export function checkCount(field: string, value: unknown, min: number): asserts value is number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min) {
    throw invalid(field, `must be a whole number of at least ${min}`, { min })
  }
}

/** ISO-8601 with a time zone. Seconds and their fraction are optional. */
export const isoInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/**
 * Parses an ISO-8601 instant with a time zone, or a Date, to milliseconds. A time without a zone would be a different instant on each
 * machine.
 */
export function parseInstant(field: string, value: unknown): number {
  const ms =
    value instanceof Date
      ? value.getTime()
      : typeof value === 'string' && isoInstant.test(value)
        ? Date.parse(value)
        : Number.NaN
  const isDay = typeof value !== 'string' || isCalendarDay(value)
  if (!Number.isFinite(ms) || !isDay)
    throw invalid(field, 'must be an ISO-8601 instant with a time zone, such as 2030-01-31T12:00:00Z')
  return ms
}

/** `Date.parse` reads February 30 as a day in March. */
function isCalendarDay(instant: string): boolean {
  const [year = 0, month = 0, day = 0] = instant.slice(0, 10).split('-').map(Number)
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** The minute that was formatted last: the instants of a page are close together, and a Date costs ten times as much. */
let lastMinute = { minute: Number.NaN, text: '' }

/** Milliseconds as ISO-8601 in UTC. */
export function toInstant(ms: number): string {
  const minute = Math.floor(ms / 60_000)
  if (minute !== lastMinute.minute)
    lastMinute = { minute, text: new Date(minute * 60_000).toISOString().slice(0, -'00.000Z'.length) }
  const rest = 100_000 + Math.floor(ms - minute * 60_000)
  const digits = String(rest)
  return `${lastMinute.text}${digits.slice(1, 3)}.${digits.slice(3)}Z`
}

const encoder = new TextEncoder()

/** The length of a text in UTF-8. It does not use Buffer, so that the core runs in a browser too. */
export function utf8Bytes(text: string): number {
  // A long text is encoded faster than its characters are looped over, a short one is not.
  if (text.length > 1_024) return encoder.encode(text).length
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // Each half of a surrogate pair counts two: a pair is four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3
  }
  return bytes
}

/** A value that both databases can store as JSON and read back unchanged. */
export function checkJson(field: string, value: unknown, limitName: string, max: number): void {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {
    // Cycles and bigints have no JSON form.
  }
  if (text === undefined) throw invalid(field, 'must be a JSON value')
  if (utf8Bytes(text) > max) throw invalid(field, `must be at most ${max} bytes of JSON`, { limit: limitName, max })
  // An escape begins with a backslash that is not itself escaped.
  if (/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(text)) {
    throw invalid(field, 'must not contain the NUL character or a lone surrogate')
  }
  // JSON.stringify writes such a number as null. The search is slower than writing, so it runs only when there is a null.
  if (text.includes('null') && hasUnwritableNumber(value)) {
    throw invalid(field, 'must not contain a number that is not finite (a JSON number may be at most 1.7e308)')
  }
}

/** Without recursion: a value that JSON.stringify can write may be nested deeper than our own stack allows. */
function hasUnwritableNumber(value: unknown): boolean {
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'number' && !Number.isFinite(next)) return true
    if (next !== null && typeof next === 'object') for (const member of Object.values(next)) open.push(member)
  }
  return false
}
