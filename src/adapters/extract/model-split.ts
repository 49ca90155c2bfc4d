import type { SourceMessage } from '../../core/provenance/source-event.ts'

/** A message, or a piece of a long one, under the place it has in the event. */
export type Piece = { readonly index: number; readonly role: 'user' | 'assistant'; readonly content: string }

/** What one call to the model is about. */
export type Part = readonly Piece[]

/** Of the JSON document with the messages in one call: about 3,000 tokens, which small models take too. */
export const documentCharactersMax = 12_000
/** `{"index":199,"role":"assistant","content":""},` and a little to spare. */
const pieceOverhead = 60
const documentOverhead = 40
const pieceCharactersMax = documentCharactersMax - documentOverhead - pieceOverhead
/** An assistant's words that a call begins with, so that an answer is not cut off from its question. */
const carriedCharactersMax = 2_000

/**
 * The messages in as many parts as the limit asks for; the same messages always give the same parts. System messages
 * are instructions to another program, so they are left out; parts in which no user speaks have nothing to tell.
 */
export function splitMessages(messages: readonly SourceMessage[]): Part[] {
  const parts: Piece[][] = [[]]
  let size = documentOverhead
  let before: Piece | null = null
  for (const piece of piecesOf(messages)) {
    const cost = pieceOverhead + textCost(piece.content)
    if (size + cost > documentCharactersMax) {
      const carried = piece.role === 'user' && before?.role === 'assistant' ? before : null
      const carriedCost = carried === null ? 0 : pieceOverhead + textCost(carried.content)
      const fits = carriedCost <= carriedCharactersMax && documentOverhead + carriedCost + cost <= documentCharactersMax
      parts.push(carried !== null && fits ? [carried] : [])
      size = documentOverhead + (fits ? carriedCost : 0)
    }
    parts.at(-1)?.push(piece)
    size += cost
    before = piece
  }
  return parts.filter((part) => part.some(({ role }) => role === 'user'))
}

function* piecesOf(messages: readonly SourceMessage[]): Iterable<Piece> {
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'system') continue
    for (const text of splitText(content)) yield { index, role, content: text }
  }
}

/** Cuts after a sentence where it can, else after a word: half a sentence may say the opposite of the whole. */
function splitText(text: string): string[] {
  const pieces: string[] = []
  let start = 0
  let cost = 0
  let wordEnd = 0
  let sentenceEnd = 0
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (cost + characterCost(character) > pieceCharactersMax) {
      const end = [sentenceEnd, wordEnd].find((place) => place - start > (at - start) / 2) ?? at
      pieces.push(text.slice(start, end))
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
  pieces.push(text.slice(start))
  return pieces
}

function textCost(text: string): number {
  let cost = 0
  for (const character of text) cost += characterCost(character)
  return cost
}

/** At least the characters it takes in the document, where some are written as escapes. */
function characterCost(character: string): number {
  if (/[\p{Cc}\p{Cs}<[]/u.test(character)) return '\\u003c'.length
  return character === '"' || character === '\\' ? 2 : character.length
}
