import type { ErrorCode } from '../core/errors.ts'

/** What only the way to the server can fail with. */
export type TransportCode = 'no_answer' | 'timed_out' | 'unexpected_answer'

/** What HTTP itself refuses. */
type HttpCode = 'payload_too_large' | 'unsupported_media_type'

/** The codes of docs/ERRORS.md, and those of the way to the server. */
export type KnownErrorCode = ErrorCode | TransportCode | HttpCode

/** A newer server may have codes that this client does not know, so a code is a text all the same. */
export type ClientErrorCode = KnownErrorCode | (string & {})

export type ClientErrorFacts = {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly hint?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Every call that fails, fails with this; only an abort of yours throws its own reason. */
export class ClientError extends Error {
  override readonly name = 'ColophonClientError'
  readonly code: ClientErrorCode
  /** The HTTP status; undefined when no answer came. */
  readonly status: number | undefined
  /** Names the call in the server's log. */
  readonly requestId: string | undefined
  /** The way out. */
  readonly hint: string
  readonly details: Readonly<Record<string, unknown>>
  /** How long the server asks to wait. */
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

/** Whether a call failed with this code. A code that no server has does not compile; compare `error.code` for one of a newer server. */
export function isClientError(error: unknown, code?: KnownErrorCode): error is ClientError {
  if (!(error instanceof Error) || error.name !== 'ColophonClientError') return false
  return code === undefined || (error as ClientError).code === code
}

/** Reads either envelope. What is not one (a proxy's page, say) is not repeated: nobody knows what it holds. */
export function toClientError(response: Response, text: string): ClientError {
  const body = parseEnvelope(text)
  const facts = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? body?.request_id,
    retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
  }
  if (body === null) {
    const hint = 'Check the address, and what stands between you and the server.'
    return new ClientError('unexpected_answer', `Status ${response.status}, not from Colophon.`, { ...facts, hint })
  }
  const { error, message, details = {} } = body
  const { hint, ...rest } = details
  return new ClientError(error, message, { ...facts, hint: String(hint ?? ''), details: rest })
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

/** Seconds, or a date. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
