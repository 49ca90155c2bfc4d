import type { FastifyRequest } from 'fastify'
import type { Failure } from '../../http/error-response.ts'
import { snakeName } from './snake-case.ts'

const provenanceCodes: Readonly<Record<string, string>> = {
  unauthenticated: 'AUTH_002',
  key_revoked: 'AUTH_002',
  key_expired: 'AUTH_002',
  forbidden: 'AUTH_403',
  reader_forbidden: 'AUTH_403',
  validation_error: 'REQ_422',
  not_found: 'MEM_404',
  job_not_found: 'JOB_404',
  idempotency_key_mismatch: 'PROV_409',
  source_event_payload_mismatch: 'PROV_409',
  source_event_ambiguous: 'PROV_409',
  source_event_erased: 'PROV_410',
  service_key_exists: 'PROV_409',
  writer_not_found: 'PROV_404',
  writer_invalid: 'PROV_422',
  writer_key_mismatch: 'PROV_403',
  writer_unbound: 'PROV_403',
  trust_exceeds_credential: 'PROV_403',
  internal_error: 'SRV_500',
}

/** The error envelope of the provenance API: 422 for an invalid body, and separate codes for a missing and an invalid key. */
export function toProvenanceError(failure: Failure, request: FastifyRequest) {
  const { code: error, message, details, status: given } = withWriterCode(withWireNames(failure))
  // A cursor is refused alike on every wire.
  const isWrongBody = (error === 'validation_error' && details.field !== 'cursor') || error === 'writer_invalid'
  const status = isWrongBody ? 422 : given
  const fallback = status >= 500 ? `SRV_${status}` : `REQ_${status}`
  const isMissingKey = error === 'unauthenticated' && request.headers.authorization === undefined
  const code = isMissingKey ? 'AUTH_001' : status === 400 ? fallback : (provenanceCodes[error] ?? fallback)
  return { status, body: { error, code, message, request_id: request.id, details } }
}

const ofWriter = /^(?:source|service_key|display_name|authority_rules|api_key_id|is_active)(?=$|[.[])/

/** An invalid field of a writer, or of the source of an event, has the code `writer_invalid`. */
export function withWriterCode(failure: Failure): Failure {
  const isOfWriter = failure.where === 'body' && ofWriter.test(String(failure.details.field))
  return isOfWriter ? { ...failure, code: 'writer_invalid' } : failure
}

const ownNames: Readonly<Record<string, string>> = { subject: 'external_user_id', idempotencyKey: 'idempotencyKey' }

/** Use cases name fields in camelCase. The wire has snake_case. */
function withWireNames(failure: Failure): Failure {
  const { field } = failure.details
  if (typeof field !== 'string') return failure
  const name = ownNames[field] ?? snakeName(field)
  const message = failure.message.startsWith(field) ? name + failure.message.slice(field.length) : failure.message
  return { ...failure, message, details: { ...failure.details, field: name } }
}
