import { ColophonError } from '../../core/errors.ts'
import type { Summariser, Summary } from '../../ports/summariser.ts'
import { type ChatAnswer, createChatClient, type TokenUsage } from '../model-api/chat-client.ts'
import type { ModelOptions } from '../model-api/model-http.ts'
import { readSummary } from './model-answer.ts'
import { summaryFormat, summaryPrompt } from './model-prompt.ts'

/** What is told to a model at once: about eight thousand tokens, which even small ones take. */
const partCharactersMax = 24_000
/** The first try and one repair: a model that fails twice would fail on, at somebody's expense. */
const triesMax = 2

/**
 * Summaries by a language model. The texts are data, and what comes back is checked like anything from outside: a number or
 * a marker that no text has makes it unusable. If it cannot be used twice, there is no summary, and nothing is compacted.
 */
export function createModelSummariser(options: ModelOptions): Summariser {
  const client = createChatClient(options, summaryFormat)

  async function ask(texts: readonly string[], bytesMax: number, signal: AbortSignal, usages: TokenUsage[]) {
    let problem: string | null = null
    for (let tries = 0; tries < triesMax; tries += 1) {
      const answer: ChatAnswer = await client.ask(summaryPrompt(texts, bytesMax, problem), signal)
      if (answer.usage !== null) usages.push(answer.usage)
      const read = readSummary(answer, texts, bytesMax)
      if (read.isUsable) return read.text
      problem = read.problem
    }
    throw new ColophonError('summary_failed', `The model's summary could not be used, twice. ${problem}`)
  }

  /** What is too much for one question is told in parts, and the summaries of the parts are summed up again. */
  async function reduce(texts: readonly string[], bytesMax: number, signal: AbortSignal, usages: TokenUsage[]) {
    const parts = splitTexts(texts)
    if (parts.length <= 1) return ask(texts, bytesMax, signal, usages)
    // Half as long at most, or it would never come to an end.
    const partBytesMax = Math.min(bytesMax, partCharactersMax / 2)
    const summaries: string[] = []
    // One after the other: many calls at once are what servers answer with 429.
    for (const part of parts) summaries.push(await ask(part, partBytesMax, signal, usages))
    return reduce(summaries, bytesMax, signal, usages)
  }

  return {
    name: options.model,
    async summarise({ texts, bytesMax }, signal): Promise<Summary> {
      const usages: TokenUsage[] = []
      const text = await reduce(texts, bytesMax, signal, usages)
      return usages.length === 0 ? { text } : { text, usage: total(usages) }
    },
  }
}

/** In their order, as many as fit at a time; one that is too long stands alone. */
function splitTexts(texts: readonly string[]): string[][] {
  const parts: string[][] = []
  let room = 0
  for (const text of texts) {
    const part = parts.at(-1)
    if (part !== undefined && text.length <= room) part.push(text)
    else {
      parts.push([text])
      room = partCharactersMax
    }
    room -= text.length
  }
  return parts
}

function total(usages: readonly TokenUsage[]): TokenUsage {
  return usages.reduce((a, b) => ({
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  }))
}
