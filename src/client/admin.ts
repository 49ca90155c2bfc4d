import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'
import { type WaitOptions, waitUntil } from './wait.ts'

/** A repeated call does not show the key again: when an answer without `key` comes, rotate the key it names. */
export function keyCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.KeyList>('GET /v1/host/colophon/keys', { query }, options)
  return {
    /** One page of API keys, oldest first, without the keys themselves. */
    list,
    /** All API keys of the tenant, page by page. */
    each: (query?: wire.PageQuery, options?: CallOptions) => eachOf('keys', (at) => list({ ...query, ...at }, options)),
    /** Makes an API key with at most the scopes and the lifetime of the calling one. The answer is the only one that shows it. */
    create: (body: wire.KeyDraft, options?: CallOptions) =>
      send<wire.NewKey>('POST /v1/host/colophon/keys', { body }, options),
    /** Makes a new key with the same scopes and expiry; the old one ends after `overlapMs`. */
    rotate: (id: string, body: wire.KeyOverlap = {}, options?: CallOptions) =>
      send<wire.NewKey>('POST /v1/host/colophon/keys/{id}:rotate', { path: { id }, body }, options),
    /** Ends a key at once. */
    revoke: (id: string, options?: CallOptions) =>
      send<wire.KeyView>('DELETE /v1/host/colophon/keys/{id}', { path: { id } }, options),
  }
}

/** Values that are never to be seen again. */
export function secretCalls({ send }: Transport) {
  return {
    /** The names of the secrets; values never come back. */
    list: (options?: CallOptions) => send<wire.SecretList>('GET /v1/host/colophon/secrets', {}, options),
    /** Stores a secret, encrypted. From then on its value is redacted everywhere. */
    put: (id: string, body: wire.SecretDraft, options?: CallOptions) =>
      send<void>('PUT /v1/host/colophon/secrets/{id}', { path: { id }, body }, options),
    /** Removes a secret. */
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/secrets/{id}', { path: { id } }, options),
  }
}

/** Patterns that are redacted beside the built-in ones. */
export function ruleCalls({ send }: Transport) {
  return {
    /** The rules of the tenant and the names of the built-in ones. */
    list: (options?: CallOptions) => send<wire.RuleList>('GET /v1/host/colophon/rules', {}, options),
    /** Adds or replaces a redaction rule. */
    put: (id: string, body: wire.RuleDraft, options?: CallOptions) =>
      send<wire.Rule>('PUT /v1/host/colophon/rules/{id}', { path: { id }, body }, options),
    /** Removes a redaction rule. */
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/rules/{id}', { path: { id } }, options),
    /** What would be redacted. Nothing is stored. */
    test: (body: wire.RedactionTry, options?: CallOptions) =>
      send<wire.RedactionResult>('POST /v1/host/colophon/rules:test', { body, repeat: 'read' }, options),
    /** Goes over everything stored with the secrets and rules of today, in a job. */
    apply: (body: wire.RedactionRequest = {}, options?: CallOptions) =>
      send<wire.JobStarted>('POST /v1/host/colophon/redactions', { body }, options),
  }
}

export function settingsCalls({ send }: Transport) {
  return {
    /** The settings of the tenant. */
    get: (options?: CallOptions) => send<wire.Settings>('GET /v1/tenant/settings', {}, options),
    /** Changes the settings that are named; the others stay. */
    patch: (body: wire.SettingsChange, options?: CallOptions) =>
      send<wire.Settings>('PATCH /v1/tenant/settings', { body }, options),
  }
}

/** For the operator's key only. */
export function tenantCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.TenantList>('GET /v1/host/colophon/tenants', { query }, options)
  return {
    /** One page of tenants, in order of their ids. */
    list,
    /** All tenants, page by page. */
    each: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('tenants', (at) => list({ ...query, ...at }, options)),
    /** Makes a tenant and its first API key, which is shown once. */
    create: (id: string, options?: CallOptions) =>
      send<wire.NewTenant>('POST /v1/host/colophon/tenants', { body: { id } }, options),
    /** Refuses every key of the tenant. Nothing is deleted. */
    disable: (id: string, options?: CallOptions) =>
      send<wire.Tenant>('POST /v1/host/colophon/tenants/{id}:disable', { path: { id } }, options),
    /** Lets the keys of a disabled tenant work again. */
    enable: (id: string, options?: CallOptions) =>
      send<wire.Tenant>('POST /v1/host/colophon/tenants/{id}:enable', { path: { id } }, options),
  }
}

/** Background work. */
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
        { read: () => get(id, options), isOver: ({ status }) => status !== 'queued' && status !== 'leased' },
        retry,
        options,
      ),
    /** Runs a dead or cancelled job again, with all its attempts. */
    retry: (id: string, options?: CallOptions) =>
      send<wire.Job>('POST /v1/host/colophon/jobs/{id}:retry', { path: { id }, repeat: 'once' }, options),
    /** Cancels a job that has not ended. */
    cancel: (id: string, options?: CallOptions) =>
      send<wire.Job>('POST /v1/host/colophon/jobs/{id}:cancel', { path: { id }, repeat: 'once' }, options),
  }
}

/** Work that comes back by itself. */
export function scheduleCalls({ send }: Transport) {
  return {
    /** All schedules of the tenant. */
    list: (options?: CallOptions) => send<wire.ScheduleList>('GET /v1/host/colophon/schedules', {}, options),
    /** Adds or replaces a schedule. */
    put: (body: wire.ScheduleDraft, options?: CallOptions) =>
      send<wire.Schedule>('POST /v1/host/colophon/schedules', { body }, options),
    /** Starts no more jobs until `resume`. */
    pause: (id: string, options?: CallOptions) =>
      send<wire.Schedule>('POST /v1/host/colophon/schedules/{id}:pause', { path: { id } }, options),
    /** Starts jobs again, from the next due time. */
    resume: (id: string, options?: CallOptions) =>
      send<wire.Schedule>('POST /v1/host/colophon/schedules/{id}:resume', { path: { id } }, options),
    /** Starts its job now, beside its time. */
    run: (id: string, options?: CallOptions) =>
      send<wire.JobStarted>('POST /v1/host/colophon/schedules/{id}:run', { path: { id } }, options),
    /** Removes a schedule of the tenant. */
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/schedules/{id}', { path: { id } }, options),
  }
}

/** The chain of records of everything that happened. */
export function auditCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.AuditPage>('GET /v1/host/colophon/audit', { query }, options)
  return {
    /** One page of audit records, oldest first. */
    list,
    /** All audit records, page by page. */
    each: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('records', (at) => list({ ...query, ...at }, options)),
    /** Checks the hash chain, and with `contents` what is stored against it. */
    verify: (query?: wire.VerifyQuery, options?: CallOptions) =>
      send<wire.AuditVerifyResult>('GET /v1/audit/verify', { query }, options),
  }
}

/** The host, and how much the tenant has. */
export function systemCalls({ send }: Transport) {
  return {
    /** Counts of the tenant: entries, claims, runs, jobs, redactions, by the hour. */
    stats: (options?: CallOptions) => send<wire.Stats>('GET /v1/host/colophon/stats', {}, options),
    /** Whether the process runs. */
    health: (options?: CallOptions) => send<{ status: string }>('GET /healthz', {}, options),
    /** Whether the server can answer: its database does. */
    ready: (options?: CallOptions) => send<{ status: string }>('GET /readyz', {}, options),
    /** What this host can do. */
    discovery: (options?: CallOptions) => send<wire.Discovery>('GET /.well-known/openwop', {}, options),
  }
}
