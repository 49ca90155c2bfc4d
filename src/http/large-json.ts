import { createTimeSlice } from '../app/event-loop.ts'
import { limits } from '../core/limits.ts'

/** A response with a shorter list is rendered in a few milliseconds, however long its texts are. */
const longListFrom = 16
/** Characters of JSON that become bytes together. */
const pieceCharacters = 65_536

/** Whether the body of a response has a list with so much text that rendering it at once would block the event loop. */
export function isLargeBody(body: unknown): body is Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  let characters = 0
  for (const member of Object.values(body))
    if (Array.isArray(member) && member.length >= longListFrom)
      for (const item of member) characters += textLength(item, 2)
  return characters > limits.commitGroupCharactersMax
}

/** The characters of the texts in a value, down to a depth: an item of a list, or a result of a search with its entry. */
function textLength(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || depth === 0) return 0
  let characters = 0
  // Called for each page: a list of the members costs more than counting them.
  for (const name in value) characters += textLength((value as Readonly<Record<string, unknown>>)[name], depth - 1)
  return characters
}

/** The JSON of a large body, made in time slices: the items of its lists one after the other. */
export async function renderLargeBody(body: Readonly<Record<string, unknown>>): Promise<Buffer> {
  const slice = createTimeSlice()
  const pieces: Buffer[] = []
  let text = ''
  for (const part of jsonParts(body)) {
    text += part
    if (text.length < pieceCharacters) continue
    pieces.push(Buffer.from(text))
    text = ''
    await slice()
  }
  return Buffer.concat([...pieces, Buffer.from(text)])
}

/** The JSON of an object, as `JSON.stringify` writes it. */
function* jsonParts(body: Readonly<Record<string, unknown>>): Generator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(body)) {
    const json: string | undefined = Array.isArray(value) ? '' : JSON.stringify(value)
    if (json === undefined) continue
    yield `${separator}${JSON.stringify(name)}:${json}`
    separator = ','
    if (Array.isArray(value)) yield* listParts(value)
  }
  yield separator === '{' ? '{}' : '}'
}

function* listParts(list: readonly unknown[]): Generator<string> {
  let separator = '['
  for (const item of list) {
    yield `${separator}${JSON.stringify(item) ?? 'null'}`
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}
