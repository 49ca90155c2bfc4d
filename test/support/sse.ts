import { eventually } from './child.ts'

export type SseEvent = {
  readonly id: string | null
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test states what it expects and checks it.
  readonly data: any
}

export type Stream = AsyncDisposable & {
  readonly status: number
  readonly headers: Headers
  readonly events: readonly SseEvent[]
  readonly comments: readonly string[]
  /** Everything received, unparsed. */
  text(): string
  until(what: string, isSo: (events: readonly SseEvent[]) => boolean): Promise<void>
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export type StreamOptions = { readonly after?: number; readonly lastEventId?: string; readonly format?: string }

const path = '/v1/host/colophon/changes'

/** Reads a tenant's changes until it is closed. */
export function openChanges(url: string, key: string, options: StreamOptions = {}): Promise<Stream> {
  const { after, lastEventId, format } = options
  const wanted = Object.entries({ after, format }).filter(([, value]) => value !== undefined)
  const query = wanted.length === 0 ? '' : `?${wanted.map((pair) => pair.join('=')).join('&')}`
  return openStream(`${url}${path}${query}`, key, lastEventId === undefined ? {} : { 'last-event-id': lastEventId })
}

/** Reads any event stream until it is closed, with nothing but fetch. */
export async function openStream(url: string, key: string, headers: Record<string, string> = {}): Promise<Stream> {
  const leave = new AbortController()
  const response = await fetch(url, {
    signal: leave.signal,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers },
  })
  const events: SseEvent[] = []
  const comments: string[] = []
  let text = ''
  const take = (block: string) => {
    const lines = block.split('\n')
    comments.push(...lines.filter((line) => line.startsWith(':')))
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    const data = field('data')
    if (data !== undefined)
      events.push({ id: field('id') ?? null, event: field('event') ?? '', data: JSON.parse(data) })
  }
  const read = async () => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body ?? []) {
      const piece = decoder.decode(chunk as Uint8Array, { stream: true })
      text += piece
      const blocks = (rest + piece).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(block)
    }
  }
  // A killed server or a closed reader breaks the stream; what was read until then counts.
  const ended = read().catch(() => {})
  const close = async () => {
    leave.abort()
    await ended
  }
  return {
    status: response.status,
    headers: response.headers,
    events,
    comments,
    text: () => text,
    until: (what, isSo) => eventually(`${what} (so far: ${events.length} events)`, async () => isSo(events)),
    ended,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** How many requests the server is answering, without this one. */
export async function openRequests(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^colophon_http_requests_open (\d+)$/m.exec(metrics)?.[1]) - 1
}
