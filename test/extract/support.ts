import { createRulesExtractor } from '../../src/adapters/extract/rules.ts'
import type { ExtractedMemory } from '../../src/core/extract/extract.ts'
import type { SourceMessage } from '../../src/core/provenance/source-event.ts'

const extractor = createRulesExtractor()

export async function extract(messages: readonly SourceMessage[]): Promise<readonly ExtractedMemory[]> {
  return (await extractor.extract(messages, new AbortController().signal)).candidates
}

export const user = (content: string): SourceMessage => ({ role: 'user', content })
export const assistant = (content: string): SourceMessage => ({ role: 'assistant', content })

/** The claim keys of what one user message says. */
export async function keysOf(text: string): Promise<(string | null)[]> {
  return (await extract([user(text)])).map(({ claimKey }) => claimKey)
}
