import { ColophonError } from '../../core/errors.ts'
import type { Summariser, Summary } from '../../ports/summariser.ts'
import { type ChatCompletion, createChatClient, type TokenUsage, totalUsage } from '../model-api/chat-client.ts'
import type { ModelOptions } from '../model-api/model-http.ts'
import { summaryFormat, summaryPrompt } from './model-prompt.ts'
import { parseSummary } from './model-response.ts'

/** The input of one call: about 8,000 tokens, which small models accept too. */
const partCharactersMax = 24_000
/** The first attempt and one repair: further calls would cost tokens and rarely help. */
const attemptsMax = 2

/**
 * A summariser that calls a language model. The texts are sent as data, and the response is checked like any input: a number or
 * marker that no source contains makes it unusable. After two unusable responses it fails with `summary_failed`, and nothing
 * is compacted.
 */
export function createModelSummariser(options: ModelOptions): Summariser {
  const client = createChatClient(options, summaryFormat)

  async function summariseOnce(texts: readonly string[], bytesMax: number, signal: AbortSignal, usages: TokenUsage[]) {
    let problem: string | null = null
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const completion: ChatCompletion = await client.complete(summaryPrompt(texts, bytesMax, problem), signal)
      if (completion.usage !== null) usages.push(completion.usage)
      const parsed = parseSummary(completion, texts, bytesMax)
      if (parsed.isUsable) return parsed.text
      problem = parsed.problem
    }
    throw new ColophonError('summary_failed', `The model returned an unusable summary twice. ${problem}`)
  }

  /** Texts that are too long for one call are summarised in parts, and the summaries are summarised again (map-reduce). */
  async function reduce(texts: readonly string[], bytesMax: number, signal: AbortSignal, usages: TokenUsage[]) {
    const parts = splitTexts(texts)
    if (parts.length <= 1) return summariseOnce(texts, bytesMax, signal, usages)
    // At most half of the input size, so that the recursion ends.
    const partBytesMax = Math.min(bytesMax, partCharactersMax / 2)
    const summaries: string[] = []
    // Sequentially: parallel calls run into rate limits (429).
    for (const part of parts) summaries.push(await summariseOnce(part, partBytesMax, signal, usages))
    return reduce(summaries, bytesMax, signal, usages)
  }

  return {
    name: options.model,
    async summarise({ texts, bytesMax }, signal): Promise<Summary> {
      const usages: TokenUsage[] = []
      const text = await reduce(texts, bytesMax, signal, usages)
      return usages.length === 0 ? { text } : { text, usage: totalUsage(usages) }
    },
  }
}

/** Splits texts into parts of at most `partCharactersMax`, in order. A longer text is a part of its own. */
function splitTexts(texts: readonly string[]): string[][] {
  const parts: string[][] = []
  let remaining = 0
  for (const text of texts) {
    const part = parts.at(-1)
    if (part !== undefined && text.length <= remaining) part.push(text)
    else {
      parts.push([text])
      remaining = partCharactersMax
    }
    remaining -= text.length
  }
  return parts
}
