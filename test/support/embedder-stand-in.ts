import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type EmbedderCall = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly encoding_format: string }
}

/** What it does instead of answering; true when it did. */
type Interference = (response: ServerResponse, call: EmbedderCall) => boolean

export type EmbedderStandIn = {
  /** The base address, as it goes into COLOPHON_EMBEDDINGS. */
  readonly url: string
  readonly calls: EmbedderCall[]
  /** Every text that was sent. */
  texts(): string[]
  /** How long its vectors are. */
  dimensions: number
  interfere: Interference | null
} & AsyncDisposable

/** Words that mean alike share a direction; every other text has one of its own. */
const meanings = [/\b(dog|puppy|hound)\b/i, /\b(car|automobile|vehicle)\b/i, /\b(doctor|physician|surgeon)\b/i] as const

function meaningOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0)
  meanings.forEach((words, at) => {
    if (words.test(text)) vector[at] = 1
  })
  let sum = 0
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9_973
  const rest = meanings.length + (sum % (dimensions - meanings.length))
  vector[rest] = (vector[rest] ?? 0) + 0.2
  return vector
}

/** A server that speaks the embeddings protocol over real HTTP, and knows a few words. */
export async function startEmbedderStandIn(): Promise<EmbedderStandIn> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
    const call: EmbedderCall = { path: request.url ?? '', headers: request.headers, body }
    standIn.calls.push(call)
    if (standIn.interfere?.(response, call)) return
    const data = call.body.input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: meaningOf(text, standIn.dimensions),
    }))
    // In another order: it is the index that counts.
    data.reverse()
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', model: call.body.model, data }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const standIn: EmbedderStandIn = {
    url: `http://127.0.0.1:${port}/v1`,
    calls: [],
    texts: () => standIn.calls.flatMap(({ body }) => body.input),
    dimensions: 16,
    interfere: null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return standIn
}

export function refusesWith(status: number): Interference {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error: { message: 'no' } }))
    return true
  }
}
