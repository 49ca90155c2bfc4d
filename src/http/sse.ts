import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { limits } from '../core/limits.ts'
import { principalOf } from './route-context.ts'
import type { StreamSlots } from './stream-slots.ts'

const heartbeatMs = 15_000
const droppedReaderMs = 30_000

let streams = 0
let onCount: (open: number) => void = () => {}

/** The number of open event streams of this process. */
export function openStreams(): number {
  return streams
}

/** Calls it with the number of open event streams whenever that changes. */
export function watchOpenStreams(watch: (open: number) => void): void {
  onCount = watch
}

function count(change: 1 | -1): void {
  streams += change
  onCount(streams)
}

export type SseEvent = { readonly event: string; readonly data: unknown; readonly id?: string }

/** Formats an event as a frame of `text/event-stream`. */
export function formatEvent({ event, data, id }: SseEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** An open event stream. It closes when the client disconnects, when the server stops, or by `end`. */
export type EventStream = {
  readonly signal: AbortSignal
  readonly send: (frame: string) => void
  /** Resolves when most of the sent bytes have left the process; at once when the stream is closed. */
  readonly drained: () => Promise<void>
  readonly end: () => void
}

/** Node keeps the headers as the 60 pieces that it made them of, for as long as the stream is open; reading a character joins them. */
function joinPieces(raw: ServerResponse & { readonly _header?: string }): void {
  raw._header?.charCodeAt(0)
}

/**
 * Opens an event stream on a reply. It is refused when the key or the tenant has too many open. A client that reads too slowly gets a
 * `dropped` event and is disconnected; it can reconnect with Last-Event-ID and loses nothing. `recheck` is called with each heartbeat,
 * and the stream ends if it rejects: one timer a stream, because a process has thousands of them.
 */
export function openEventStream(
  reply: FastifyReply,
  stopping: AbortSignal,
  slots: StreamSlots,
  recheck: () => Promise<void> = async () => {},
): EventStream {
  const { raw } = reply
  const principal = principalOf(reply.request)
  const { tenantId } = principal
  const slot = slots.take(principal)
  const backlogBytesMax = () => {
    const share = limits.streamBacklogBytesPerTenantMax / Math.max(slots.ofTenant(tenantId), 1)
    return Math.min(limits.streamBacklogBytesMax, Math.max(limits.streamBacklogBytesMin, Math.floor(share)))
  }
  const closed = new AbortController()
  reply.hijack()
  raw.cork()
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  joinPieces(raw)
  raw.write(': connected\n\n')
  raw.uncork()
  count(1)
  const beat = setInterval(() => {
    raw.write(': still here\n\n')
    recheck().catch(end)
  }, heartbeatMs)
  const end = () => {
    if (closed.signal.aborted) return
    clearInterval(beat)
    stopping.removeEventListener('abort', end)
    closed.abort()
    count(-1)
    slot.release()
    raw.end()
  }
  raw.on('close', end)
  raw.on('error', end)
  stopping.addEventListener('abort', end)
  if (stopping.aborted) end()
  return {
    signal: closed.signal,
    end,
    drained() {
      if (closed.signal.aborted || raw.writableLength < backlogBytesMax() / 2) return Promise.resolve()
      return new Promise((resolve) => {
        const done = () => {
          raw.off('drain', done)
          closed.signal.removeEventListener('abort', done)
          resolve()
        }
        raw.once('drain', done)
        closed.signal.addEventListener('abort', done)
      })
    },
    send(frame) {
      if (closed.signal.aborted) return
      raw.write(frame)
      const max = backlogBytesMax()
      if (raw.writableLength <= max) return
      raw.write(formatEvent({ event: 'dropped', data: { reason: 'slow_reader', limit: 'streamBacklogBytesMax', max } }))
      end()
      // The client gets some time to read the backlog and the reason. Then the connection is destroyed.
      setTimeout(() => raw.destroy(), droppedReaderMs).unref()
    },
  }
}
