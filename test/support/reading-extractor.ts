import type { Extractor } from '../../src/ports/extractor.ts'

type Reading = { readonly claimKey?: string | null; readonly confidence?: number }

/** Reads every message as one candidate with its text, as unsure as the test says. */
export function readingExtractor({ claimKey = 'home', confidence = 0.5 }: Reading = {}): Extractor {
  return {
    name: 'stand-in',
    async extract(messages) {
      const candidates = messages.map(({ content }, index) => ({
        content,
        category: 'fact' as const,
        importance: 5,
        confidence,
        claimKey,
        messages: [index],
      }))
      return { extractor: 'stand-in', candidates }
    },
  }
}
