import { ClientError, toClientError } from './error.ts'
import { nextDelay, pause, type Repeat, type RetryOptions, retryDefaults } from './retry.ts'

export type ClientOptions = {
  /** Where the server is, such as https://memory.example.com; '' in a page that the server itself delivers. */
  readonly url: string
  /** The API key, or a function that gives it, asked before every attempt. */
  readonly key?: string | (() => string | Promise<string>) | undefined
  /** Stands in for the global fetch. */
  readonly fetch?: typeof fetch | undefined
  /** For one attempt, from the first byte to the last. Streams are not timed. */
  readonly timeoutMs?: number | undefined
  readonly retry?: Partial<RetryOptions> | undefined
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  /** For a write: yours instead of a random one, so that a repeat after a crash of yours has no second effect. */
  readonly idempotencyKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Method and path, spelled as in the OpenAPI document. */
export type Operation = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

export type Request = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly body?: unknown
  /** Lines of JSON, sent as they are instead of a body. */
  readonly lines?: string
  /** Unless told: reads for GET, keyed for everything else. */
  readonly repeat?: Repeat
}

export type Transport = {
  /** Makes the call, again if need be, and gives its answer. */
  send<T>(operation: Operation, request?: Request, options?: CallOptions): Promise<T>
  /** Opens a stream, once. */
  open(operation: Operation, request: Request, headers: Record<string, string>, signal: AbortSignal): Promise<Response>
  readonly retry: RetryOptions
}

const timeoutMsDefault = 30_000

export const ndjson = 'application/x-ndjson'

export function createTransport(given: ClientOptions): Transport {
  const base = given.url.replace(/\/+$/, '')
  // Called as a plain function: a browser's fetch must not be called as a method of something else.
  const doFetch = given.fetch ?? ((input: string, init: RequestInit) => fetch(input, init))
  const retry = { ...retryDefaults, ...given.retry }

  async function headersOf(extra: object, options: CallOptions = {}): Promise<Record<string, string>> {
    const key = typeof given.key === 'function' ? await given.key() : given.key
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
    return { ...authorization, ...extra, ...given.headers, ...options.headers }
  }

  async function attempt<T>(url: string, init: RequestInit, options: CallOptions): Promise<T> {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? given.timeoutMs ?? timeoutMsDefault)
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
    try {
      const response = await doFetch(url, { ...init, signal })
      return readAnswer<T>(response, await response.text())
    } catch (cause) {
      if (cause instanceof ClientError) throw cause
      options.signal?.throwIfAborted()
      throw noAnswer(cause, timeout.aborted)
    }
  }

  return {
    retry,
    async send<T>(operation: Operation, request: Request = {}, options: CallOptions = {}) {
      const [method = ''] = operation.split(' ')
      const repeat = request.repeat ?? (method === 'GET' ? 'read' : 'keyed')
      const url = base + toPath(operation, request)
      const { lines } = request
      const limits = { ...retry, retries: options.retries ?? retry.retries }
      // Made once for all attempts: that is what makes them one call. A single attempt needs none.
      const key = options.idempotencyKey ?? (limits.retries > 0 ? randomKey() : undefined)
      const body = lines ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
      const fixed = {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': lines === undefined ? 'application/json' : ndjson }),
        ...(repeat === 'keyed' && key !== undefined ? { 'idempotency-key': key } : {}),
      }
      for (let count = 0; ; count++) {
        try {
          const headers = await headersOf(fixed, options)
          return await attempt<T>(url, { method, headers, ...(body === undefined ? {} : { body }) }, options)
        } catch (error) {
          const delay = nextDelay(error, repeat, count, limits)
          if (delay === null) throw error
          await pause(delay, options.signal)
        }
      }
    },
    async open(operation, request, extra, signal) {
      const headers = await headersOf({ accept: 'text/event-stream', ...extra })
      const response = await doFetch(base + toPath(operation, request), { headers, signal }).catch((cause: unknown) => {
        throw noAnswer(cause, false)
      })
      if (!response.ok) throw toClientError(response, await response.text())
      return response
    },
  }
}

function readAnswer<T>(response: Response, text: string): T {
  if (!response.ok) throw toClientError(response, text)
  if (text === '') return undefined as T
  try {
    return JSON.parse(text) as T
  } catch {
    throw toClientError(response, text)
  }
}

function noAnswer(cause: unknown, isTimeout: boolean): ClientError {
  return isTimeout
    ? new ClientError('timed_out', 'The server took too long.', { cause, hint: 'Give it more time: timeoutMs.' })
    : new ClientError('no_answer', 'No server answers there.', { cause, hint: 'Check the address and the network.' })
}

/** Fills the path in and adds the query: lists by comma, what is undefined not at all. */
function toPath(operation: Operation, { path = {}, query = {} }: Request): string {
  const filled = operation
    .slice(operation.indexOf(' ') + 1)
    .replace(/\{(\w+)\}/g, (_, name: string) => encoded(name, path[name] ?? ''))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encoded(name, String(value))}`],
  )
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
}

/** Half of a character has no form in an address, so no server can be asked about it. */
function encoded(name: string, value: string): string {
  if (value.isWellFormed()) return encodeURIComponent(value)
  const hint = 'Correct the named field: a text was cut in the middle of a character.'
  throw new ClientError('validation_error', `${name} holds half of a character.`, { hint, details: { field: name } })
}

/** Not randomUUID: pages that were not loaded over https have none. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `ck-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
