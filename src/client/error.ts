import type { ErrorCode } from '../core/errors.ts'

/** Errors of the connection: no response, a timeout, or a response that is not from Colophon. */
export type TransportCode = 'no_answer' | 'timed_out' | 'unexpected_answer'

/** Errors of HTTP itself. */
type HttpCode = 'payload_too_large' | 'unsupported_media_type'

/** Every code that this client knows: those of docs/ERRORS.md, of HTTP, and of the connection. */
export type KnownErrorCode = ErrorCode | TransportCode | HttpCode

/** The code of a `ClientError`. A newer server may send codes that this client does not know. */
export type ClientErrorCode = KnownErrorCode | (string & {})

/** What a `ClientError` carries beside its code and its message. */
export type ClientErrorFacts = {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly hint?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/**
 * The error of every failed call. Only an abort by the caller throws something else: the reason of its signal.
 *
 * @example
 * try {
 *   await client.memory.put('agents/concierge', { content })
 * } catch (error) {
 *   if (isClientError(error, 'secret_leakage')) console.error(error.message, error.hint)
 *   else throw error
 * }
 */
export class ClientError extends Error {
  override readonly name = 'ColophonClientError'
  readonly code: ClientErrorCode
  /** The HTTP status. Undefined if there was no response. */
  readonly status: number | undefined
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined
  /** What to do about it. */
  readonly hint: string
  /** Facts for programs: `field`, `limit`, `requiredScope` and so on. */
  readonly details: Readonly<Record<string, unknown>>
  /** `Retry-After` of the response, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(code: ClientErrorCode, message: string, facts: ClientErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = code
    this.status = facts.status
    this.requestId = facts.requestId
    this.hint = facts.hint ?? ''
    this.details = facts.details ?? {}
    this.retryAfterMs = facts.retryAfterMs
  }
}

/**
 * Whether a call failed with this code. An unknown code does not compile: for a code of a newer server, compare
 * `error.code`.
 *
 * @example if (isClientError(error, 'rate_limited')) await sleep(error.retryAfterMs ?? 1_000)
 */
export function isClientError(error: unknown, code?: KnownErrorCode): error is ClientError {
  if (!(error instanceof Error) || error.name !== 'ColophonClientError') return false
  return code === undefined || (error as ClientError).code === code
}

/** Reads both error envelopes. Other bodies, such as the page of a proxy, are not quoted: their content is unknown. */
export function toClientError(response: Response, text: string): ClientError {
  const body = parseEnvelope(text)
  const facts = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? body?.request_id,
    retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
  }
  if (body === null) {
    const hint = 'Check the URL, and any proxy between the client and the server.'
    const message = `The response with status ${response.status} is not from a Colophon server.`
    return new ClientError('unexpected_answer', message, { ...facts, hint })
  }
  const { error, message, details = {} } = body
  const { hint, exactCode, ...rest } = details
  // Version 2 of the protocol has one code for several errors; `exactCode` is the one of this host.
  const code = typeof exactCode === 'string' ? exactCode : error
  return new ClientError(code, message, { ...facts, hint: String(hint ?? ''), details: rest })
}

type Envelope = { error: string; message: string; request_id?: string; details?: Record<string, unknown> }

function parseEnvelope(text: string): Envelope | null {
  try {
    const body = JSON.parse(text) as Partial<Envelope> | null
    return typeof body?.error === 'string' && typeof body.message === 'string' ? (body as Envelope) : null
  } catch {
    return null
  }
}

/** Retry-After is a number of seconds or a date. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
