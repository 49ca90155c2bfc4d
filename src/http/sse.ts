import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { limits } from '../core/limits.ts'
import { outsideTraceScopes } from '../telemetry/trace-scope.ts'
import { principalOf } from './route-context.ts'
import type { StreamSlot, StreamSlots } from './stream-slots.ts'

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
  readonly isEnded: boolean
  /** Aborted when the stream ends. */
  readonly signal: AbortSignal
  send(frame: string): void
  /** Resolves when most of the sent bytes have left the process; at once when the stream is closed. */
  drained(): Promise<void>
  /** Rejects if the client may no longer read the stream. */
  recheck(): Promise<void>
  end(): void
  /** Calls it once, when the stream ends; at once if it has ended. */
  onEnd(callback: () => void): void
}

/** What Node keeps of a sent head. It only checks that there is one, and the text would be 600 bytes a stream. */
const sentHead = 'HTTP/1.1 200 OK\r\n\r\n'

/** Streams by the second in which they get their heartbeat: one timer for all, because a process has thousands of them. */
const beats = Array.from({ length: heartbeatMs / 1_000 }, () => new Set<OpenStream>())
let beat = 0
let beating: NodeJS.Timeout | null = null

function sendHeartbeats(): void {
  beat = (beat + 1) % beats.length
  for (const stream of beats[beat] ?? []) stream.beat()
}

/** Signals of servers whose stop ends their streams. */
const watchedStops = new WeakSet<AbortSignal>()

function endWith(stopping: AbortSignal): void {
  if (watchedStops.has(stopping)) return
  watchedStops.add(stopping)
  stopping.addEventListener('abort', () => {
    for (const streams of beats) for (const stream of streams) if (stream.stopping === stopping) stream.end()
  })
}

/** A class instead of functions, and no signal before it is used: that is 1 KB less for each stream. */
class OpenStream implements EventStream {
  readonly stopping: AbortSignal
  readonly #raw: ServerResponse
  readonly #slots: StreamSlots
  readonly #slot: StreamSlot
  readonly #recheck: (() => Promise<void>) | null
  readonly #streams: Set<OpenStream>
  #onEnd: (() => void) | null = null
  #closed: AbortController | null = null
  isEnded = false

  constructor(
    raw: ServerResponse,
    stopping: AbortSignal,
    slots: StreamSlots,
    slot: StreamSlot,
    recheck: (() => Promise<void>) | null,
  ) {
    this.stopping = stopping
    this.#raw = raw
    this.#slots = slots
    this.#slot = slot
    this.#recheck = recheck
    this.#streams = beats[beat] as Set<OpenStream>
    this.#streams.add(this)
    beating ??= outsideTraceScopes(() => setInterval(sendHeartbeats, 1_000))
    count(1)
    const end = () => this.end()
    raw.on('close', end)
    raw.on('error', end)
    endWith(stopping)
    if (stopping.aborted) this.end()
  }

  get signal(): AbortSignal {
    if (this.#closed === null) {
      this.#closed = new AbortController()
      if (this.isEnded) this.#closed.abort()
    }
    return this.#closed.signal
  }

  onEnd(callback: () => void): void {
    const before = this.#onEnd
    if (this.isEnded) callback()
    else if (before === null) this.#onEnd = callback
    else
      this.#onEnd = () => {
        before()
        callback()
      }
  }

  async recheck(): Promise<void> {
    await this.#recheck?.()
  }

  beat(): void {
    this.#raw.write(': still here\n\n')
    if (this.#recheck !== null) this.#recheck().catch(() => this.end())
  }

  end(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#streams.delete(this)
    this.#closed?.abort()
    this.#onEnd?.()
    count(-1)
    if (beating !== null && beats.every(({ size }) => size === 0)) {
      clearInterval(beating)
      beating = null
    }
    this.#slot.release()
    this.#raw.end()
  }

  drained(): Promise<void> {
    const raw = this.#raw
    if (this.isEnded || raw.writableLength < this.#backlogBytesMax / 2) return Promise.resolve()
    const { signal } = this
    return new Promise((resolve) => {
      const done = () => {
        raw.off('drain', done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      raw.once('drain', done)
      signal.addEventListener('abort', done)
    })
  }

  send(frame: string): void {
    if (this.isEnded) return
    const raw = this.#raw
    raw.write(frame)
    const max = this.#backlogBytesMax
    if (raw.writableLength <= max) return
    raw.write(formatEvent({ event: 'dropped', data: { reason: 'slow_reader', limit: 'streamBacklogBytesMax', max } }))
    this.end()
    // The client gets some time to read the backlog and the reason. Then the connection is destroyed.
    setTimeout(() => raw.destroy(), droppedReaderMs).unref()
  }

  get #backlogBytesMax(): number {
    const share = limits.streamBacklogBytesPerTenantMax / Math.max(this.#slots.ofTenant(this.#slot.tenantId), 1)
    return Math.min(limits.streamBacklogBytesMax, Math.max(limits.streamBacklogBytesMin, Math.floor(share)))
  }
}

/**
 * Opens an event stream on a reply. It is refused when the key or the tenant has too many open. A client that reads too slowly gets a
 * `dropped` event and is disconnected; it can reconnect with Last-Event-ID and loses nothing. `recheck` is called with each heartbeat,
 * and the stream ends if it rejects.
 */
export function openEventStream(
  reply: FastifyReply,
  stopping: AbortSignal,
  slots: StreamSlots,
  recheck: (() => Promise<void>) | null = null,
): EventStream {
  const raw: ServerResponse & { _header?: string } = reply.raw
  const slot = slots.take(principalOf(reply.request))
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
  raw._header = sentHead
  raw.write(': connected\n\n')
  raw.uncork()
  return new OpenStream(raw, stopping, slots, slot, recheck)
}
