import { ClientError, isClientError } from './error.ts'
import { backoff, isPassing, pause } from './retry.ts'
import { EventParser, type ServerEvent } from './sse.ts'
import type { Operation, Request, Transport } from './transport.ts'

export type StreamOptions = {
  /** Ends the stream, quietly. */
  readonly signal?: AbortSignal | undefined
  /** A connection that says nothing for so long is taken for dead; the server says something every 15 seconds. */
  readonly idleMs?: number | undefined
  /** Told when the stream is connected, and when it lost its connection and tries again. */
  readonly onConnection?: ((state: 'open' | 'lost') => void) | undefined
}

export type Feed = {
  readonly operation: Operation
  readonly request: Request
  /** The id to go on behind; asked before every connection. */
  lastId(): string | undefined
  /** Told of ids that come without an event. */
  noteId?(id: string): void
  /** Asked when the server ends a stream in good order: is there nothing more to come? */
  isOver?(): Promise<boolean>
}

const idleMsDefault = 45_000

/** Events over as many connections as it takes. It throws when the server refuses, and only then. */
export async function* followFeed(
  transport: Transport,
  feed: Feed,
  { signal, idleMs = idleMsDefault, onConnection }: StreamOptions,
): AsyncGenerator<ServerEvent, void, undefined> {
  let failures = 0
  let wasOpen = false
  while (!signal?.aborted) {
    const connection = new AbortController()
    const leave = () => connection.abort()
    signal?.addEventListener('abort', leave, { once: true })
    let asked = 0
    try {
      const response = await transport.open(feed.operation, feed.request, idHeader(feed.lastId()), connection.signal)
      wasOpen = true
      onConnection?.('open')
      for await (const event of readEvents(response, feed, connection, idleMs)) {
        failures = 0
        yield event
      }
      if (await feed.isOver?.()) return
    } catch (error) {
      if (signal?.aborted) return
      // A first connection that fails is told after a few attempts; one that worked is tried for as long as it takes.
      const isLost = isClientError(error) && isPassing(error) && (wasOpen || failures < transport.retry.retries)
      if (!isLost) throw error
      asked = error.retryAfterMs ?? 0
    } finally {
      signal?.removeEventListener('abort', leave)
      connection.abort()
    }
    if (wasOpen) onConnection?.('lost')
    await pause(Math.max(asked, backoff(failures++, transport.retry)), signal).catch(() => {})
  }
}

/** The events of one connection. It returns when the server ends it, and throws when it was cut. */
async function* readEvents(
  response: Response,
  feed: Feed,
  connection: AbortController,
  idleMs: number,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = response.body?.getReader()
  const parser = new EventParser()
  const decoder = new TextDecoder()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    for (;;) {
      timer = setTimeout(() => connection.abort(), idleMs)
      const piece = await reader?.read().catch((cause: unknown) => {
        throw new ClientError('no_answer', 'The stream was cut.', { cause })
      })
      clearTimeout(timer)
      if (piece === undefined || piece.done) return
      yield* parser.take(decoder.decode(piece.value, { stream: true }))
      feed.noteId?.(parser.lastId)
    }
  } finally {
    clearTimeout(timer)
  }
}

function idHeader(id: string | undefined): Record<string, string> {
  return id === undefined ? {} : { 'last-event-id': id }
}
