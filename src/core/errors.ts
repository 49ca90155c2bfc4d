import { runErrors } from './run/error-codes.ts'
import { storageErrors } from './storage-errors.ts'

/**
 * Every failure a caller can meet, with its kind (surfaces map it to a status or an exit code), whether the same call
 * may succeed later, and the way out. Compare `error.code`, not the class: two copies of the package must still agree.
 */
export type ErrorKind =
  | 'invalid'
  | 'conflict'
  | 'missing'
  | 'gone'
  | 'busy'
  | 'unavailable'
  | 'refused'
  | 'corrupt'
  | 'unauthenticated'
  | 'forbidden'
  | 'limited'
  | 'internal'

export type ErrorSpec = { kind: ErrorKind; retryable: boolean; hint: string }

export const errorTable = {
  validation_error: { kind: 'invalid', retryable: false, hint: 'Correct the named field and send the call again.' },
  secret_leakage: {
    kind: 'refused',
    retryable: false,
    hint: 'Take the secret out of the named field. Identifiers are never rewritten, so they may not hold one.',
  },
  secret_too_weak: {
    kind: 'refused',
    retryable: false,
    hint: 'Use a longer value, or one of more kinds of characters: 12 random digits or 9 random letters are enough. Shorter ones could be guessed by writing guesses and watching which are redacted.',
  },
  redaction_budget_exceeded: {
    kind: 'refused',
    retryable: false,
    hint: 'Send the text in smaller parts, or give the tenant fewer or simpler redaction rules.',
  },
  version_conflict: {
    kind: 'conflict',
    retryable: false,
    hint: 'Another writer changed it first: read it again and retry with its new version.',
  },
  write_contention: { kind: 'conflict', retryable: true, hint: 'Wait a moment, then send the same call again.' },
  idempotency_key_mismatch: {
    kind: 'conflict',
    retryable: false,
    hint: 'This key was used for another call. Use a new key, or repeat the first call exactly.',
  },
  content_erased: {
    kind: 'gone',
    retryable: false,
    hint: 'What this call refers to was forgotten, deleted or has expired. A retry does not bring it back; a new key stores it anew.',
  },
  redaction_stale: {
    kind: 'conflict',
    retryable: true,
    hint: 'Secrets or rules changed while the call was under way: redact again and retry.',
  },
  tenant_unknown: {
    kind: 'missing',
    retryable: false,
    hint: 'Check the tenant id. A tenant comes into being with its first write.',
  },
  job_not_found: { kind: 'missing', retryable: false, hint: 'Check the job id; jobs belong to one tenant.' },
  job_state: { kind: 'conflict', retryable: false, hint: 'Read the job: its status does not allow this now.' },
  job_lease_lost: {
    kind: 'conflict',
    retryable: false,
    hint: 'Another worker took the job over. Stop working on it; nothing of this commit was stored.',
  },
  overloaded: {
    kind: 'busy',
    retryable: true,
    hint: 'Too many calls are waiting for the database. Wait a moment and retry, or send fewer at once.',
  },
  ...storageErrors,
  unauthenticated: {
    kind: 'unauthenticated',
    retryable: false,
    hint: 'Send a valid API key: Authorization: Bearer <key>.',
  },
  key_expired: {
    kind: 'unauthenticated',
    retryable: false,
    hint: 'The key has expired: use another, or have one made.',
  },
  key_revoked: {
    kind: 'unauthenticated',
    retryable: false,
    hint: 'The key was revoked: use another, or have one made.',
  },
  forbidden: {
    kind: 'forbidden',
    retryable: false,
    hint: 'The key lacks the named scope, ends too soon, or is not among those who may do this: use one that fits.',
  },
  origin_not_allowed: {
    kind: 'forbidden',
    retryable: false,
    hint: 'A page of another origin called. If it is yours, name its origin in COLOPHON_CORS_ORIGINS.',
  },
  host_not_allowed: {
    kind: 'forbidden',
    retryable: false,
    hint: 'Call the server by its IP address or as localhost. If the name is yours, add it to COLOPHON_ALLOWED_HOSTS.',
  },
  not_found: { kind: 'missing', retryable: false, hint: 'Check the id and that it belongs to the tenant of your key.' },
  import_before_forget: {
    kind: 'conflict',
    retryable: false,
    hint: 'The file may hold what was forgotten since, and nothing of it is stored. Use an export that was made afterwards.',
  },
  import_file_invalid: {
    kind: 'invalid',
    retryable: false,
    hint: 'The file was cut off or changed, or is no export. Make the export again.',
  },
  import_interrupted: {
    kind: 'conflict',
    retryable: false,
    hint: 'Another import is not finished, or something was forgotten meanwhile. Send the same file again, or with --merge (merge=true).',
  },
  tenant_not_empty: {
    kind: 'conflict',
    retryable: false,
    hint: 'Import into a tenant without memory, or with --merge (merge=true) beside what is there.',
  },
  already_exists: { kind: 'conflict', retryable: false, hint: 'Choose another name, or change what is there.' },
  rate_limited: { kind: 'limited', retryable: true, hint: 'Wait as long as Retry-After says, then go on more slowly.' },
  vault_unavailable: {
    kind: 'unavailable',
    retryable: true,
    hint: 'The vault key does not open the stored secrets. Give the right COLOPHON_VAULT_KEY or restore the key file.',
  },
  ...runErrors,
  history_expired: {
    kind: 'gone',
    retryable: false,
    hint: 'History is kept for history_retention_days: read a later position, or memory as it is now.',
  },
  tenant_membership_required: {
    kind: 'forbidden',
    retryable: false,
    hint: 'The tenant comes from the key: leave tenantId out, or use a key of that tenant.',
  },
  pack_validation_failed: {
    kind: 'refused',
    retryable: false,
    hint: 'Correct the manifest as the message says and send it again.',
  },
  source_event_exists: {
    kind: 'conflict',
    retryable: true,
    hint: 'The same event was taken a moment ago: look at it, or send the same call again for its answer.',
  },
  source_event_payload_mismatch: {
    kind: 'conflict',
    retryable: false,
    hint: 'This event id was used for other messages. Use a new event_id, or repeat the first call exactly.',
  },
  forget_incomplete: {
    kind: 'internal',
    retryable: true,
    hint: 'What is forgotten stays hidden. Retry the job; if it fails again, its details say which layer is left.',
  },
  signing_key_missing: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Receipts are signed by a server. Let one run on this data; the forget goes on there.',
  },
  source_event_erased: {
    kind: 'gone',
    retryable: false,
    hint: 'What this event told was forgotten on request. It cannot be told again under the same event_id.',
  },
  service_key_exists: {
    kind: 'conflict',
    retryable: false,
    hint: 'Choose another service_key, or change that writer.',
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
    hint: 'This writer is bound to another API key: call with that one.',
  },
  writer_unbound: {
    kind: 'forbidden',
    retryable: false,
    hint: 'This tenant requires bound writers: set the api_key_id of the writer to the key that may speak for it.',
  },
  model_unavailable: {
    kind: 'unavailable',
    retryable: true,
    hint: 'The model did not answer; it is tried again. Look at the server behind COLOPHON_LLM_URL or COLOPHON_EMBEDDINGS.',
  },
  extraction_failed: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Check COLOPHON_LLM_URL, COLOPHON_LLM_MODEL and COLOPHON_LLM_API_KEY, or use another model; then retry the job.',
  },
  embedding_failed: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Check COLOPHON_EMBEDDINGS, COLOPHON_EMBEDDINGS_MODEL and COLOPHON_EMBEDDINGS_API_KEY; until then search is by words.',
  },
  embeddings_off: {
    kind: 'conflict',
    retryable: false,
    hint: 'Set COLOPHON_EMBEDDINGS to local or to the address of an embeddings endpoint, then start again.',
  },
  claim_not_found: { kind: 'missing', retryable: false, hint: 'Check the claim id: GET /v1/host/colophon/claims.' },
  summary_failed: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Check COLOPHON_LLM_URL, COLOPHON_LLM_MODEL and COLOPHON_LLM_API_KEY, or use another model; then retry the job.',
  },
  compaction_redaction_failed: {
    kind: 'refused',
    retryable: false,
    hint: 'A summary could not be made free of secrets with their markers kept, so nothing was written. Go over what is stored (colophon redact), or allow more bytes.',
  },
  compaction_state: {
    kind: 'conflict',
    retryable: false,
    hint: 'It was undone before, or its output or a source changed since: details.reason says which.',
  },
  internal_error: {
    kind: 'internal',
    retryable: true,
    hint: 'This is a fault of the server: its log has more under the request id.',
  },
  closed: { kind: 'unavailable', retryable: false, hint: 'This instance was closed. Open a new one.' },
} as const satisfies Record<string, ErrorSpec>

export type ErrorCode = keyof typeof errorTable

export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** The one error class. Messages and details never hold memory text, secrets or a foreign ref. */
export class ColophonError extends Error {
  override readonly name = 'ColophonError'
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly retryable: boolean
  readonly hint: string
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, options: { details?: ErrorDetails; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    const spec: ErrorSpec = errorTable[code]
    this.code = code
    this.kind = spec.kind
    this.retryable = spec.retryable
    this.hint = spec.hint
    this.details = options.details ?? {}
  }
}

/** A refused field: which one, what is wrong with it and, when there is one, the limit by its name. */
export function invalid(field: string, problem: string, details: ErrorDetails = {}): ColophonError {
  return new ColophonError('validation_error', `${field} ${problem}.`, { details: { field, ...details } })
}

export function isColophonError(error: unknown, code?: ErrorCode): error is ColophonError {
  if (!(error instanceof Error) || error.name !== 'ColophonError') return false
  return code === undefined || (error as ColophonError).code === code
}

/**
 * Two rows would stand in one place. Rows that a caller made, as in a file that is imported, can bring that about; from
 * anything else it is a bug.
 */
export class RowsCollide extends Error {
  override readonly name = 'RowsCollide'
}

/** A broken promise inside the program: a bug, never a caller's mistake. */
export function assert(condition: unknown, because: string): asserts condition {
  if (!condition) throw new Error(`Colophon bug: ${because}`)
}
