import { limits } from '../limits.ts'
import type { Category } from '../provenance/category.ts'
import type { SourceMessage } from '../provenance/source-event.ts'
import { type Sighting, settle, strongest } from './candidates.ts'
import type { Language } from './language.ts'
import { createReader, readMessage } from './messages.ts'
import { lastQuestion } from './prose.ts'

export type Extracted = {
  readonly content: string
  readonly category: Category
  readonly importance: number
  readonly confidence: number
  readonly claimKey: string | null
  readonly messages: readonly number[]
}

/**
 * What the user says about themselves in these messages. It goes in small steps, so that the caller can pause between
 * two of them. Texts are data: they are compared with patterns and never followed.
 */
export function* extractSteps(
  messages: readonly SourceMessage[],
  languages: readonly Language[],
): Generator<void, readonly Extracted[]> {
  const reader = createReader(languages)
  let sightings: readonly Sighting[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'user') {
      const asked = messages[index - 1]
      const question = asked?.role === 'assistant' ? lastQuestion(asked.content, languages) : null
      sightings = settle(yield* readMessage(reader, sightings, { content, index, question }))
    }
    yield
  }
  return strongest(sightings).flatMap(toExtracted)
}

function toExtracted(sighting: Sighting): readonly Extracted[] {
  const { content, category, claimKey, importance, confidence, messages } = sighting
  const fits = content.length >= limits.candidateCharactersMin && content.length <= limits.candidateCharactersMax
  if (!fits || (claimKey?.length ?? 0) > limits.claimKeyCharactersMax) return []
  return [{ content, category, importance, confidence, claimKey, messages }]
}
