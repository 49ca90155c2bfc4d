import { limits } from '../limits.ts'
import type { Category } from '../provenance/category.ts'
import type { SourceMessage } from '../provenance/source-event.ts'
import { type Sighting, settle, strongest } from './candidates.ts'
import type { Language } from './language.ts'
import { createReader, readMessage } from './messages.ts'
import { lastQuestion } from './prose.ts'

/** A memory that the built-in rules found in messages. */
export type Extracted = {
  readonly content: string
  readonly category: Category
  readonly importance: number
  readonly confidence: number
  readonly claimKey: string | null
  readonly messages: readonly number[]
}

/**
 * Extracts what the user states about themselves in the messages. A generator, so that the caller can yield to the event loop
 * between two steps. Texts are data: they are matched against patterns, and instructions in them are not followed.
 */
export function* extractSteps(
  messages: readonly SourceMessage[],
  languages: readonly Language[],
): Generator<void, readonly Extracted[]> {
  const reader = createReader(languages)
  let findings: readonly Sighting[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'user') {
      const previous = messages[index - 1]
      const question = previous?.role === 'assistant' ? lastQuestion(previous.content, languages) : null
      findings = settle(yield* readMessage(reader, findings, { content, index, question }))
    }
    yield
  }
  return strongest(findings).flatMap(toExtracted)
}

function toExtracted(finding: Sighting): readonly Extracted[] {
  const { content, category, claimKey, importance, confidence, messages } = finding
  const fits = content.length >= limits.candidateCharactersMin && content.length <= limits.candidateCharactersMax
  if (!fits || (claimKey?.length ?? 0) > limits.claimKeyCharactersMax) return []
  return [{ content, category, importance, confidence, claimKey, messages }]
}
