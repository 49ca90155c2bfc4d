import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { shownName } from '../core/check.ts'
import { ColophonError, type ErrorKind, isColophonError } from '../core/errors.ts'

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  gone: 410,
  refused: 422,
  limited: 429,
  internal: 500,
  corrupt: 500,
  busy: 503,
  unavailable: 503,
}

/** What goes over the wire about a failure; the same facts in the two envelopes. */
type Failure = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Record<string, unknown>
}

/** Paths of the provenance API have its envelope for every error; everything else has OpenWOP's. */
export function isProvenancePath(path: string): boolean {
  return /^\/v1\/(memories|tenant)(\/|\?|:|$)/.test(path)
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const failure = toFailure(error)
  if (failure.status >= 500) {
    // The cause may quote a statement's values; its class and code say enough to find the place.
    const cause = error as { name?: unknown; code?: unknown; stack?: unknown } | null
    request.log.error(
      { code: failure.code, error: cause?.name, errorCode: cause?.code, stack: stackOf(error) },
      'request failed',
    )
  }
  if (failure.status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', '1')
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer')
  return isProvenancePath(request.url)
    ? sendProvenance(request, reply, failure)
    : reply.code(failure.status).send(toOpenWop(failure))
}

function toFailure(error: unknown): Failure {
  if (isColophonError(error)) {
    const { code, kind, message, details, hint } = error
    return { status: statusOfKind[kind], code, message, details: { ...details, hint } }
  }
  const known = error as Partial<FastifyError> | null
  if (known !== null && hasZodFastifySchemaValidationErrors(error)) return toValidationFailure(error)
  switch (known?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refusal(
        413,
        'payload_too_large',
        'The body is larger than the server takes.',
        'COLOPHON_BODY_LIMIT_BYTES is the limit: send less at once.',
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

type SchemaProblem = { instancePath: string; keyword: string; schemaPath?: string }

/** Names the fields, never their values: a value may be what must not be repeated. */
function toValidationFailure(error: { validation: readonly SchemaProblem[]; validationContext?: string }): Failure {
  const where = error.validationContext ?? 'body'
  const fields = error.validation
    .slice(0, 20)
    .map((problem) => `${where}${shownPath(problem.instancePath)} (${problem.keyword})`)
  return {
    status: 400,
    code: 'validation_error',
    message: `The ${where} does not have the expected form.`,
    details: { fields, hint: 'The OpenAPI document at /v1/openapi.json shows the expected form.' },
  }
}

/** A part of the path can be a name the caller made up, in an object that takes any. */
function shownPath(instancePath: string): string {
  const parts = instancePath.split('/').map((part) => (/^\d{0,6}$/.test(part) ? part : shownName(part)))
  return parts.join('.')
}

function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || isColophonError(error)) return undefined
  // Without the first line: a message may hold anything.
  return error.stack?.split('\n').slice(1, 8).join('\n')
}

function toOpenWop({ code, message, details }: Failure) {
  return { error: code, message, details }
}

const provenanceCodes: Readonly<Record<string, string>> = {
  unauthenticated: 'AUTH_002',
  key_revoked: 'AUTH_002',
  key_expired: 'AUTH_002',
  forbidden: 'AUTH_403',
  validation_error: 'REQ_422',
  not_found: 'MEM_404',
  job_not_found: 'JOB_404',
  idempotency_key_mismatch: 'PROV_409',
  source_event_payload_mismatch: 'PROV_409',
  source_event_erased: 'PROV_410',
  service_key_exists: 'PROV_409',
  writer_not_found: 'PROV_404',
  writer_invalid: 'PROV_422',
  writer_key_mismatch: 'PROV_403',
  internal_error: 'SRV_500',
}

/** The provenance API answers a wrong body with 422, and tells a missing key from a bad one. */
function sendProvenance(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  const { code: error, message, details } = failure
  const isWrongBody = error === 'validation_error' || error === 'writer_invalid'
  const status = isWrongBody ? 422 : failure.status
  const fallback = status >= 500 ? `SRV_${status}` : `REQ_${status}`
  const isMissingKey = error === 'unauthenticated' && request.headers.authorization === undefined
  const code = isMissingKey ? 'AUTH_001' : (provenanceCodes[error] ?? fallback)
  return reply.code(status).send({ error, code, message, request_id: request.id, details })
}
