import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call as it arrived. */
export type ModelCall = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as it was sent, and what it says. */
  readonly text: string
  readonly body: {
    readonly model: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
    readonly temperature?: number
    readonly response_format?: { readonly type: string; readonly json_schema?: Record<string, unknown> }
  }
}

export type ModelReply = (response: ServerResponse, call: ModelCall) => void

export type ModelStandIn = {
  /** The base address, as it goes into COLOPHON_LLM_URL. */
  readonly url: string
  readonly calls: readonly ModelCall[]
} & AsyncDisposable

/**
 * A server that speaks the chat protocol over real HTTP and sends the replies that the test gives: one for each call, and the
 * last one for every call after that.
 */
export async function startModelStandIn(...replies: readonly ModelReply[]): Promise<ModelStandIn> {
  const calls: ModelCall[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const { method = '', url: path = '', headers } = request
    const call: ModelCall = { method, path, headers, text, body: JSON.parse(text || '{}') }
    const reply = replies[Math.min(calls.length, replies.length - 1)]
    calls.push(call)
    reply?.(response, call)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A chat completion with this text, or with this value as JSON. */
export function says(answer: unknown, usage: unknown = { prompt_tokens: 100, completion_tokens: 20 }): ModelReply {
  const content = typeof answer === 'string' || answer === null ? answer : JSON.stringify(answer)
  return completes({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }], usage })
}

/** A 200 with this body, whatever it is. */
export function completes(body: unknown): ModelReply {
  return (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }
}

/** An error as these servers word it. */
export function refuses(status: number, message = 'no', headers: Record<string, string> = {}): ModelReply {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }))
  }
}

/** Refuses what an older or smaller server does not know; answers the rest. */
export function refusesFormats(types: readonly string[], otherwise: ModelReply): ModelReply {
  return (response, call) => {
    const type = call.body.response_format?.type
    if (type !== undefined && types.includes(type))
      refuses(400, `response_format ${type} is unavailable`)(response, call)
    else otherwise(response, call)
  }
}

/** What the call is about: the document with the messages. */
export function documentOf(call: ModelCall | undefined): { index: number; role: string; content: string }[] {
  return JSON.parse(call?.body.messages.find(({ role }) => role === 'user')?.content ?? '{}').messages
}
