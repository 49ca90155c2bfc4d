import { ClientError, isClientError } from './error.ts'
import { backoff, isTransient, sleep } from './retry.ts'
import { type ServerSentEvent, SseParser } from './sse.ts'
import type { Operation, Request, Transport } from './transport.ts'

/** How a stream connects, and when it ends. */
export type StreamOptions = {
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal | undefined
  /** A connection without data for this long is closed and opened again. The server sends a heartbeat every 15 seconds. */
  readonly idleMs?: number | undefined
  /** Called when the stream is connected, and when the connection is lost and will be opened again. */
  readonly onConnection?: ((state: 'open' | 'lost') => void) | undefined
}

/** A stream of the server that can be resumed. */
export type Feed = {
  readonly operation: Operation
  readonly request: Request
  /** The id to resume after. Called before every connection. */
  lastId(): string | undefined
  /** Called with ids that come without an event. */
  noteId?(id: string): void
  /** Called when the server ends a stream without an error: whether no event can follow. */
  isComplete?(): Promise<boolean>
}

const idleMsDefault = 45_000

/** The events of a feed over as many connections as needed. It throws only if the server refuses the stream. */
export async function* followFeed(
  transport: Transport,
  feed: Feed,
  { signal, idleMs = idleMsDefault, onConnection }: StreamOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let failures = 0
  let wasOpen = false
  while (!signal?.aborted) {
    const connection = new AbortController()
    const disconnect = () => connection.abort()
    signal?.addEventListener('abort', disconnect, { once: true })
    let retryAfterMs = 0
    try {
      const response = await transport.open(feed.operation, feed.request, idHeader(feed.lastId()), connection.signal)
      wasOpen = true
      onConnection?.('open')
      for await (const event of readEvents(response, feed, connection, idleMs)) {
        failures = 0
        yield event
      }
      if (await feed.isComplete?.()) return
    } catch (error) {
      if (signal?.aborted) return
      // If no connection worked yet, it fails after a few attempts. After one that worked, it reconnects without a limit.
      const isLost = isClientError(error) && isTransient(error) && (wasOpen || failures < transport.retry.retries)
      if (!isLost) throw error
      retryAfterMs = error.retryAfterMs ?? 0
    } finally {
      signal?.removeEventListener('abort', disconnect)
      connection.abort()
    }
    if (wasOpen) onConnection?.('lost')
    await sleep(Math.max(retryAfterMs, backoff(failures++, transport.retry)), signal).catch(() => {})
  }
}

/** The events of one connection. It returns when the server ends the stream, and throws when the connection breaks. */
async function* readEvents(
  response: Response,
  feed: Feed,
  connection: AbortController,
  idleMs: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = response.body?.getReader()
  const parser = new SseParser()
  const decoder = new TextDecoder()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    for (;;) {
      timer = setTimeout(() => connection.abort(), idleMs)
      const chunk = await reader?.read().catch((cause: unknown) => {
        throw new ClientError('no_answer', 'The connection of the stream broke.', { cause })
      })
      clearTimeout(timer)
      if (chunk === undefined || chunk.done) return
      yield* parser.parse(decoder.decode(chunk.value, { stream: true }))
      feed.noteId?.(parser.lastId)
    }
  } finally {
    clearTimeout(timer)
  }
}

function idHeader(id: string | undefined): Record<string, string> {
  return id === undefined ? {} : { 'last-event-id': id }
}
