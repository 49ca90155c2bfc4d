import { parseInstant, toInstant } from '../core/check.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** The paths, separated by dots, of the parts of an entry in a JSON line. */
export type PlainMapping = {
  readonly content: string
  readonly tags?: string
  readonly subject?: string
  readonly at?: string
}

export type PlainEntry = { readonly content: string; readonly tags: string[]; readonly subject?: string }

/**
 * The entry of one line. Its time becomes the tag `at:<instant>`: `createdAt` is when Colophon stored it, and a client
 * cannot set it.
 */
export function toPlainEntry(line: string, number: number, mapping: PlainMapping, tags: readonly string[]): PlainEntry {
  const wrong = (what: string) => new CliError(`line ${number}: ${what}`, exitCodes.refused)
  let document: unknown
  try {
    document = JSON.parse(line)
  } catch {
    throw wrong('is not JSON')
  }
  const content = valueAt(document, mapping.content)
  if (typeof content !== 'string') throw wrong(`has no text at ${mapping.content}`)
  const given = mapping.tags === undefined ? [] : (valueAt(document, mapping.tags) ?? [])
  const own = Array.isArray(given) ? given : [given]
  if (!own.every((tag) => typeof tag === 'string')) throw wrong(`has no tag or list of tags at ${mapping.tags}`)
  const subject = mapping.subject === undefined ? undefined : valueAt(document, mapping.subject)
  if (subject !== undefined && subject !== null && !['string', 'number'].includes(typeof subject))
    throw wrong(`has no name at ${mapping.subject}`)
  const time = mapping.at === undefined ? undefined : valueAt(document, mapping.at)
  const at =
    time === undefined || time === null ? [] : [`at:${instantOf(time, () => wrong(`has no instant at ${mapping.at}`))}`]
  return {
    content,
    tags: [...tags, ...(own as string[]), ...at],
    ...(subject === undefined || subject === null ? {} : { subject: String(subject) }),
  }
}

/** ISO-8601 with a zone, or seconds or milliseconds since 1970. */
function instantOf(value: unknown, wrong: () => CliError): string {
  if (typeof value === 'number' && Number.isFinite(value)) {
    const instant = new Date(value < 1e11 ? value * 1_000 : value)
    if (!Number.isNaN(instant.getTime())) return instant.toISOString()
  }
  try {
    return toInstant(parseInstant('at', value))
  } catch {
    throw wrong()
  }
}

function valueAt(document: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    return (value as Record<string, unknown>)[name]
  }, document)
}
