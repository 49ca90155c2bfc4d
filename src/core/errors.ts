import { provenanceErrors } from './provenance/error-codes.ts'
import { runErrors } from './run/run-errors.ts'
import { storageErrors } from './storage-errors.ts'

/**
 * The class of an error. Each surface maps it: HTTP to a status, the CLI to an exit code. `gone` means that the value was
 * there and is erased or expired; `unsupported` that the thing is there but not this way of using it; `busy` and `limited` mean that the server refuses load, `oversized` that a value is
 * too large to be stored, `full` that the tenant has stored as much as it may.
 */
export type ErrorKind =
  | 'invalid'
  | 'conflict'
  | 'missing'
  | 'unsupported'
  | 'gone'
  | 'busy'
  | 'unavailable'
  | 'refused'
  | 'corrupt'
  | 'unauthenticated'
  | 'forbidden'
  | 'limited'
  | 'oversized'
  | 'full'
  | 'internal'

/** One row of the error table. `retryable`: the same call may succeed later. `hint`: what the caller can do. */
export type ErrorSpec = { kind: ErrorKind; retryable: boolean; hint: string }

/** Every error code that a caller can receive. Compare `error.code`, not the class: two package copies must agree. */
export const errorTable = {
  validation_error: { kind: 'invalid', retryable: false, hint: 'Correct the named field and send the request again.' },
  filter_too_costly: {
    kind: 'refused',
    retryable: false,
    hint: 'Use fewer conditions, or add one that the index knows: a tag, category, writer, agent, subject or a time of creation.',
  },
  secret_leakage: {
    kind: 'refused',
    retryable: false,
    hint: 'Remove the secret from the named field. Identifiers are never redacted, so they must not contain a secret.',
  },
  min_relevance_invalid: {
    kind: 'refused',
    retryable: false,
    hint: 'Send a number from 0 to 1, or "auto" to keep only what probably bears on the query, or leave it out.',
  },
  secret_too_weak: {
    kind: 'refused',
    retryable: false,
    hint: 'Use a longer value or more kinds of characters: 12 random digits or 9 random letters are enough. A client could find a weaker value by writing guesses and watching which are redacted.',
  },
  redaction_budget_exceeded: {
    kind: 'refused',
    retryable: false,
    hint: 'Send the text in smaller parts, or use fewer or simpler redaction rules.',
  },
  version_conflict: {
    kind: 'conflict',
    retryable: false,
    hint: 'Another write changed the entry first: read it again and retry with its new version.',
  },
  schedule_horizon_exceeded: {
    kind: 'refused',
    retryable: false,
    hint: 'Choose a due time within the horizon that the details name.',
  },
  workspace_conflict: {
    kind: 'conflict',
    retryable: false,
    hint: 'Another write changed the file first: read it again and send its new etag in If-Match.',
  },
  workspace_file_untrusted: {
    kind: 'forbidden',
    retryable: false,
    hint: 'Something untrusted wrote the file last. Read it, and replace it with a PUT by a key: then it has the class of the key. Or let the node read it with a lower trustMin: what the run writes from then on is untrusted.',
  },
  workspace_too_large: {
    kind: 'oversized',
    retryable: false,
    hint: 'Split the file, or delete files that are no longer needed. The discovery document has the limits of the workspace.',
  },
  write_contention: {
    kind: 'conflict',
    retryable: true,
    hint: 'Other writes to the same rows came first. Send the same request again.',
  },
  idempotency_key_mismatch: {
    kind: 'conflict',
    retryable: false,
    hint: 'This idempotency key was used for another request. Use a new key, or repeat the first request exactly.',
  },
  content_erased: {
    kind: 'gone',
    retryable: false,
    hint: 'The content of the first request was forgotten, deleted or has expired, so a retry does not restore it. To store it again, use a new idempotency key.',
  },
  redaction_stale: {
    kind: 'conflict',
    retryable: true,
    hint: 'Secrets or redaction rules changed while the request was processed. Send the same request again.',
  },
  tenant_unknown: {
    kind: 'missing',
    retryable: false,
    hint: 'Check the tenant id. A tenant is created by its first write.',
  },
  job_not_found: {
    kind: 'missing',
    retryable: false,
    hint: 'Check the job id, and that the job belongs to the tenant of your key.',
  },
  job_state: { kind: 'conflict', retryable: false, hint: 'Read the job: its current status does not allow this.' },
  job_lease_lost: {
    kind: 'conflict',
    retryable: false,
    hint: 'Another worker has the lease now. Stop work on this job. Nothing of this commit was stored.',
  },
  overloaded: {
    kind: 'busy',
    retryable: true,
    hint: 'Too many requests wait for the database. Retry later, or send fewer at a time.',
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
    hint: 'The key has expired. Use another key, or create one.',
  },
  key_revoked: {
    kind: 'unauthenticated',
    retryable: false,
    hint: 'The key was revoked. Use another key, or create one.',
  },
  forbidden: {
    kind: 'forbidden',
    retryable: false,
    hint: 'The key lacks the named scope, expires too early, or is not on the list of approvers. Use another key.',
  },
  trust_exceeds_credential: {
    kind: 'forbidden',
    retryable: false,
    hint: 'A call can lower the trust class of what it writes, never raise it. Omit trust, or use a writer that is bound to the key. An operator can release or pin a memory.',
  },
  reader_forbidden: {
    kind: 'forbidden',
    retryable: false,
    hint: 'The key is bound to a reader: omit `reader`, or use a key that is not bound. To let more readers read an entry, use the key that wrote it, or one with the scope memory:admin.',
  },
  key_required: {
    kind: 'forbidden',
    retryable: false,
    hint: 'A session cannot do this. Send the API key itself, as Authorization: Bearer <key>.',
  },
  origin_not_allowed: {
    kind: 'forbidden',
    retryable: false,
    hint: 'A web page of another origin sent the request. If the page is yours, add its origin to COLOPHON_CORS_ORIGINS.',
  },
  host_not_allowed: {
    kind: 'forbidden',
    retryable: false,
    hint: 'Use the IP address of the server, or localhost. If the host name is yours, add it to COLOPHON_ALLOWED_HOSTS.',
  },
  method_not_allowed: {
    kind: 'unsupported',
    retryable: false,
    hint: 'Use one of the methods in the header Allow. The OpenAPI document lists all operations.',
  },
  not_found: {
    kind: 'missing',
    retryable: false,
    hint: 'Check the id, and that it belongs to the tenant of your key.',
  },
  containment_too_large: {
    kind: 'refused',
    retryable: false,
    hint: 'A containment is one commit. Narrow it with `since`, or contain writers, runs or source events one by one.',
  },
  containment_state: {
    kind: 'conflict',
    retryable: false,
    hint: 'The containment was released already. Read it again.',
  },
  import_before_forget: {
    kind: 'conflict',
    retryable: false,
    hint: 'The tenant erased data after this file was exported, and the file may contain it. Nothing was stored. Use an export that was made after the erasure.',
  },
  import_file_invalid: {
    kind: 'invalid',
    retryable: false,
    hint: 'The file is truncated, was changed, or is not an export. Export again.',
  },
  import_interrupted: {
    kind: 'conflict',
    retryable: false,
    hint: 'Another import is not finished, or data was erased during this one. Send the same file again, or use --merge (merge=true).',
  },
  tenant_not_empty: {
    kind: 'conflict',
    retryable: false,
    hint: 'Import into an empty tenant, or use --merge (merge=true) to add to the existing memory.',
  },
  already_exists: { kind: 'conflict', retryable: false, hint: 'Choose another name, or change the existing one.' },
  rate_limited: {
    kind: 'limited',
    retryable: true,
    hint: 'Wait for the seconds in Retry-After, then send requests more slowly.',
  },
  quota_exceeded: {
    kind: 'limited',
    retryable: true,
    hint: 'details.quota names the quota. Its use goes down by itself: wait, then send the request again. The operator can raise it (colophon tenants quotas).',
  },
  storage_quota_exceeded: {
    kind: 'full',
    retryable: false,
    hint: 'details.quota names the quota. Delete or compact entries, forget data, keep less history, remove workflows, rules or secrets, or revoke keys. The operator can raise it (colophon tenants quotas).',
  },
  vault_unavailable: {
    kind: 'unavailable',
    retryable: true,
    hint: 'The vault key does not decrypt the stored secrets. Set the right COLOPHON_VAULT_KEY, or restore the key file.',
  },
  ...runErrors,
  history_expired: {
    kind: 'gone',
    retryable: false,
    hint: 'History is kept for history_retention_days. Read a later position, or the current memory.',
  },
  tenant_membership_required: {
    kind: 'forbidden',
    retryable: false,
    hint: 'The key determines the tenant. Omit tenantId, or use a key of that tenant.',
  },
  pack_validation_failed: {
    kind: 'refused',
    retryable: false,
    hint: 'Correct the manifest as the message says, and send it again.',
  },
  ...provenanceErrors,
  forget_incomplete: {
    kind: 'internal',
    retryable: true,
    hint: 'The data stays hidden. Retry the job. If it fails again, its details name the layer that is not erased.',
  },
  receipt_unverified: {
    kind: 'conflict',
    retryable: false,
    hint: 'The signature of the stored receipt does not fit the key of this host. If the host has a new key, verify the receipt itself with the key that its signature names. Otherwise verify the audit.',
  },
  signing_key_missing: {
    kind: 'unavailable',
    retryable: false,
    hint: 'A server signs receipts and checkpoints. Start a server on this data: it completes the erasure.',
  },
  log_not_ready: {
    kind: 'busy',
    retryable: true,
    hint: 'The first request after many writes builds the Merkle tree in parts. Send the same request again.',
  },
  log_tile_not_found: {
    kind: 'missing',
    retryable: false,
    hint: 'Read the checkpoint for the size of the log. A tile that is not full yet has its width in its path, such as 0/000.p/17.',
  },
  token_issuer_unavailable: {
    kind: 'unavailable',
    retryable: true,
    hint: 'The address in COLOPHON_OAUTH_JWKS_URL does not answer. API keys work.',
  },
  model_unavailable: {
    kind: 'unavailable',
    retryable: true,
    hint: 'The model server did not respond. The request is retried. Check the server at COLOPHON_LLM_URL or COLOPHON_EMBEDDINGS.',
  },
  extraction_failed: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Check COLOPHON_LLM_URL, COLOPHON_LLM_MODEL and COLOPHON_LLM_API_KEY, or use another model. Then retry the job.',
  },
  embedding_failed: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Check COLOPHON_EMBEDDINGS, COLOPHON_EMBEDDINGS_MODEL and COLOPHON_EMBEDDINGS_API_KEY. Until then, search matches words only.',
  },
  embeddings_off: {
    kind: 'conflict',
    retryable: false,
    hint: 'Set COLOPHON_EMBEDDINGS to local, local-minilm or the URL of an embeddings endpoint, then restart the server.',
  },
  summary_failed: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Check COLOPHON_LLM_URL, COLOPHON_LLM_MODEL and COLOPHON_LLM_API_KEY, or use another model. Then retry the job.',
  },
  compaction_redaction_failed: {
    kind: 'refused',
    retryable: false,
    hint: 'The summary contained a secret or lost a redaction marker, so nothing was written. Run colophon redact, or raise maxOutputBytes.',
  },
  token_budget_exceeded: {
    kind: 'refused',
    retryable: false,
    hint: 'Nothing was written. Raise the token budget to details.minimumRequired, or compact the ref first.',
  },
  commitment_state: {
    kind: 'conflict',
    retryable: false,
    hint: 'The commitment has fired, was cancelled, or has ended; details.status says which. Create a new one.',
  },
  compaction_state: {
    kind: 'conflict',
    retryable: false,
    hint: 'The compaction was undone, or its output or a source changed. details.reason says which.',
  },
  internal_error: {
    kind: 'internal',
    retryable: true,
    hint: 'This is a fault in the server. Look up the request id in its log.',
  },
  closed: { kind: 'unavailable', retryable: false, hint: 'This instance is closed. Open a new one.' },
} as const satisfies Record<string, ErrorSpec>

/** A stable error code. docs/ERRORS.md lists all of them. */
export type ErrorCode = keyof typeof errorTable

/** Facts about an error for programs: the field, the limit, the required scope. Never memory text or secrets. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/**
 * The error class of the engine. Messages and details never contain memory text, secrets or refs of another tenant.
 *
 * @example if (isColophonError(error) && error.retryable) retryLater()
 */
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

/**
 * The error of a refused field: which field, what is wrong with it and, if there is one, the name of the limit.
 *
 * @example invalid('limit', 'must be at most 500', { limit: 'pageEntriesMax', max: 500 })
 */
export function invalid(field: string, problem: string, details: ErrorDetails = {}): ColophonError {
  return new ColophonError('validation_error', `${field} ${problem}.`, { details: { field, ...details } })
}

/**
 * Whether `error` is an error of the engine, and has this code. Works across two copies of the package.
 *
 * @example if (isColophonError(error, 'version_conflict')) readAgainAndRetry()
 */
export function isColophonError(error: unknown, code?: ErrorCode): error is ColophonError {
  if (!(error instanceof Error) || error.name !== 'ColophonError') return false
  return code === undefined || (error as ColophonError).code === code
}

/** A row violates a unique key. The rows of an imported file can cause this; anywhere else it is a bug. */
export class UniqueViolationError extends Error {
  override readonly name = 'UniqueViolationError'
}
