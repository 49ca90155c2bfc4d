import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isRepeatedRefusal } from '../core/commit/kept-refusal.ts'
import { ColophonError, type ErrorKind, isColophonError } from '../core/errors.ts'
import { markReplay } from './route.ts'
import { describeProblem, type SchemaProblem } from './schema-problem.ts'
import type { Wire } from './wire.ts'
import { WireError } from './wire-error.ts'

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  unsupported: 405,
  conflict: 409,
  gone: 410,
  oversized: 413,
  refused: 422,
  limited: 429,
  internal: 500,
  corrupt: 500,
  busy: 503,
  unavailable: 503,
  full: 507,
}

/** An error as status, code, message and details. Each protocol formats it in its own way. */
export type Failure = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Record<string, unknown>
  /** The part of the request that does not match its schema: body, querystring or params. */
  readonly where?: string
  /** The members that the schema does not know. */
  readonly unknown?: readonly string[]
}

/** Maps any thrown value to a failure. Values that are no `ColophonError` become `internal_error` without their message. */
function toFailure(error: unknown): Failure {
  if (isColophonError(error)) {
    const { code, kind, message, details, hint } = error
    return { status: statusOfKind[kind], code, message, details: { ...details, hint } }
  }
  if (error instanceof WireError) return { ...error, message: error.message, details: { ...error.details } }
  const known = error as Partial<FastifyError> | null
  if (known?.validation !== undefined) return toValidationFailure(known)
  switch (known?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refusal(
        413,
        'payload_too_large',
        'The body is larger than the server accepts.',
        'The limit is COLOPHON_BODY_LIMIT_BYTES: send smaller requests.',
      )
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refusal(415, 'unsupported_media_type', 'The body must be JSON.', 'Send Content-Type: application/json.')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return refusal(400, 'validation_error', 'The body is not valid JSON.', 'Check the syntax of the body.')
  }
  const status = known?.statusCode
  if (error instanceof SyntaxError || (status !== undefined && status >= 400 && status < 500)) {
    return refusal(status ?? 400, 'validation_error', 'The request is malformed.', 'Check path, headers and body.')
  }
  const internal = new ColophonError('internal_error', 'Something went wrong inside the server.')
  return { status: 500, code: internal.code, message: internal.message, details: { hint: internal.hint } }
}

function refusal(status: number, code: string, message: string, hint: string): Failure {
  return { status, code, message, details: { hint } }
}

const isUnknown = ({ keyword }: SchemaProblem) => keyword === 'unrecognized_keys'

/** Describes the first problem and lists the fields of all. Values are never quoted, because a value may be a secret. */
function toValidationFailure(error: Partial<FastifyError>): Failure {
  const where = error.validationContext ?? 'body'
  const issues = (error.validation ?? []) as readonly SchemaProblem[]
  // First what is not known: a member that is missing is mostly one whose name was mistyped.
  const unknownFirst = [...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))]
  const problems = unknownFirst.slice(0, 20).map((problem) => describeProblem(where, problem))
  const { field = where, text = 'does not have the expected form', details = {}, unknown } = problems[0] ?? {}
  return {
    where,
    ...(unknown === undefined ? {} : { unknown }),
    status: 400,
    code: 'validation_error',
    message: `${field} ${text}.`,
    details: {
      field,
      ...details,
      ...(problems.length > 1 ? { fields: problems.map((problem) => `${problem.field} ${problem.text}`) } : {}),
      hint: 'The OpenAPI document at /v1/openapi.json shows the expected form.',
    },
  }
}

export type SendError = (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply

/** Makes the function that sends an error, in the format of the protocol that owns the path. The last protocol owns all other paths. */
export function createErrorSender(wires: readonly Wire[]): SendError {
  return (request, reply, error) => {
    const failure = toFailure(error)
    // A full quota is no fault of the server.
    if (failure.status >= 500 && failure.status !== statusOfKind.full) {
      // The message may quote values of a statement. The class, the code and the stack are enough to find the place.
      const cause = error as { name?: unknown; code?: unknown; stack?: unknown } | null
      request.log.error(
        { code: failure.code, error: cause?.name, errorCode: cause?.code, stack: stackOf(error) },
        'request failed',
      )
    }
    const path = placeIn(request)
    const wire = wires.find(({ owns }) => owns(path)) ?? (wires.at(-1) as Wire)
    const { status, body } = wire.toError(failure, request)
    if (wire.errorHeaders !== undefined) reply.headers(wire.errorHeaders(request))
    if (isRepeatedRefusal(error)) markReplay(request, reply, true)
    const isRetryable = status === 503 || status === 429
    if (isRetryable && !reply.hasHeader('retry-after')) reply.header('retry-after', status === 503 ? '1' : '5')
    if (status === 401) reply.header('www-authenticate', 'Bearer')
    return reply.code(status).send(body)
  }
}

/** The path of the route: the one that was sent can be percent-encoded. Without a route, the one that was sent. */
export function placeIn(request: FastifyRequest): string {
  return request.is404 ? request.url : (request.routeOptions?.url ?? request.url)
}

function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || isColophonError(error)) return undefined
  // Without the first line, which has the message: it may contain any text.
  return error.stack?.split('\n').slice(1, 8).join('\n')
}
