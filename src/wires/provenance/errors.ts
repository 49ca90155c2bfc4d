import type { FastifyRequest } from 'fastify'
import type { Failure } from '../../http/failure.ts'

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
export function toProvenanceError(failure: Failure, request: FastifyRequest) {
  const { code: error, message, details } = failure
  const isWrongBody = error === 'validation_error' || error === 'writer_invalid'
  const status = isWrongBody ? 422 : failure.status
  const fallback = status >= 500 ? `SRV_${status}` : `REQ_${status}`
  const isMissingKey = error === 'unauthenticated' && request.headers.authorization === undefined
  const code = isMissingKey ? 'AUTH_001' : (provenanceCodes[error] ?? fallback)
  return { status, body: { error, code, message, request_id: request.id, details } }
}
