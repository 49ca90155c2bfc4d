import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Candidate, Extraction, Extractor } from '../../ports/extractor.ts'
import { type ChatAnswer, createChatClient, type TokenUsage } from '../model-api/chat-client.ts'
import type { ModelOptions } from '../model-api/model-http.ts'
import { readAnswer } from './model-answer.ts'
import { extractionFormat, promptFor } from './model-prompt.ts'
import { type Part, splitMessages } from './model-split.ts'

/** The first try and one repair: a model that fails twice would fail on, at somebody's expense. */
const triesMax = 2

type ModelExtraction = Extraction & {
  /** What the model gave that was not as it had to be. */
  readonly dropped: number
}

/** Finds memories with a language model. What the model says is checked like anything else that comes from outside. */
export function createModelExtractor(options: ModelOptions) {
  const { model } = options
  const client = createChatClient(options, extractionFormat)

  async function extractPart(part: Part, signal: AbortSignal) {
    const usages: TokenUsage[] = []
    let problem: string | null = null
    for (let tries = 0; tries < triesMax; tries += 1) {
      const { text, wasCut, usage }: ChatAnswer = await client.ask(promptFor(part, problem), signal)
      if (usage !== null) usages.push(usage)
      const read = readAnswer(text, wasCut, part)
      if (read.isUsable) return { ...read, usages }
      problem = read.problem
    }
    throw new ColophonError('extraction_failed', `The model's answer could not be used, twice. ${problem}`)
  }

  return {
    name: model,
    async extract(messages, signal): Promise<ModelExtraction> {
      const candidates: Candidate[] = []
      const usages: TokenUsage[] = []
      let dropped = 0
      // One after the other: many calls at once are what servers answer with 429.
      for (const part of splitMessages(messages)) {
        const found = await extractPart(part, signal)
        candidates.push(...found.candidates)
        usages.push(...found.usages)
        dropped += found.dropped
      }
      const kept = candidates.slice(0, limits.candidatesPerEventMax)
      dropped += candidates.length - kept.length
      return { candidates: kept, extractor: model, dropped, ...(usages.length > 0 ? { usage: total(usages) } : {}) }
    },
  } satisfies Extractor
}

function total(usages: readonly TokenUsage[]): TokenUsage {
  return usages.reduce((a, b) => ({
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  }))
}
