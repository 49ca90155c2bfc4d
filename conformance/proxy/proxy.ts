// A proxy in front of a host that does right, which makes it do wrong: it changes requests on their way in or answers on
// their way out. Streams of events pass as they are.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as sendOn,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { isObject, type JsonObject } from '../harness.ts'

export type ProxiedRequest = {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** The bearer value, or null. */
  readonly key: string | null
  /** Whether a stream of events is asked for. */
  readonly isStream: boolean
  /** The body when it is a JSON object, else null; a null body is passed on unchanged. */
  readonly body: JsonObject | null
}

export type ProxiedAnswer = { readonly status: number; readonly body: unknown }

export type Fault = {
  /** What the host receives instead. */
  readonly request?: (request: ProxiedRequest) => ProxiedRequest
  /** What the caller gets instead of a JSON answer. */
  readonly answer?: (answer: ProxiedAnswer, request: ProxiedRequest) => ProxiedAnswer
}

export type Proxy = { readonly url: string } & AsyncDisposable

/** Lengths and connections are the business of each side; compressed answers could not be read. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding'])

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)))
}

async function readAll(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toProxied(incoming: IncomingMessage, text: string): ProxiedRequest {
  const body = parse(text)
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    key: /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? null,
    isStream: incoming.headers.accept?.includes('text/event-stream') === true,
    body: isObject(body) ? body : null,
  }
}

async function forward(hostUrl: string, fault: Fault, incoming: IncomingMessage, response: ServerResponse) {
  const text = await readAll(incoming)
  const asked = toProxied(incoming, text)
  const { method, path, key, body } = fault.request?.(asked) ?? asked
  const headers = passedOn(incoming.headers)
  if (key !== asked.key) headers.authorization = `Bearer ${key}`
  const sent = body === asked.body ? text : JSON.stringify(body)
  const upstream = sendOn(new URL(path, hostUrl), { method, headers })
  const answered = await new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once('response', resolve).once('error', reject).end(sent)
  })
  const status = answered.statusCode ?? 0
  if (answered.headers['content-type']?.startsWith('text/event-stream')) {
    response.writeHead(status, passedOn(answered.headers))
    // A caller that disconnects ends its stream.
    response.once('close', () => answered.destroy())
    answered.pipe(response)
    return
  }
  const raw = await readAll(answered)
  const json = parse(raw)
  const changed = json === undefined ? null : fault.answer?.({ status, body: json }, asked)
  response.writeHead(changed?.status ?? status, passedOn(answered.headers))
  response.end(changed ? JSON.stringify(changed.body) : raw)
}

export async function startProxy(hostUrl: string, fault: Fault = {}): Promise<Proxy> {
  const server = createServer((incoming, response) => {
    forward(hostUrl, fault, incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
