import { checkCount, checkIdentifier } from '../../core/check.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Candidate, Extraction, Extractor } from '../../ports/extractor.ts'
import { readAnswer } from './model-answer.ts'
import { type ChatAnswer, createChatClient, type TokenUsage } from './model-client.ts'
import { promptFor } from './model-prompt.ts'
import { type Part, splitMessages } from './model-split.ts'

export type ModelExtractorOptions = {
  /** The base address of a server that speaks OpenAI's chat protocol, such as `https://api.openai.com/v1`. */
  readonly url: string
  readonly model: string
  readonly apiKey: string | null
  /** For each call of the model, from the connection to the end of the answer. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

const timeoutMsDefault = 30_000
const modelCharactersMax = 200
/** The first try and one repair: a model that fails twice would fail on, at somebody's expense. */
const triesMax = 2

type ModelExtraction = Extraction & {
  /** What the model gave that was not as it had to be. */
  readonly dropped: number
}

/** Finds memories with a language model. What the model says is checked like anything else that comes from outside. */
export function createModelExtractor(options: ModelExtractorOptions) {
  const { model, apiKey, timeoutMs = timeoutMsDefault } = options
  checkIdentifier('model', model, 'modelCharactersMax', modelCharactersMax)
  checkCount('timeoutMs', timeoutMs, 1)
  // Fetch would quote a key that does not fit into a header in its error.
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalid('apiKey', 'must be printable characters without spaces')
  }
  const endpoint = toEndpoint(options.url)
  const client = createChatClient({ endpoint, model, apiKey, timeoutMs, fetch: options.fetch ?? fetch })

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

/** `…/v1` and `…/v1/` are the same; a query stays, because some servers want their version there. */
function toEndpoint(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid('url', 'must be an address that starts with http:// or https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('url', 'must not hold a user or a password; give the API key by itself')
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  url.hash = ''
  return url
}
