import { ColophonError } from '../../core/errors.ts'
import type { ExtractedMemory } from '../../core/extract/extract.ts'
import { limits } from '../../core/limits.ts'
import type { Extraction, Extractor } from '../../ports/extractor.ts'
import { type ChatCompletion, createChatClient, type TokenUsage, totalUsage } from '../model-api/chat-client.ts'
import type { ModelOptions } from '../model-api/model-http.ts'
import { extractionFormat, promptFor } from './model-prompt.ts'
import { parseExtraction } from './model-response.ts'
import { type ModelInput, splitMessages } from './split-messages.ts'

/** The first attempt and one repair: further calls would cost tokens and rarely help. */
const attemptsMax = 2

type ModelExtraction = Extraction & {
  /** How many items of the model's responses were invalid or beyond the limit. */
  readonly dropped: number
}

/** An extractor that calls a language model. Its responses are checked like any input. */
export function createModelExtractor(options: ModelOptions) {
  const { model } = options
  const client = createChatClient(options, extractionFormat)

  async function extractFrom(input: ModelInput, signal: AbortSignal) {
    const usages: TokenUsage[] = []
    let problem: string | null = null
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const completion: ChatCompletion = await client.complete(promptFor(input, problem), signal)
      if (completion.usage !== null) usages.push(completion.usage)
      const parsed = parseExtraction(completion, input)
      if (parsed.isUsable) return { ...parsed, usages }
      problem = parsed.problem
    }
    throw new ColophonError('extraction_failed', `The model returned an unusable response twice. ${problem}`)
  }

  return {
    name: model,
    async extract(messages, signal): Promise<ModelExtraction> {
      const candidates: ExtractedMemory[] = []
      const usages: TokenUsage[] = []
      let dropped = 0
      // Sequentially: parallel calls run into rate limits (429).
      for (const input of splitMessages(messages)) {
        const found = await extractFrom(input, signal)
        candidates.push(...found.candidates)
        usages.push(...found.usages)
        dropped += found.dropped
      }
      const kept = candidates.slice(0, limits.candidatesPerEventMax)
      dropped += candidates.length - kept.length
      return {
        candidates: kept,
        extractor: model,
        dropped,
        ...(usages.length > 0 ? { usage: totalUsage(usages) } : {}),
      }
    },
  } satisfies Extractor
}
