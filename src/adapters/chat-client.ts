import { checkCount, checkIdentifier } from '../core/check.ts'
import { ColophonError, invalid, isColophonError } from '../core/errors.ts'

export type ChatMessage = { readonly role: 'system' | 'user'; readonly content: string }

export type TokenUsage = { readonly inputTokens: number; readonly outputTokens: number }

export type ChatAnswer = {
  readonly text: string | null
  /** The model wanted to say more than it was allowed to. */
  readonly wasCut: boolean
  readonly usage: TokenUsage | null
}

export type ChatOptions = {
  readonly endpoint: URL
  readonly model: string
  readonly apiKey: string | null
  readonly timeoutMs: number
  readonly fetch: typeof fetch
}

export type ModelOptions = {
  /** The base address of a server that speaks OpenAI's chat protocol, such as `https://api.openai.com/v1`. */
  readonly url: string
  readonly model: string
  readonly apiKey: string | null
  /** For each call of the model, from the connection to the end of the answer. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

/** What the model is to answer with, and what it is called when it does not. */
export type AnswerFormat = {
  readonly name: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly failed: 'extraction_failed' | 'summary_failed'
}

const timeoutMsDefault = 30_000
const modelCharactersMax = 200

export function toChatOptions(options: ModelOptions): ChatOptions {
  const { model, apiKey, timeoutMs = timeoutMsDefault } = options
  checkIdentifier('model', model, 'modelCharactersMax', modelCharactersMax)
  checkCount('timeoutMs', timeoutMs, 1)
  // Fetch would quote a key that does not fit into a header in its error.
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalid('apiKey', 'must be printable characters without spaces')
  }
  return { endpoint: toEndpoint(options.url), model, apiKey, timeoutMs, fetch: options.fetch ?? fetch }
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

/** Far more than any answer that fits the prompt. */
const responseBytesMax = 1_048_576

const formatsOf = ({ name, schema }: AnswerFormat) =>
  [
    { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } },
    { response_format: { type: 'json_object' } },
    {},
  ] as const
const formatCount = 3

/** How a server wants to be asked: not all know structured output, and reasoning models take no temperature. */
type Style = { readonly format: number; readonly temperature: boolean }

/** Asks a server that speaks the chat protocol of OpenAI, as almost all do. It offers the model no tools. */
export function createChatClient(options: ChatOptions, answerFormat: AnswerFormat) {
  let accepted: Style = { format: 0, temperature: true }
  return {
    async ask(messages: readonly ChatMessage[], signal: AbortSignal): Promise<ChatAnswer> {
      let style: Style | null = accepted
      for (;;) {
        const { status, body } = await post(
          options,
          answerFormat,
          toBody(options.model, answerFormat, messages, style),
          signal,
        )
        if (isSuccess(status)) {
          accepted = style
          return toAnswer(body, answerFormat)
        }
        style = isRefusedRequest(status) ? simplerStyle(style, body) : null
        if (style === null) throw refusal(status, answerFormat)
      }
    },
  }
}

function toBody(
  model: string,
  answerFormat: AnswerFormat,
  messages: readonly ChatMessage[],
  { format, temperature }: Style,
): string {
  return JSON.stringify({
    model,
    messages,
    ...(temperature ? { temperature: 0 } : {}),
    ...formatsOf(answerFormat)[format],
  })
}

function simplerStyle(style: Style, problem: string): Style | null {
  if (style.temperature && problem.includes('temperature')) return { ...style, temperature: false }
  return style.format + 1 < formatCount ? { ...style, format: style.format + 1 } : null
}

const isSuccess = (status: number) => status >= 200 && status < 300
const isRefusedRequest = (status: number) => status === 400 || status === 422

async function post(options: ChatOptions, { failed }: AnswerFormat, body: string, signal: AbortSignal) {
  const { endpoint, apiKey, timeoutMs } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await options.fetch(endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
      body,
      // Whoever can make the server point elsewhere would get the messages.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    const { status } = response
    if (isSuccess(status) || isRefusedRequest(status)) return { status, body: await readText(response, failed) }
    await response.body?.cancel()
    return { status, body: '' }
  } catch (error) {
    if (isColophonError(error)) throw error
    signal.throwIfAborted()
    if (timeout.aborted)
      throw new ColophonError('model_unavailable', `The model did not answer within ${timeoutMs} ms.`)
    throw new ColophonError('model_unavailable', `The connection to the model's server failed${reasonOf(error)}.`)
  }
}

async function readText(response: Response, failed: AnswerFormat['failed']): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > responseBytesMax) {
      throw new ColophonError(failed, `The model's answer has more than ${responseBytesMax} bytes.`)
    }
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** The system's code for it, such as ECONNREFUSED; messages may hold anything. */
function reasonOf(error: unknown): string {
  const code = (error as { cause?: { code?: unknown } } | null)?.cause?.code
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : ''
}

function refusal(status: number, { failed }: AnswerFormat): ColophonError {
  if (status === 408 || status === 429 || status >= 500) {
    return new ColophonError('model_unavailable', `The model's server is busy or broken: it answered ${status}.`)
  }
  // A browser-like fetch shows a redirect that is not followed as status 0.
  const problem =
    status === 401 || status === 403
      ? `refused the API key: it answered ${status}`
      : status === 404
        ? 'knows no such address or model: it answered 404'
        : status === 0 || (status >= 300 && status < 400)
          ? 'answered with a redirect, which is not followed'
          : `refused the request: it answered ${status}`
  return new ColophonError(failed, `The model's server ${problem}.`)
}

type Completion = {
  readonly choices?: readonly { readonly message?: { readonly content?: unknown }; readonly finish_reason?: unknown }[]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null
}

function toAnswer(body: string, { failed }: AnswerFormat): ChatAnswer {
  const completion = parseCompletion(body)
  const choice = completion?.choices?.[0]
  if (choice === undefined || choice === null || typeof choice !== 'object') {
    throw new ColophonError(failed, "What is at the model's address does not speak the chat protocol.")
  }
  const content = choice.message?.content
  const { prompt_tokens, completion_tokens } = completion?.usage ?? {}
  const isCounted = isCount(prompt_tokens) && isCount(completion_tokens)
  return {
    text: typeof content === 'string' ? content : null,
    wasCut: choice.finish_reason === 'length',
    usage: isCounted ? { inputTokens: prompt_tokens, outputTokens: completion_tokens } : null,
  }
}

function parseCompletion(body: string): Completion | null {
  try {
    return JSON.parse(body) as Completion | null
  } catch {
    return null
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Models wrap JSON in code fences, in a sentence or in their reasoning, also when they were told not to. */
export function findJson(text: string): unknown {
  const answer = text.split('</think>').at(-1) ?? ''
  const fenced = answer.split(/```(?:json)?\s/i)[1]?.split('```')[0] ?? ''
  const bare = answer.slice(Math.max(answer.indexOf('{'), 0), answer.lastIndexOf('}') + 1)
  for (const attempt of [text, answer, fenced, bare]) {
    try {
      return JSON.parse(attempt) as unknown
    } catch {
      // The parser's message quotes the text, so it goes no further than this.
    }
  }
  return undefined
}

/**
 * A value as a document that a model is to read. Marks such as `<|im_start|>` or `[INST]` end a message for some servers, even
 * inside a text. As JSON escapes they mean the same to a reader, and are no marks any more.
 */
export function dataDocument(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\[(?!\{)/g, '\\u005b')
}
