// Reads a stream of server-sent events until it ends, a frame asks to stop, or time is up.
import type { Target } from './harness.ts'
import { authHeaders } from './http.ts'

export type SseFrame = {
  readonly id: string | null
  /** The event name; 'message' when the frame has none. */
  readonly event: string
  /** The data parsed as JSON, or the text itself when it is not JSON. */
  readonly data: unknown
  /** Milliseconds since the request began. */
  readonly atMs: number
}

export type SseOptions = {
  readonly headers?: Readonly<Record<string, string>>
  readonly auth?: string
  /** Give up reading after this time; what came until then is returned. */
  readonly untilMs?: number
  readonly stopWhen?: (frame: SseFrame, all: readonly SseFrame[]) => boolean
}

export type SseResult = {
  readonly status: number
  readonly headers: Headers
  readonly frames: readonly SseFrame[]
  readonly closedBy: 'server' | 'timeout' | 'caller'
  readonly text: string
}

function parseFrame(block: string, atMs: number): SseFrame | null {
  let id: string | null = null
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    // A line that begins with a colon is a comment, which hosts send to keep the connection open.
    if (colon === 0) continue
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'id') id = value
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  if (data.length === 0) return null
  const text = data.join('\n')
  try {
    return { id, event, data: JSON.parse(text), atMs }
  } catch {
    return { id, event, data: text, atMs }
  }
}

export async function readStream(
  target: Target,
  path: string,
  options: SseOptions & { readonly untilMs: number },
): Promise<SseResult> {
  const started = Date.now()
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), options.untilMs)
  const frames: SseFrame[] = []
  let text = ''
  let status = 0
  let headers = new Headers()
  const result = (closedBy: SseResult['closedBy']): SseResult => ({ status, headers, frames, closedBy, text })
  try {
    const response = await fetch(new URL(path, target.url), {
      headers: { Accept: 'text/event-stream', ...authHeaders(target, options.auth), ...options.headers },
      signal: abort.signal,
      redirect: 'manual',
    })
    status = response.status
    headers = response.headers
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body ?? []) {
      const part = decoder.decode(chunk, { stream: true })
      text += part
      rest += part.replaceAll('\r\n', '\n')
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const frame = parseFrame(rest.slice(0, end), Date.now() - started)
        rest = rest.slice(end + 2)
        if (frame === null) continue
        frames.push(frame)
        if (options.stopWhen?.(frame, frames)) return result('caller')
      }
    }
    return result('server')
  } catch (error) {
    if (abort.signal.aborted) return result('timeout')
    throw error
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
}
