import { Readable, type Writable } from 'node:stream'

type Injected = {
  readonly statusCode: number
  readonly headers: object
  readonly body: string
  readonly rawPayload: Uint8Array
  readonly raw: { readonly res: { readonly socket: Writable | null; destroy(): unknown } }
  stream(): Readable
}

/** The part of an HTTP server that takes requests without a connection. */
export type InProcessServer = {
  inject(request: {
    method: 'GET'
    url: string
    headers: Record<string, string>
    payload?: string
    payloadAsStream?: boolean
  }): PromiseLike<Injected>
}

/** A fetch that sends requests to a server in this process: the same routes and access checks, without a network. */
export function createInProcessFetch(
  server: InProcessServer,
  extraHeaders: Readonly<Record<string, string>> = {},
): typeof fetch {
  const send = async (
    url: string,
    { method = 'GET', headers: given, body, signal }: RequestInit,
  ): Promise<Response> => {
    const sent = { ...(given as Record<string, string>), ...extraHeaders }
    // An export may be larger than memory, and a stream of events has no end.
    const isStream = sent.accept === 'application/x-ndjson' || sent.accept === 'text/event-stream'
    const answer = await server.inject({
      method: method as 'GET',
      url,
      headers: sent,
      ...(typeof body === 'string' ? { payload: body } : {}),
      ...(isStream ? { payloadAsStream: true } : {}),
    })
    const headers = new Map(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]))
    const status = answer.statusCode
    if (sent.accept === 'application/json') return jsonResponse(status, headers, answer.body)
    if (isStream) discardWrites(answer.raw.res.socket)
    if (isStream) signal?.addEventListener('abort', () => answer.raw.res.destroy(), { once: true })
    const payload = isStream ? (Readable.toWeb(answer.stream()) as ReadableStream) : toBody(answer.rawPayload)
    return new Response(payload, { status, headers: [...headers] })
  }
  return send as typeof fetch
}

function toBody(payload: Uint8Array): Uint8Array<ArrayBuffer> | null {
  return payload.length === 0 ? null : new Uint8Array(payload)
}

/** What the client reads of a JSON response. A `Response` would load all of Node's fetch, which is a tenth of a short command. */
function jsonResponse(status: number, headers: ReadonlyMap<string, string>, body: string): Response {
  const read: Pick<Response, 'ok' | 'status' | 'text'> & { headers: Pick<Headers, 'get'> } = {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headers.get(name) ?? null },
    text: async () => body,
  }
  return read as Response
}

/**
 * The simulated socket takes one chunk per turn of the event loop. The reader is faster, so chunks would pile up until the
 * end. The reader gets them from the stream, so the socket drops each at once.
 */
function discardWrites(socket: Writable | null): void {
  if (socket !== null) socket._write = (_chunk, _encoding, done) => done()
}
