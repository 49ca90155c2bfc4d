import type { ErrorSpec } from '../errors.ts'

/** Errors of source events, writers and claims: part of the table of error codes. */
export const provenanceErrors = {
  source_event_exists: {
    kind: 'conflict',
    retryable: true,
    hint: 'Another request stored the same event at the same time. Send the same request again to get its response.',
  },
  source_event_payload_mismatch: {
    kind: 'conflict',
    retryable: false,
    hint: 'This event_id was used for other messages. Use a new event_id, or repeat the first request exactly.',
  },
  source_event_erased: {
    kind: 'gone',
    retryable: false,
    hint: 'This source event was erased on request. Its event_id cannot be used again.',
  },
  source_event_ambiguous: {
    kind: 'conflict',
    retryable: false,
    hint: 'Several services gave an event this id. Name one of them with source_service (--service), or use the id that the host gave the event.',
  },
  service_key_exists: {
    kind: 'conflict',
    retryable: false,
    hint: 'Choose another service_key, or change the existing writer.',
  },
  writer_not_found: { kind: 'missing', retryable: false, hint: 'Check the writer id: GET /v1/tenant/service-writers.' },
  writer_invalid: {
    kind: 'invalid',
    retryable: false,
    hint: 'Register the service as a writer, or correct the named field of the writer or source.',
  },
  writer_key_mismatch: {
    kind: 'forbidden',
    retryable: false,
    hint: 'This writer is bound to another API key. Use that key, or bind the writer to this one, which needs memory:admin.',
  },
  writer_unbound: {
    kind: 'forbidden',
    retryable: false,
    hint: 'This tenant requires bound writers. Set the api_key_id of the writer to the key that sends its events.',
  },
  claim_not_found: { kind: 'missing', retryable: false, hint: 'Check the claim id: GET /v1/host/colophon/claims.' },
} as const satisfies Record<string, ErrorSpec>
