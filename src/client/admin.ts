import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'
import { type WaitOptions, waitUntil } from './wait.ts'

/**
 * API keys of the tenant. A repeated request does not return `key` again: if a response has none, rotate the key it names.
 *
 * @example
 * const { key } = await client.keys.create({ name: 'support agent', scopes: ['memory:read', 'memory:write'] })
 */
export function keyCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.KeyList>('GET /v1/host/colophon/keys', { query }, options)
  return {
    /** One page of API keys, oldest first, without the secret part of each key. */
    list,
    /** All API keys of the tenant, page by page. */
    each: (query?: wire.PageQuery, options?: CallOptions) => eachOf('keys', (at) => list({ ...query, ...at }, options)),
    /** Creates an API key with at most the scopes and the lifetime of the calling key. `key` is shown only in this response. */
    create: (body: wire.KeyDraft, options?: CallOptions) =>
      send<wire.NewKey>('POST /v1/host/colophon/keys', { body }, options),
    /** Creates a new key with the same scopes and expiry. The old key stops working after `overlapMs`. */
    rotate: (id: string, body: wire.KeyOverlap = {}, options?: CallOptions) =>
      send<wire.NewKey>('POST /v1/host/colophon/keys/{id}:rotate', { path: { id }, body }, options),
    /** Revokes a key: from now on, requests with it get 401 `key_revoked`. */
    revoke: (id: string, options?: CallOptions) =>
      send<wire.KeyView>('DELETE /v1/host/colophon/keys/{id}', { path: { id } }, options),
  }
}

/**
 * The vault: values that are redacted in everything that is written.
 *
 * @example await client.secrets.put('crm-password', { value: 'correct-horse-battery-staple' })
 */
export function secretCalls({ send }: Transport) {
  return {
    /** The ids and scopes of the secrets. Values are never returned. */
    list: (options?: CallOptions) => send<wire.SecretList>('GET /v1/host/colophon/secrets', {}, options),
    /** Stores a secret, encrypted. From then on, its value is redacted in everything that is written. */
    put: (id: string, body: wire.SecretDraft, options?: CallOptions) =>
      send<void>('PUT /v1/host/colophon/secrets/{id}', { path: { id }, body }, options),
    /** Deletes a secret. Its value is no longer redacted; markers that replaced it stay. */
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/secrets/{id}', { path: { id } }, options),
  }
}

/**
 * Redaction rules of the tenant, in addition to the built-in rules.
 *
 * @example await client.rules.put('ticket', { pattern: 'TCK-[0-9]{6}' })
 */
export function ruleCalls({ send }: Transport) {
  return {
    /** The redaction rules of the tenant, and the ids of the built-in rules. */
    list: (options?: CallOptions) => send<wire.RuleList>('GET /v1/host/colophon/rules', {}, options),
    /** Creates or replaces a redaction rule. */
    put: (id: string, body: wire.RuleDraft, options?: CallOptions) =>
      send<wire.Rule>('PUT /v1/host/colophon/rules/{id}', { path: { id }, body }, options),
    /** Deletes a redaction rule. */
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/rules/{id}', { path: { id } }, options),
    /** Redacts a text as a write would. Nothing is stored. */
    test: (body: wire.RedactionTry, options?: CallOptions) =>
      send<wire.RedactionResult>('POST /v1/host/colophon/rules:test', { body, repeat: 'read' }, options),
    /** Starts a job that applies the current secrets and rules to all stored memory. */
    apply: (body: wire.RedactionRequest = {}, options?: CallOptions) =>
      send<wire.JobStarted>('POST /v1/host/colophon/redactions', { body }, options),
  }
}

/** The settings of the tenant. */
export function settingsCalls({ send }: Transport) {
  return {
    /** Retention, redaction, compaction and authority settings. */
    get: (options?: CallOptions) => send<wire.Settings>('GET /v1/tenant/settings', {}, options),
    /** Changes the named settings. Omitted settings stay as they are. */
    patch: (body: wire.SettingsChange, options?: CallOptions) =>
      send<wire.Settings>('PATCH /v1/tenant/settings', { body }, options),
  }
}

/** Tenants. Needs the operator key. */
export function tenantCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.TenantList>('GET /v1/host/colophon/tenants', { query }, options)
  return {
    /** One page of tenants, in order of id. */
    list,
    /** All tenants, page by page. */
    each: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('tenants', (at) => list({ ...query, ...at }, options)),
    /** Creates a tenant and its first API key, which is shown only in this response. */
    create: (id: string, options?: CallOptions) =>
      send<wire.NewTenant>('POST /v1/host/colophon/tenants', { body: { id } }, options),
    /** Disables a tenant: requests with its keys are refused. Its data is kept. */
    disable: (id: string, options?: CallOptions) =>
      send<wire.Tenant>('POST /v1/host/colophon/tenants/{id}:disable', { path: { id } }, options),
    /** Enables a disabled tenant: its keys work again. */
    enable: (id: string, options?: CallOptions) =>
      send<wire.Tenant>('POST /v1/host/colophon/tenants/{id}:enable', { path: { id } }, options),
    /** The quotas of a tenant. */
    quotas: (id: string, options?: CallOptions) =>
      send<wire.TenantQuotas>('GET /v1/host/colophon/tenants/{id}/quotas', { path: { id } }, options),
    /** Sets quotas of a tenant. Null resets one to its default; omitted ones stay as they are. */
    setQuotas: (id: string, body: wire.QuotaChange, options?: CallOptions) =>
      send<wire.TenantQuotas>('PATCH /v1/host/colophon/tenants/{id}/quotas', { path: { id }, body }, options),
  }
}

/**
 * Background jobs.
 *
 * @example
 * const { jobId } = await client.rules.apply()
 * const job = await client.jobs.wait(jobId)
 */
export function jobCalls({ send, retry }: Transport) {
  const list = (query?: wire.JobQuery, options?: CallOptions) =>
    send<wire.JobPage>('GET /v1/host/colophon/jobs', { query }, options)
  const get = (id: string, options?: CallOptions) =>
    send<wire.Job>('GET /v1/host/colophon/jobs/{id}', { path: { id } }, options)
  return {
    /** One page of jobs, newest first. */
    list,
    /** All jobs, page by page. */
    each: (query?: wire.JobQuery, options?: CallOptions) => eachOf('jobs', (at) => list({ ...query, ...at }, options)),
    /** One job, with its progress, its result and its error. */
    get,
    /** Resolves when the job has ended: completed, dead or cancelled. */
    wait: (id: string, options?: WaitOptions<wire.Job>) =>
      waitUntil(
        { read: () => get(id, options), hasEnded: ({ status }) => status !== 'queued' && status !== 'leased' },
        retry,
        options,
      ),
    /** Queues a dead or cancelled job again, with all its attempts. */
    retry: (id: string, options?: CallOptions) =>
      send<wire.Job>('POST /v1/host/colophon/jobs/{id}:retry', { path: { id }, repeat: 'once' }, options),
    /** Cancels a job that has not ended. */
    cancel: (id: string, options?: CallOptions) =>
      send<wire.Job>('POST /v1/host/colophon/jobs/{id}:cancel', { path: { id }, repeat: 'once' }, options),
  }
}

/**
 * Recurring jobs.
 *
 * @example await client.schedules.put({ id: 'nightly', cron: '0 3 * * *', kind: 'colophon.re-redact' })
 */
export function scheduleCalls({ send }: Transport) {
  return {
    /** All schedules of the tenant, those of the host included. */
    list: (options?: CallOptions) => send<wire.ScheduleList>('GET /v1/host/colophon/schedules', {}, options),
    /** Creates or replaces a schedule. */
    put: (body: wire.ScheduleDraft, options?: CallOptions) =>
      send<wire.Schedule>('POST /v1/host/colophon/schedules', { body }, options),
    /** Pauses a schedule: it starts no jobs until `resume`. */
    pause: (id: string, options?: CallOptions) =>
      send<wire.Schedule>('POST /v1/host/colophon/schedules/{id}:pause', { path: { id } }, options),
    /** Resumes a schedule at its next due time. */
    resume: (id: string, options?: CallOptions) =>
      send<wire.Schedule>('POST /v1/host/colophon/schedules/{id}:resume', { path: { id } }, options),
    /** Starts its job now. Its due times stay. */
    run: (id: string, options?: CallOptions) =>
      send<wire.JobStarted>('POST /v1/host/colophon/schedules/{id}:run', { path: { id } }, options),
    /**
     * Starts a job that stores nothing: the `summary` of its result says what the job of the schedule would do now.
     *
     * @example
     * const { jobId } = await client.schedules.dryRun('compaction')
     * const { result } = await client.jobs.wait(jobId)
     */
    dryRun: (id: string, options?: CallOptions) =>
      send<wire.JobStarted>(
        'POST /v1/host/colophon/schedules/{id}:run',
        { path: { id }, body: { dryRun: true } },
        options,
      ),
    /** Deletes a schedule of the tenant. */
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/schedules/{id}', { path: { id } }, options),
  }
}

/** The audit log: one hash-chained record for each commit. */
export function auditCalls({ send }: Transport) {
  const list = (query?: wire.AuditQuery, options?: CallOptions) =>
    send<wire.AuditPage>('GET /v1/host/colophon/audit', { query }, options)
  return {
    /** One page of audit records, oldest first. */
    list,
    /** All audit records, page by page. */
    each: (query?: wire.AuditQuery, options?: CallOptions) =>
      eachOf('records', (at) => list({ ...query, ...at }, options)),
    /** Verifies the hash chain, and with `contents: 'true'` every stored row against it. */
    verify: (query?: wire.VerifyQuery, options?: CallOptions) =>
      send<wire.AuditVerifyResult>('GET /v1/audit/verify', { query }, options),
  }
}

/** Vectors for search by meaning. */
export function embeddingsCalls({ send }: Transport) {
  return {
    /** The embedding model, and how many entries have vectors. */
    status: (options?: CallOptions) => send<wire.EmbeddingsStatus>('GET /v1/host/colophon/embeddings', {}, options),
    /** Starts a job that computes all vectors again. */
    rebuild: (options?: CallOptions) => send<wire.JobStarted>('POST /v1/host/colophon/embeddings:rebuild', {}, options),
  }
}

/** Health and capabilities of the host, and counts of the tenant. */
export function systemCalls({ send }: Transport) {
  return {
    /** Counts of the tenant: entries, claims, runs, jobs, redactions, and changes by the hour. */
    stats: (options?: CallOptions) => send<wire.Stats>('GET /v1/host/colophon/stats', {}, options),
    /** The position and the instant that `asOf` names, and the range of moments that can be read. */
    moment: (asOf?: number | string, options?: CallOptions) =>
      send<wire.Moment>('GET /v1/host/colophon/moment', { query: { asOf } }, options),
    /** The tenant, the name and the scopes of the key. */
    session: (options?: CallOptions) => send<wire.SessionView>('GET /v1/host/colophon/session', {}, options),
    /** Opens a session of a browser with the key: the response sets its cookie. For pages that the server itself delivers. */
    openSession: (options?: CallOptions) =>
      send<wire.SessionView>('POST /v1/host/colophon/session', { repeat: 'once' }, options),
    /** Ends the session of this browser. */
    endSession: (options?: CallOptions) =>
      send<wire.EndedSession>('DELETE /v1/host/colophon/session', { repeat: 'once' }, options),
    /** The names of keys, and the workflows of runs. Unknown ids are left out. */
    names: (ids: readonly string[], options?: CallOptions) =>
      send<wire.NameList>('POST /v1/host/colophon/names', { body: { ids }, repeat: 'read' }, options),
    /** Liveness: the process answers. */
    health: (options?: CallOptions) => send<{ status: string }>('GET /healthz', {}, options),
    /** Readiness: the database answers. */
    ready: (options?: CallOptions) => send<{ status: string }>('GET /readyz', {}, options),
    /** The capabilities and limits of this host: its OpenWOP discovery document. */
    discovery: (options?: CallOptions) => send<wire.Discovery>('GET /.well-known/openwop', {}, options),
  }
}
