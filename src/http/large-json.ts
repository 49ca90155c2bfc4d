import { createTimeSlice } from '../app/event-loop.ts'
import { limits } from '../core/limits.ts'

/** What a value weighs beside its text: a million small values take as long to render as a long text. */
const valueCharacters = 8
/** A value that weighs less is rendered at once: in a fraction of a millisecond. */
const smallCharacters = 65_536

/** Whether rendering the body of a response at once would block the event loop: it has much text, or many values. */
export function isLargeBody(body: unknown): body is object {
  return isContainer(body) && isHeavier(body, limits.commitGroupCharactersMax)
}

/** The JSON of a large body, made in time slices: its members and items one after the other, down to those that are small. */
export async function renderLargeBody(body: object): Promise<Buffer> {
  const slice = createTimeSlice()
  const pieces: Buffer[] = []
  let text = ''
  for (const part of jsonParts(body)) {
    text += part
    if (text.length < smallCharacters) continue
    pieces.push(Buffer.from(text))
    text = ''
    await slice()
  }
  return Buffer.concat([...pieces, Buffer.from(text)])
}

/** Not a buffer, a stream, or a value that renders itself. */
function isContainer(value: unknown): value is readonly unknown[] | Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}

function isHeavier(value: unknown, characters: number): boolean {
  return weighed(value, characters) < 0
}

/** What is left of a number of characters after a value. It stops where nothing is left. */
function weighed(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length
  let left = characters - valueCharacters
  if (typeof value !== 'object' || value === null) return left
  if (Array.isArray(value)) {
    for (const item of value) {
      left = weighed(item, left)
      if (left < 0) return left
    }
    return left
  }
  // Called for each response: a list of the members costs more than counting them.
  for (const name in value) {
    left = weighed((value as Readonly<Record<string, unknown>>)[name], left - name.length)
    if (left < 0) return left
  }
  return left
}

/** The JSON of a value, as `JSON.stringify` writes it. */
function jsonParts(value: object): Generator<string> {
  return Array.isArray(value) ? listParts(value) : objectParts(value as Readonly<Record<string, unknown>>)
}

function* objectParts(object: Readonly<Record<string, unknown>>): Generator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(object)) {
    const isLarge = isContainer(value) && isHeavier(value, smallCharacters)
    const json: string | undefined = isLarge ? '' : JSON.stringify(value)
    if (json === undefined) continue
    yield `${separator}${JSON.stringify(name)}:${json}`
    separator = ','
    if (isLarge) yield* jsonParts(value)
  }
  yield separator === '{' ? '{}' : '}'
}

function* listParts(list: readonly unknown[]): Generator<string> {
  let separator = '['
  for (const item of list) {
    if (isContainer(item) && isHeavier(item, smallCharacters)) {
      yield separator
      yield* jsonParts(item)
    } else yield `${separator}${JSON.stringify(item) ?? 'null'}`
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}
