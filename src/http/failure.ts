import type { FastifyError } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { ColophonError, type ErrorKind, isColophonError } from '../core/errors.ts'
import { type SchemaProblem, wordProblem } from './schema-problem.ts'

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

/** What went wrong, before a wire words it. */
export type Failure = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Record<string, unknown>
  /** The part of a request that does not fit its schema: body, querystring, params. */
  readonly where?: string
}

export function toFailure(error: unknown): Failure {
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

/** Words the first problem and names them all; never their values: a value may be what must not be repeated. */
function toValidationFailure(error: { validation: readonly SchemaProblem[]; validationContext?: string }): Failure {
  const where = error.validationContext ?? 'body'
  const problems = error.validation.slice(0, 20).map((problem) => wordProblem(where, problem))
  const { field = where, text = 'does not have the expected form', details = {} } = problems[0] ?? {}
  return {
    where,
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
