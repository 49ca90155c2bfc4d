import { ColophonError } from '../../core/errors.ts'
import {
  type FailureCode,
  isRefusedRequest,
  isSuccess,
  type ModelOptions,
  postToModel,
  refusal,
  toHttpOptions,
} from './model-http.ts'

export type ChatMessage = { readonly role: 'system' | 'user'; readonly content: string }

export type TokenUsage = { readonly inputTokens: number; readonly outputTokens: number }

export type ChatAnswer = {
  readonly text: string | null
  /** The model wanted to say more than it was allowed to. */
  readonly wasCut: boolean
  readonly usage: TokenUsage | null
}

/** What the model is to answer with, and what it is called when it does not. */
export type AnswerFormat = {
  readonly name: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly failed: FailureCode
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
export function createChatClient(modelOptions: ModelOptions, answerFormat: AnswerFormat) {
  const options = toHttpOptions(modelOptions, 'chat/completions')
  const { failed } = answerFormat
  let accepted: Style = { format: 0, temperature: true }
  return {
    async ask(messages: readonly ChatMessage[], signal: AbortSignal): Promise<ChatAnswer> {
      let style: Style | null = accepted
      for (;;) {
        const { status, body } = await postToModel(
          options,
          toBody(options.model, answerFormat, messages, style),
          signal,
          { failed, bytesMax: responseBytesMax },
        )
        if (isSuccess(status)) {
          accepted = style
          return toAnswer(body, answerFormat)
        }
        style = isRefusedRequest(status) ? simplerStyle(style, body) : null
        if (style === null) throw refusal(status, failed)
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
