import type { FastifyReply } from 'fastify'
import { limits } from '../core/limits.ts'
import { principalOf } from './context.ts'
import type { StreamSlots } from './stream-slots.ts'

const heartbeatMs = 15_000
const droppedReaderMs = 30_000

let streams = 0

/** Event streams of this process that are open. */
export function openStreams(): number {
  return streams
}

export type ServerEvent = { readonly event: string; readonly data: unknown; readonly id?: string }

export function formatEvent({ event, data, id }: ServerEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** An open event stream. It closes when the client leaves, the server stops or somebody ends it. */
export type EventStream = {
  readonly signal: AbortSignal
  readonly send: (frame: string) => void
  /** Resolves when what was sent has mostly left; at once when the stream is closed. */
  readonly drained: () => Promise<void>
  readonly end: () => void
}

/**
 * Opens an event stream on a reply, or refuses it when its key or tenant has too many. A client that reads too slowly is
 * told so and dropped: it can come back with Last-Event-ID and has lost nothing.
 */
export function openEventStream(reply: FastifyReply, stopping: AbortSignal, slots: StreamSlots): EventStream {
  const { raw } = reply
  const principal = principalOf(reply.request)
  const slot = slots.take(principal)
  const backlogBytesMax = () => {
    const share = limits.streamBacklogBytesPerTenantMax / Math.max(slots.ofTenant(principal.tenantId), 1)
    return Math.min(limits.streamBacklogBytesMax, Math.max(limits.streamBacklogBytesMin, Math.floor(share)))
  }
  const closed = new AbortController()
  reply.hijack()
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  })
  raw.write(': connected\n\n')
  streams += 1
  const beat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs)
  const end = () => {
    if (closed.signal.aborted) return
    clearInterval(beat)
    stopping.removeEventListener('abort', end)
    closed.abort()
    streams -= 1
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
      // Time to read what is waiting, and why; then the rest is thrown away with the connection.
      setTimeout(() => raw.destroy(), droppedReaderMs).unref()
    },
  }
}
