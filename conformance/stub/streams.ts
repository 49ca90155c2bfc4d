// The stub host's event stream: modes, buffering, resuming.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonObject, RunEventDoc } from '../harness.ts'
import { isOver, type StubRun } from './engine.ts'
import type { Fault } from './faults.ts'

const modes = ['values', 'updates', 'messages', 'debug']
const debugOnly = ['node.started', 'log.appended', 'cap.breached', 'variable.changed']

/** Why a stream cannot be given, as an error body, or null. */
export function streamFault(url: URL, fault: Fault | null): JsonObject | null {
  const wanted = (url.searchParams.get('streamMode') ?? 'updates').split(',')
  const isKnown = wanted.every((mode) => modes.includes(mode)) && (wanted.length === 1 || !wanted.includes('values'))
  if (!isKnown && fault !== 'bad-mode-accepted')
    return { error: 'unsupported_stream_mode', message: 'no such mode', details: { supported: modes } }
  const bufferMs = Number(url.searchParams.get('bufferMs') ?? 0)
  if (Number.isInteger(bufferMs) && bufferMs >= 0 && bufferMs <= 5000) return null
  return { error: 'validation_error', message: 'bufferMs is out of range' }
}

export function serveStream(
  request: IncomingMessage,
  response: ServerResponse,
  run: StubRun,
  snapshotOf: (run: StubRun) => JsonObject,
  fault: Fault | null,
): ServerResponse {
  const url = new URL(request.url ?? '/', 'http://stub')
  const wanted = (url.searchParams.get('streamMode') ?? 'updates').split(',')
  const bufferMs = fault === 'buffer-ignored' ? 0 : Number(url.searchParams.get('bufferMs') ?? 0)
  const after = fault === 'stream-from-start' ? -1 : Number(request.headers['last-event-id'] ?? -1)
  let held: RunEventDoc[] = []

  const frame = (id: number, event: string, data: unknown): void =>
    void response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  const flush = (): void => {
    if (held.length > 0) frame(held.at(-1)?.sequence ?? 0, 'batch', held)
    held = []
  }
  const close = (): void => {
    const finish = (): void => {
      flush()
      if (fault !== 'stream-not-closed') response.end()
    }
    if (fault === 'buffer-holds-end') setTimeout(finish, bufferMs)
    else finish()
  }
  const isShown = ({ type, sequence }: RunEventDoc): boolean =>
    sequence > after && (wanted.includes('debug') || (wanted.includes('updates') && !debugOnly.includes(type)))
  const show = (event: RunEventDoc): void => {
    if (wanted.includes('values')) frame(event.sequence, 'state.snapshot', snapshotOf(run))
    else if (isShown(event)) bufferMs > 0 ? held.push(event) : frame(event.sequence, event.type, event)
    if (/^run\.(completed|failed|cancelled)$/.test(event.type)) close()
  }

  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  response.write(': keepalive\n\n')
  for (const event of run.events) show(event)
  if (isOver(run)) return response
  const timer = setInterval(flush, Math.max(bufferMs, 50))
  run.listeners.add(show)
  response.on('close', () => {
    clearInterval(timer)
    run.listeners.delete(show)
  })
  return response
}
