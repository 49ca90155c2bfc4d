import { Readable, type Writable } from 'node:stream'

type Injected = {
  readonly statusCode: number
  readonly headers: object
  readonly body: string
  readonly raw: { readonly res: { readonly socket: Writable | null } }
  stream(): Readable
}

/** What of an HTTP server is needed to ask it without a connection. */
export type InProcess = {
  inject(request: {
    method: 'GET'
    url: string
    headers: Record<string, string>
    payload?: string
    payloadAsStream?: boolean
  }): PromiseLike<Injected>
}

/** A fetch that asks a server in this very process: the same routes, guards and answers, and no network. */
export function fetchFrom(server: InProcess, further: Readonly<Record<string, string>> = {}): typeof fetch {
  const ask = async (url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> => {
    const sent = { ...(headers as Record<string, string>), ...further }
    // Lines may be more than fits into memory: they are handed on as they come.
    const isLong = sent.accept === 'application/x-ndjson'
    const answer = await server.inject({
      method: method as 'GET',
      url,
      headers: sent,
      ...(typeof body === 'string' ? { payload: body } : {}),
      ...(isLong ? { payloadAsStream: true } : {}),
    })
    if (isLong) letGo(answer.raw.res.socket)
    const shown = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string])
    const payload = isLong ? (Readable.toWeb(answer.stream()) as ReadableStream) : answer.body
    return new Response(payload === '' ? null : payload, { status: answer.statusCode, headers: shown })
  }
  return ask as typeof fetch
}

/**
 * What stands in for a socket takes one piece in each turn of the event loop. The reader is faster than that, and all the
 * others would be kept until the end, so it is done with each at once.
 */
function letGo(socket: Writable | null): void {
  if (socket !== null) socket._write = (_piece, _encoding, done) => done()
}
