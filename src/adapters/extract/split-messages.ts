import { withoutHarnessText } from '../../core/provenance/harness-text.ts'
import type { SourceMessage } from '../../core/provenance/source-event.ts'

/** A message, or a chunk of a long one, with its index in the event. */
export type MessageChunk = { readonly index: number; readonly role: 'user' | 'assistant'; readonly content: string }

/** The chunks of one model call. */
export type ModelInput = readonly MessageChunk[]

/** The size of the JSON document of one call: about 3,000 tokens, which small models accept too. */
export const documentCharactersMax = 12_000
/** `{"index":199,"role":"assistant","content":""},` and some reserve. */
const chunkOverhead = 60
const documentOverhead = 40
const chunkCharactersMax = documentCharactersMax - documentOverhead - chunkOverhead
/** A call may repeat the assistant message before its first answer, if the message is at most this long. */
const carriedCharactersMax = 2_000

/**
 * Splits messages into the inputs of model calls; deterministic. System messages are left out, because they are instructions
 * to another program, and so are inputs without a user message.
 */
export function splitMessages(messages: readonly SourceMessage[]): ModelInput[] {
  const inputs: MessageChunk[][] = [[]]
  let size = documentOverhead
  let before: MessageChunk | null = null
  for (const chunk of chunksOf(messages)) {
    const cost = chunkOverhead + textCost(chunk.content)
    if (size + cost > documentCharactersMax) {
      const carried = chunk.role === 'user' && before?.role === 'assistant' ? before : null
      const carriedCost = carried === null ? 0 : chunkOverhead + textCost(carried.content)
      const fits = carriedCost <= carriedCharactersMax && documentOverhead + carriedCost + cost <= documentCharactersMax
      inputs.push(carried !== null && fits ? [carried] : [])
      size = documentOverhead + (fits ? carriedCost : 0)
    }
    inputs.at(-1)?.push(chunk)
    size += cost
    before = chunk
  }
  return inputs.filter((input) => input.some(({ role }) => role === 'user'))
}

function* chunksOf(messages: readonly SourceMessage[]): Iterable<MessageChunk> {
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'system') continue
    const own = role === 'user' ? withoutHarnessText(content) : content
    if (own === '') continue
    for (const text of splitText(own)) yield { index, role, content: text }
  }
}

/** Splits after a sentence if possible, else after a word: half a sentence may state the opposite of the whole. */
function splitText(text: string): string[] {
  const chunks: string[] = []
  let start = 0
  let cost = 0
  let wordEnd = 0
  let sentenceEnd = 0
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (cost + characterCost(character) > chunkCharactersMax) {
      const end = [sentenceEnd, wordEnd].find((end) => end - start > (at - start) / 2) ?? at
      chunks.push(text.slice(start, end))
      start = at = wordEnd = sentenceEnd = end
      cost = 0
      continue
    }
    cost += characterCost(character)
    at += character.length
    if (!/\s/.test(character)) continue
    wordEnd = at
    if (character === '\n' || /[.!?]/.test(text.charAt(at - 2))) sentenceEnd = at
  }
  chunks.push(text.slice(start))
  return chunks
}

function textCost(text: string): number {
  let cost = 0
  for (const character of text) cost += characterCost(character)
  return cost
}

/** An upper bound of the characters it takes in the document, where some are written as escapes. */
function characterCost(character: string): number {
  if (/[\p{Cc}\p{Cs}<[]/u.test(character)) return '\\u003c'.length
  return character === '"' || character === '\\' ? 2 : character.length
}
