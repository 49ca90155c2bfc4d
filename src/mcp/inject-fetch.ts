import { Readable, type Writable } from 'node:stream'

type Injected = {
  readonly statusCode: number
  readonly headers: object
  readonly body: string
  readonly raw: { readonly res: { readonly socket: Writable | null } }
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
  const send = async (url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> => {
    const sent = { ...(headers as Record<string, string>), ...extraHeaders }
    // An export may be larger than memory: it is streamed.
    const isStream = sent.accept === 'application/x-ndjson'
    const response = await server.inject({
      method: method as 'GET',
      url,
      headers: sent,
      ...(typeof body === 'string' ? { payload: body } : {}),
      ...(isStream ? { payloadAsStream: true } : {}),
    })
    if (isStream) discardWrites(response.raw.res.socket)
    const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string])
    const payload = isStream ? (Readable.toWeb(response.stream()) as ReadableStream) : response.body
    return new Response(payload === '' ? null : payload, { status: response.statusCode, headers: received })
  }
  return send as typeof fetch
}

/**
 * The simulated socket takes one chunk per turn of the event loop. The reader is faster, so chunks would pile up until the
 * end. The reader gets them from the stream, so the socket drops each at once.
 */
function discardWrites(socket: Writable | null): void {
  if (socket !== null) socket._write = (_chunk, _encoding, done) => done()
}
