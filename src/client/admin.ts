import type * as drafts from './drafts.ts'
import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'
import { type WaitOptions, waitUntil } from './wait.ts'

/** A repeated call does not show the key again: when an answer without `key` comes, rotate the key it names. */
export function keyCalls({ send }: Transport) {
  return {
    list: (options?: CallOptions) => send<wire.KeyList>('GET /v1/host/colophon/keys', {}, options),
    create: (body: wire.KeyDraft, options?: CallOptions) =>
      send<wire.NewKey>('POST /v1/host/colophon/keys', { body }, options),
    rotate: (id: string, body: wire.KeyOverlap = {}, options?: CallOptions) =>
      send<wire.NewKey>('POST /v1/host/colophon/keys/{id}:rotate', { path: { id }, body }, options),
    revoke: (id: string, options?: CallOptions) =>
      send<wire.KeyView>('DELETE /v1/host/colophon/keys/{id}', { path: { id } }, options),
  }
}

/** Values that are never to be seen again. */
export function secretCalls({ send }: Transport) {
  return {
    list: (options?: CallOptions) => send<wire.SecretList>('GET /v1/host/colophon/secrets', {}, options),
    put: (id: string, body: wire.SecretDraft, options?: CallOptions) =>
      send<void>('PUT /v1/host/colophon/secrets/{id}', { path: { id }, body }, options),
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/secrets/{id}', { path: { id } }, options),
  }
}

/** Patterns that are redacted beside the built-in ones. */
export function ruleCalls({ send }: Transport) {
  return {
    list: (options?: CallOptions) => send<wire.RuleList>('GET /v1/host/colophon/rules', {}, options),
    put: (id: string, body: wire.RuleDraft, options?: CallOptions) =>
      send<wire.Rule>('PUT /v1/host/colophon/rules/{id}', { path: { id }, body }, options),
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
    get: (options?: CallOptions) => send<wire.Settings>('GET /v1/tenant/settings', {}, options),
    patch: (body: drafts.SettingsChange, options?: CallOptions) =>
      send<wire.Settings>('PATCH /v1/tenant/settings', { body }, options),
  }
}

/** For the operator's key only. */
export function tenantCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.TenantList>('GET /v1/host/colophon/tenants', { query }, options)
  return {
    list,
    each: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('tenants', (at) => list({ ...query, ...at }, options)),
    create: (id: string, options?: CallOptions) =>
      send<wire.NewTenant>('POST /v1/host/colophon/tenants', { body: { id } }, options),
    disable: (id: string, options?: CallOptions) =>
      send<wire.Tenant>('POST /v1/host/colophon/tenants/{id}:disable', { path: { id } }, options),
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
    list,
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
    retry: (id: string, options?: CallOptions) =>
      send<wire.Job>('POST /v1/host/colophon/jobs/{id}:retry', { path: { id }, repeat: 'once' }, options),
    cancel: (id: string, options?: CallOptions) =>
      send<wire.Job>('POST /v1/host/colophon/jobs/{id}:cancel', { path: { id }, repeat: 'once' }, options),
  }
}

/** Work that comes back by itself. */
export function scheduleCalls({ send }: Transport) {
  return {
    list: (options?: CallOptions) => send<wire.ScheduleList>('GET /v1/host/colophon/schedules', {}, options),
    put: (body: wire.ScheduleDraft, options?: CallOptions) =>
      send<wire.Schedule>('POST /v1/host/colophon/schedules', { body }, options),
    pause: (id: string, options?: CallOptions) =>
      send<wire.Schedule>('POST /v1/host/colophon/schedules/{id}:pause', { path: { id } }, options),
    resume: (id: string, options?: CallOptions) =>
      send<wire.Schedule>('POST /v1/host/colophon/schedules/{id}:resume', { path: { id } }, options),
    /** Starts its job now, beside its time. */
    run: (id: string, options?: CallOptions) =>
      send<wire.JobStarted>('POST /v1/host/colophon/schedules/{id}:run', { path: { id } }, options),
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/schedules/{id}', { path: { id } }, options),
  }
}

/** The chain of records of everything that happened. */
export function auditCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.AuditPage>('GET /v1/host/colophon/audit', { query }, options)
  return {
    list,
    each: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('records', (at) => list({ ...query, ...at }, options)),
    verify: (query?: wire.VerifyQuery, options?: CallOptions) =>
      send<wire.AuditVerifyResult>('GET /v1/audit/verify', { query }, options),
  }
}

/** The host, and how much the tenant has. */
export function systemCalls({ send }: Transport) {
  return {
    stats: (options?: CallOptions) => send<wire.Stats>('GET /v1/host/colophon/stats', {}, options),
    health: (options?: CallOptions) => send<{ status: string }>('GET /healthz', {}, options),
    ready: (options?: CallOptions) => send<{ status: string }>('GET /readyz', {}, options),
    /** What this host can do. */
    discovery: (options?: CallOptions) => send<wire.Discovery>('GET /.well-known/openwop', {}, options),
  }
}
