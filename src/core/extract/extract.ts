import { limits } from '../limits.ts'
import type { Category } from '../provenance/category.ts'
import type { SourceMessage } from '../provenance/source-event.ts'
import type { Language } from './language.ts'
import { type LocatedFinding, mergeFindings, topFindings } from './merge-findings.ts'
import { lastQuestion } from './own-text.ts'
import { createSentenceReader, readMessage } from './read-message.ts'

/** A memory that an extractor, the built-in rules or a model, proposes. */
export type ExtractedMemory = {
  /** 10 to 500 characters. */
  readonly content: string
  readonly category: Category
  /** 1 to 10. */
  readonly importance: number
  /** 0 to 1. */
  readonly confidence: number
  /** The key of the claim that it is about, such as `ui.theme`; null when it competes with no other memory. */
  readonly claimKey: string | null
  /** The indexes of the messages that it was found in. */
  readonly messages: readonly number[]
}

/**
 * Extracts what the user states about themselves in the messages. A generator, so that the caller can yield to the event loop
 * between two steps. Texts are data: they are matched against patterns, and instructions in them are not followed.
 */
export function* extractFromMessages(
  messages: readonly SourceMessage[],
  languages: readonly Language[],
): Generator<void, readonly ExtractedMemory[]> {
  const reader = createSentenceReader(languages)
  let findings: readonly LocatedFinding[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'user') {
      const previous = messages[index - 1]
      const question = previous?.role === 'assistant' ? lastQuestion(previous.content, languages) : null
      findings = mergeFindings(yield* readMessage(reader, findings, { content, index, question }))
    }
    yield
  }
  return topFindings(findings).flatMap(toExtracted)
}

function toExtracted(finding: LocatedFinding): readonly ExtractedMemory[] {
  const { content, category, claimKey, importance, confidence, messages } = finding
  const fits = content.length >= limits.candidateCharactersMin && content.length <= limits.candidateCharactersMax
  if (!fits || (claimKey?.length ?? 0) > limits.claimKeyCharactersMax) return []
  return [{ content, category, importance, confidence, claimKey, messages }]
}
