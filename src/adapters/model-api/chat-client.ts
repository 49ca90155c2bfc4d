import { ColophonError } from '../../core/errors.ts'
import {
  type FailureCode,
  isInvalidRequest,
  isSuccess,
  type ModelOptions,
  postToModel,
  statusError,
  toModelHttpOptions,
} from './model-http.ts'

/** A message of a chat request. */
export type ChatMessage = { readonly role: 'system' | 'user'; readonly content: string }

/** The tokens of one or several calls. */
export type TokenUsage = { readonly inputTokens: number; readonly outputTokens: number }

/** A completion of the model. */
export type ChatCompletion = {
  /** Null when the model returned no text. */
  readonly text: string | null
  /** The completion reached the token limit of the model. */
  readonly isTruncated: boolean
  readonly usage: TokenUsage | null
}

/** The expected JSON format of a response, and the error code for a response that cannot be used. */
export type ResponseFormat = {
  readonly name: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly failed: FailureCode
}

/** Far more than any response to these prompts. */
const responseBytesMax = 1_048_576

const formatsOf = ({ name, schema }: ResponseFormat) =>
  [
    { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } },
    { response_format: { type: 'json_object' } },
    {},
  ] as const
const formatCount = 3

/** The request features that a server supports: not all have structured output, and reasoning models refuse a temperature. */
type RequestStyle = { readonly format: number; readonly temperature: boolean }

/** A client for OpenAI-compatible chat completions. It offers the model no tools. */
export function createChatClient(modelOptions: ModelOptions, answerFormat: ResponseFormat) {
  const options = toModelHttpOptions(modelOptions, 'chat/completions')
  const { failed } = answerFormat
  let supported: RequestStyle = { format: 0, temperature: true }
  return {
    async complete(messages: readonly ChatMessage[], signal: AbortSignal): Promise<ChatCompletion> {
      let style: RequestStyle | null = supported
      for (;;) {
        const { status, body } = await postToModel(
          options,
          toBody(options.model, answerFormat, messages, style),
          signal,
          { failed, bytesMax: responseBytesMax },
        )
        if (isSuccess(status)) {
          supported = style
          return toCompletion(body, answerFormat)
        }
        style = isInvalidRequest(status) ? simplerStyle(style, body) : null
        if (style === null) throw statusError(status, failed)
      }
    },
  }
}

function toBody(
  model: string,
  answerFormat: ResponseFormat,
  messages: readonly ChatMessage[],
  { format, temperature }: RequestStyle,
): string {
  return JSON.stringify({
    model,
    messages,
    ...(temperature ? { temperature: 0 } : {}),
    ...formatsOf(answerFormat)[format],
  })
}

/** The next simpler request style after a refusal; null when there is none. */
function simplerStyle(style: RequestStyle, problem: string): RequestStyle | null {
  if (style.temperature && problem.includes('temperature')) return { ...style, temperature: false }
  return style.format + 1 < formatCount ? { ...style, format: style.format + 1 } : null
}

type CompletionBody = {
  readonly choices?: readonly { readonly message?: { readonly content?: unknown }; readonly finish_reason?: unknown }[]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null
}

function toCompletion(body: string, { failed }: ResponseFormat): ChatCompletion {
  const completion = parseCompletion(body)
  const choice = completion?.choices?.[0]
  if (choice === undefined || choice === null || typeof choice !== 'object') {
    throw new ColophonError(failed, "The server at the model's URL did not answer with the OpenAI chat format.")
  }
  const content = choice.message?.content
  const { prompt_tokens, completion_tokens } = completion?.usage ?? {}
  const isCounted = isCount(prompt_tokens) && isCount(completion_tokens)
  return {
    text: typeof content === 'string' ? content : null,
    isTruncated: choice.finish_reason === 'length',
    usage: isCounted ? { inputTokens: prompt_tokens, outputTokens: completion_tokens } : null,
  }
}

function parseCompletion(body: string): CompletionBody | null {
  try {
    return JSON.parse(body) as CompletionBody | null
  } catch {
    return null
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** The sum of the tokens of several calls; at least one is needed. */
export function totalUsage(usages: readonly TokenUsage[]): TokenUsage {
  return usages.reduce((a, b) => ({
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  }))
}
