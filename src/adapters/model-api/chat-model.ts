import type { ModelAnswer, ModelMessage, ModelRequest, ModelToolCall } from '../../core/agents/model-request.ts'
import { ColophonError } from '../../core/errors.ts'
import { countTokens } from '../../core/search/token-budget.ts'
import type { ChatModel } from '../../ports/chat-model.ts'
import {
  isInvalidRequest,
  isSuccess,
  type ModelOptions,
  postToModel,
  statusError,
  toModelHttpOptions,
} from './model-http.ts'

/** Far more than the largest answer that is asked for. */
const responseBytesMax = 1_048_576

/** A model behind an OpenAI-compatible API, for agents and for nodes that call a model. */
export function createChatModel(modelOptions: ModelOptions): ChatModel {
  const options = toModelHttpOptions(modelOptions, 'chat/completions')
  const failed = 'model_failed'
  const { model } = options
  return {
    provider: 'openai-compatible',
    model,
    async complete(request, signal) {
      // Servers differ in what they accept: with a schema, with any JSON, without a format; reasoning models take no temperature.
      const styles = request.schema === undefined ? [2] : [0, 1, 2]
      for (const [index, style] of styles.entries()) {
        const body = JSON.stringify(toBody(model, request, style))
        const { status, body: text } = await postToModel(options, body, signal, { failed, bytesMax: responseBytesMax })
        if (isSuccess(status)) return toAnswer(text, request)
        if (!isInvalidRequest(status) || index === styles.length - 1) throw statusError(status, failed)
      }
      throw statusError(400, failed)
    },
  }
}

function toBody(
  model: string,
  { messages, tools = [], schema, maxOutputTokens, temperature }: ModelRequest,
  style: number,
) {
  const formats = [
    { response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: false, schema } } },
    { response_format: { type: 'json_object' } },
    {},
  ]
  return {
    model,
    messages: messages.map(toWireMessage),
    max_tokens: maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...formats[style],
  }
}

function toWireMessage(message: ModelMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  if (message.role !== 'assistant' || !message.toolCalls?.length)
    return { role: message.role, content: message.content }
  const calls = message.toolCalls.map(({ id, name, arguments: args }) => {
    return { id, type: 'function', function: { name, arguments: args } }
  })
  return { role: 'assistant', content: message.content, tool_calls: calls }
}

type Body = {
  readonly choices?: readonly {
    readonly message?: { readonly content?: unknown; readonly refusal?: unknown; readonly tool_calls?: unknown }
    readonly finish_reason?: unknown
  }[]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null
}

function toAnswer(text: string, request: ModelRequest): ModelAnswer {
  const body = parse(text)
  const choice = body?.choices?.[0]
  if (choice === undefined || choice === null || typeof choice !== 'object')
    throw new ColophonError('model_failed', "The server at the model's URL did not answer with the OpenAI chat format.")
  const { content, refusal, tool_calls: calls } = choice.message ?? {}
  const said = typeof content === 'string' ? content : null
  const { prompt_tokens: input, completion_tokens: output } = body?.usage ?? {}
  return {
    text: said,
    toolCalls: Array.isArray(calls) ? calls.flatMap(toToolCall) : [],
    isRefused: (typeof refusal === 'string' && refusal !== '') || choice.finish_reason === 'content_filter',
    isTruncated: choice.finish_reason === 'length',
    // A server that counts nothing is estimated, so that the cost of a run is never shown as nothing.
    usage: {
      inputTokens: isCount(input) ? input : countTokens(JSON.stringify(request.messages)),
      outputTokens: isCount(output) ? output : countTokens(said ?? ''),
    },
  }
}

function toToolCall(call: unknown): ModelToolCall[] {
  const { id, function: called } = (call ?? {}) as { readonly id?: unknown; readonly function?: unknown }
  const { name, arguments: args } = (called ?? {}) as { readonly name?: unknown; readonly arguments?: unknown }
  if (typeof id !== 'string' || typeof name !== 'string') return []
  return [{ id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) }]
}

function parse(text: string): Body | null {
  try {
    return JSON.parse(text) as Body | null
  } catch {
    return null
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
