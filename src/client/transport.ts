import { ClientError, toClientError } from './error.ts'
import type { WireOption } from './protocol-version.ts'
import { nextDelay, type Repeat, type RetryOptions, retryDefaults, sleep } from './retry.ts'

/** Options of `createClient`. */
export type ClientOptions = {
  /** The URL of the server, such as https://memory.example.com. Use '' in a page that the server itself delivers. */
  readonly url: string
  /** The API key, or a function that returns it. The function is called before every attempt. */
  readonly key?: string | (() => string | Promise<string>) | undefined
  /** Used instead of the global fetch. */
  readonly fetch?: typeof fetch | undefined
  /** The timeout of one attempt, until the last byte of the response. 30 seconds by default. Streams have none. */
  readonly timeoutMs?: number | undefined
  readonly retry?: Partial<RetryOptions> | undefined
  /** Headers for every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Every request is made for this reader: it sees nothing that the reader cannot see. */
  readonly reader?: string | undefined
  /**
   * The version of OpenWOP for runs, interrupts, workflows, agents and webhooks: 1 by default, which has more members; 2; or `auto`, which
   * reads the version that the server prefers from its discovery document. Memory and provenance have no version.
   */
  readonly wire?: WireOption | undefined
}

/** Options of one call. */
export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  /** For a write: your key instead of a random one, so that a repeat after a crash of your program has no second effect. */
  readonly idempotencyKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Makes this call for a reader. */
  readonly reader?: string | undefined
}

/** Method and path as in the OpenAPI document, such as `GET /v1/memories/{id}`. */
export type Operation = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** The parts of a request. `path` fills the `{names}` of the operation. */
export type Request = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly body?: unknown
  /** Newline-delimited JSON, sent instead of `body`. */
  readonly lines?: string
  /** What the body of the response is. JSON by default. */
  readonly reads?: 'json' | 'text' | 'bytes'
  /** By default `read` for GET, and `keyed` for other methods. */
  readonly repeat?: Repeat
}

type Reads = NonNullable<Request['reads']>

/** Sends requests. All calls of the client go through one of these. */
export type Transport = {
  /** Sends the request, with retries, and returns the body of the response. */
  send<T>(operation: Operation, request?: Request, options?: CallOptions): Promise<T>
  /** Opens a stream, without retries. */
  open(operation: Operation, request: Request, headers: Record<string, string>, signal: AbortSignal): Promise<Response>
  readonly retry: RetryOptions
}

const timeoutMsDefault = 30_000

export const ndjson = 'application/x-ndjson'

export function createTransport(given: ClientOptions): Transport {
  const base = given.url.replace(/\/+$/, '')
  // Called as a function: in a browser, fetch fails as a method of another object.
  const doFetch = given.fetch ?? ((input: string, init: RequestInit) => fetch(input, init))
  const retry = { ...retryDefaults, ...given.retry }

  async function headersOf(extra: object, options: CallOptions = {}): Promise<Record<string, string>> {
    const key = typeof given.key === 'function' ? await given.key() : given.key
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const reader = options.reader ?? given.reader
    const named = reader === undefined ? {} : { 'colophon-reader': encoded('reader', reader) }
    return { ...authorization, ...named, ...extra, ...given.headers, ...options.headers }
  }

  async function attempt<T>(url: string, init: RequestInit, reads: Reads, options: CallOptions): Promise<T> {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? given.timeoutMs ?? timeoutMsDefault)
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
    try {
      const response = await doFetch(url, { ...init, signal })
      if (reads === 'json' || !response.ok) return readResponse<T>(response, await response.text())
      return (reads === 'text' ? await response.text() : new Uint8Array(await response.arrayBuffer())) as T
    } catch (cause) {
      if (cause instanceof ClientError) throw cause
      options.signal?.throwIfAborted()
      throw connectionError(cause, timeout.aborted)
    }
  }

  return {
    retry,
    async send<T>(operation: Operation, request: Request = {}, options: CallOptions = {}) {
      const [method = ''] = operation.split(' ')
      const repeat = request.repeat ?? (method === 'GET' ? 'read' : 'keyed')
      const url = base + toPath(operation, request)
      const { lines, reads = 'json' } = request
      const limits = { ...retry, retries: options.retries ?? retry.retries }
      // One key for all attempts: the server then treats them as one request. A single attempt needs no key.
      const key = options.idempotencyKey ?? (limits.retries > 0 ? randomKey() : undefined)
      const body = lines ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
      const fixed = {
        accept: reads === 'json' ? 'application/json' : '*/*',
        ...(body === undefined ? {} : { 'content-type': lines === undefined ? 'application/json' : ndjson }),
        ...(repeat === 'keyed' && key !== undefined ? { 'idempotency-key': key } : {}),
      }
      for (let count = 0; ; count++) {
        try {
          const headers = await headersOf(fixed, options)
          return await attempt<T>(url, { method, headers, ...(body === undefined ? {} : { body }) }, reads, options)
        } catch (error) {
          const delay = nextDelay(error, repeat, count, limits)
          if (delay === null) throw error
          await sleep(delay, options.signal)
        }
      }
    },
    async open(operation, request, extra, signal) {
      const headers = await headersOf({ accept: 'text/event-stream', ...extra })
      const response = await doFetch(base + toPath(operation, request), { headers, signal }).catch((cause: unknown) => {
        throw connectionError(cause, false)
      })
      if (!response.ok) throw toClientError(response, await response.text())
      return response
    },
  }
}

function readResponse<T>(response: Response, text: string): T {
  if (!response.ok) throw toClientError(response, text)
  if (text === '') return undefined as T
  try {
    return JSON.parse(text) as T
  } catch {
    throw toClientError(response, text)
  }
}

function connectionError(cause: unknown, isTimeout: boolean): ClientError {
  return isTimeout
    ? new ClientError('timed_out', 'The server did not respond in time.', { cause, hint: 'Increase timeoutMs.' })
    : new ClientError('no_answer', 'The server cannot be reached.', { cause, hint: 'Check the URL and the network.' })
}

/** Fills in the path and adds the query. Lists are joined by commas, objects are JSON; undefined values are omitted. */
function toPath(operation: Operation, { path = {}, query = {} }: Request): string {
  const filled = operation
    .slice(operation.indexOf(' ') + 1)
    .replace(/\{(\w+)\}/g, (_, name: string) => encoded(name, path[name] ?? ''))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encoded(name, toText(value))}`],
  )
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
}

function toText(value: unknown): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? JSON.stringify(value) : String(value)
}

/** A lone surrogate cannot be encoded in a URL, so the request is refused before it is sent. */
function encoded(name: string, value: string): string {
  if (value.isWellFormed()) return encodeURIComponent(value)
  const hint = 'Correct the named field: its text was cut in the middle of a character.'
  throw new ClientError('validation_error', `${name} has a lone surrogate.`, { hint, details: { field: name } })
}

/** Not randomUUID: pages that were not loaded over https do not have it. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `ck-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
