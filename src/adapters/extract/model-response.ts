import { findJson } from '../../core/agents/find-json.ts'
import type { ExtractedMemory } from '../../core/extract/extract.ts'
import { limits } from '../../core/limits.ts'
import { isCategory } from '../../core/provenance/category.ts'
import type { ChatCompletion } from '../model-api/chat-client.ts'
import type { ModelInput } from './split-messages.ts'

type ParsedResponse =
  | { readonly isUsable: true; readonly candidates: readonly ExtractedMemory[]; readonly dropped: number }
  /** The reason, without quotes of the response: it is sent back to the model and stored in the job's error. */
  | { readonly isUsable: false; readonly problem: string }

/**
 * Parses a model's response and checks every field. Unknown members are dropped, whatever an injected prompt made the model
 * write.
 */
export function parseExtraction(
  { text, isTruncated }: Pick<ChatCompletion, 'text' | 'isTruncated'>,
  input: ModelInput,
): ParsedResponse {
  if (text === null) return { isUsable: false, problem: 'It had no text.' }
  const value = findJson(text)
  if (value === undefined) {
    const problem = isTruncated ? 'It was too long and was truncated: keep only what matters most.' : 'It was not JSON.'
    return { isUsable: false, problem }
  }
  const items = Array.isArray(value) ? value : (value as { memories?: unknown } | null)?.memories
  if (!Array.isArray(items)) return { isUsable: false, problem: 'It was not an object with the list "memories".' }
  const candidates = items.map((item) => toCandidate(item, input)).filter((candidate) => candidate !== null)
  return { isUsable: true, candidates, dropped: items.length - candidates.length }
}

/** Null when any field is invalid: an incomplete memory is worse than none. */
function toCandidate(item: unknown, input: ModelInput): ExtractedMemory | null {
  if (item === null || typeof item !== 'object') return null
  const { content, category, importance, confidence, claim_key, messages } = item as Record<string, unknown>
  const text = readContent(content)
  const claimKey = readClaimKey(claim_key)
  const sources = readSources(messages, input)
  if (text === null || claimKey === undefined || sources === null || !isCategory(category)) return null
  if (!isBetween(importance, 1, 10) || !isBetween(confidence, 0, 1)) return null
  return { content: text, category, importance: Math.round(importance), confidence, claimKey, messages: sources }
}

/** Text that a database cannot store would fail the whole event later. */
function readContent(value: unknown): string | null {
  if (typeof value !== 'string' || !value.isWellFormed()) return null
  const text = value.trim()
  const fits = text.length >= limits.candidateCharactersMin && text.length <= limits.candidateCharactersMax
  return fits && !text.includes('\u0000') ? text : null
}

const claimKeyShape = /^[a-z0-9]+(?:[._:-][a-z0-9]+)*$/

/** A normalised claim key, because assertions compete only under equal keys. Undefined when it is invalid. */
function readClaimKey(value: unknown): string | null | undefined {
  if (value === null || value === undefined || value === '') return null
  if (typeof value !== 'string' || value.length > limits.claimKeyCharactersMax) return undefined
  const key = value.trim().toLowerCase().replace(/\s+/g, '_')
  return claimKeyShape.test(key) ? key : undefined
}

/** The indexes of the user messages it comes from. Assistant messages may be listed too, but are not sources. */
function readSources(value: unknown, input: ModelInput): number[] | null {
  if (!Array.isArray(value) || !value.every((index) => input.some((chunk) => chunk.index === index))) return null
  const isSource = (index: number) => input.some((chunk) => chunk.index === index && chunk.role === 'user')
  const sources = [...new Set(value as number[])].filter(isSource).sort((a, b) => a - b)
  return sources.length === 0 ? null : sources
}

function isBetween(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max
}
