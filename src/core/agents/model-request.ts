import type { JsonObject } from '../workflow/json-values.ts'

/** A call of a tool that a model asks for. Its arguments are JSON, or what the model took for JSON. */
export type ModelToolCall = { readonly id: string; readonly name: string; readonly arguments: string }

/** A message to a model. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly toolCalls?: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string }

/** A tool that a model may ask for. */
export type ModelTool = { readonly name: string; readonly description: string; readonly parameters: JsonObject }

export type ModelRequest = {
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ModelTool[]
  /** The JSON Schema of the answer. */
  readonly schema?: JsonObject
  readonly maxOutputTokens: number
  readonly temperature?: number
}

/** One answer of a model. */
export type ModelAnswer = {
  /** Null when it only asks for tools. */
  readonly text: string | null
  readonly toolCalls: readonly ModelToolCall[]
  /** The model declined to answer. */
  readonly isRefused: boolean
  /** The answer reached `maxOutputTokens`. */
  readonly isTruncated: boolean
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}
