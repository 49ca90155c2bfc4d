import type { Furnished } from './authorisation-things.ts'
import { chain, noop } from './runs-calls.ts'

/** The allowed callers: all, the operator alone, any key, or a key with all of these scopes. */
export type Needs = 'nothing' | 'operator' | 'key' | readonly [string, ...string[]]

export type Row = {
  readonly needs: Needs
  /** A body with which the call works: JSON, or a text of lines. */
  readonly body?: (own: Furnished) => unknown
  readonly query?: (own: Furnished) => string
  /** The status of an allowed call; 200 by default. */
  readonly status?: number
  /** Nothing has to be there: the call makes what its id names, or answers alike whether it is there or not. */
  readonly needsNothingThere?: true
}

const read = { needs: ['memory:read'] } as const
const admin = { needs: ['memory:admin'] } as const
const manage = { needs: ['keys:manage'] } as const
const runs = { needs: ['runs:read'] } as const
const cancel = { needs: ['runs:cancel'] } as const
const change = { needs: ['memory:write', 'memory:read'] } as const
const host = '/v1/host/colophon'
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const runOf = ({ things }: Furnished) => things['runs/{runId}']
const authorityOf = ({ things }: Furnished) => ({ writers: [{ id: things['writers/{id}'], authority_rules: {} }] })
const refOf = ({ things }: Furnished) => things['memory/{ref}']

/** The callers that each route allows, stated once. A route that is not here, and a row without a route, fail the test. */
export const table: Readonly<Record<string, Row>> = {
  'GET /healthz': { needs: 'nothing' },
  'GET /readyz': { needs: 'nothing' },
  'GET /.well-known/openwop': { needs: 'nothing' },
  [`GET ${host}/signing-key`]: { needs: 'nothing' },

  [`GET ${host}/memory`]: read,
  [`GET ${host}/memory/{ref}/entries`]: read,
  [`POST ${host}/memory/{ref}/entries`]: {
    needs: ['memory:write'],
    body: () => ({ content: 'x' }),
    status: 201,
    needsNothingThere: true,
  },
  [`POST ${host}/memory/{ref}/entries:batch`]: {
    needs: ['memory:write'],
    body: () => ({ entries: [{ content: 'x' }] }),
    status: 201,
    needsNothingThere: true,
  },
  [`GET ${host}/memory/{ref}/entries/{id}`]: read,
  [`GET ${host}/memory/{ref}/entries/{id}/colophon`]: read,
  [`GET ${host}/memory/{ref}/entries/{id}/uses`]: runs,
  [`PATCH ${host}/memory/{ref}/entries/{id}`]: { needs: ['memory:write'], body: () => ({ tags: ['changed'] }) },
  [`DELETE ${host}/memory/{ref}/entries/{id}`]: { needs: ['memory:delete'] },
  [`POST ${host}/memory/{ref}/search`]: { ...read, body: () => ({ query: 'content' }) },
  [`POST ${host}/search`]: { ...read, body: () => ({ query: 'content' }) },
  'GET /v1/memory/{ref}': read,
  [`GET ${host}/changes`]: read,
  [`GET ${host}/stats`]: read,
  [`GET ${host}/moment`]: read,
  [`GET ${host}/session`]: { needs: 'key' },
  [`POST ${host}/session`]: { needs: 'key', status: 201 },
  [`DELETE ${host}/session`]: { needs: 'key' },
  [`POST ${host}/names`]: { ...read, body: () => ({ ids: [] }) },

  [`GET ${host}/export`]: { needs: ['memory:admin', 'audit:read'] },
  [`POST ${host}/import`]: { ...admin, body: () => 'no export', status: 400 },

  [`GET ${host}/keys`]: manage,
  [`POST ${host}/keys`]: { ...manage, body: () => ({ name: 'k', scopes: ['keys:manage'] }), status: 201 },
  [`POST ${host}/keys/{id}:rotate`]: { ...manage, body: () => ({ overlapMs: 60_000 }), status: 201 },
  [`DELETE ${host}/keys/{id}`]: manage,
  [`GET ${host}/secrets`]: admin,
  [`PUT ${host}/secrets/{id}`]: {
    ...admin,
    body: () => ({ value: 'a value to hide' }),
    status: 204,
    needsNothingThere: true,
  },
  [`DELETE ${host}/secrets/{id}`]: admin,
  [`GET ${host}/rules`]: admin,
  [`PUT ${host}/rules/{id}`]: { ...admin, body: () => ({ pattern: 'qqq[0-9]{9}' }), needsNothingThere: true },
  [`DELETE ${host}/rules/{id}`]: admin,
  [`POST ${host}/rules:test`]: { ...admin, body: () => ({ text: 'x' }) },
  'GET /v1/tenant/settings': admin,
  'PATCH /v1/tenant/settings': { ...admin, body: () => ({ default_writer_priority: 41 }) },
  [`POST ${host}/redactions`]: { ...admin, body: () => ({ dryRun: true }), status: 202 },

  [`GET ${host}/tenants`]: { needs: 'operator' },
  [`POST ${host}/tenants`]: {
    needs: 'operator',
    body: ({ canary }) => ({ id: `made-${canary}` }),
    status: 201,
    needsNothingThere: true,
  },
  [`POST ${host}/tenants/{id}:disable`]: { needs: 'operator' },
  [`POST ${host}/tenants/{id}:enable`]: { needs: 'operator' },
  [`GET ${host}/tenants/{id}/quotas`]: { needs: 'operator' },
  [`PATCH ${host}/tenants/{id}/quotas`]: { needs: 'operator', body: () => ({ entries: 1_000 }) },

  [`GET ${host}/audit`]: { needs: ['audit:read'] },
  'GET /v1/audit/verify': { needs: ['audit:read'] },
  'GET /audit/verify': { needs: ['audit:read'] },
  [`GET ${host}/log/checkpoint`]: { needs: ['audit:read'] },
  [`GET ${host}/log/keys`]: { needs: ['audit:read'] },
  [`GET ${host}/log/tile/{path}`]: { needs: ['audit:read'], needsNothingThere: true },
  [`GET ${host}/log/proof/inclusion`]: { needs: ['audit:read'], query: () => 'position=1' },
  [`GET ${host}/log/proof/consistency`]: { needs: ['audit:read'], query: () => 'from=1' },
  'GET /v1/tenant/source-events': { needs: ['audit:read'] },
  'GET /v1/tenant/source-events/{id}': { needs: ['audit:read'] },
  'POST /v1/tenant/source-events/{id}:verify': { needs: ['audit:read'], body: () => ({ messages: [] }) },

  [`GET ${host}/jobs`]: admin,
  [`GET ${host}/jobs/{id}`]: admin,
  [`POST ${host}/jobs/{id}:retry`]: { ...admin, status: 409 },
  [`POST ${host}/jobs/{id}:cancel`]: { ...admin, status: 409 },
  [`GET ${host}/schedules`]: admin,
  [`POST ${host}/schedules`]: {
    ...admin,
    body: ({ canary }) => ({ id: `more-${canary}`, cron: '0 4 * * 1', kind: 'colophon.re-redact' }),
    status: 201,
  },
  [`POST ${host}/schedules/{id}:pause`]: admin,
  [`POST ${host}/schedules/{id}:resume`]: admin,
  [`POST ${host}/schedules/{id}:run`]: { ...admin, status: 202 },
  [`DELETE ${host}/schedules/{id}`]: admin,
  [`GET ${host}/embeddings`]: admin,
  // The server of this test has no embedder.
  [`POST ${host}/embeddings:rebuild`]: { ...admin, status: 409 },

  'GET /v1/workflows/{workflowId}': { needs: ['manifest:read'] },
  'GET /workflows/{workflowId}': { needs: ['manifest:read'] },
  [`GET ${host}/workflows`]: { needs: ['manifest:read'] },
  [`POST ${host}/workflows`]: { ...admin, body: ({ canary }) => chain(`more-${canary}`, [noop()]), status: 201 },
  'POST /v1/runs': {
    needs: ['runs:create'],
    body: ({ things }) => ({ workflowId: things['workflows/{workflowId}'] }),
    status: 201,
  },
  'GET /v1/runs/{runId}': runs,
  [`GET ${host}/runs`]: runs,
  'GET /v1/runs/{runId}/events': runs,
  'GET /v1/runs/{runId}/events/poll': { ...runs, query: () => 'timeout=0' },
  'GET /v1/runs/{runId}/debug-bundle': runs,
  'GET /v1/runs/{runId}:diff': { ...runs, query: (own) => `against=${runOf(own)}` },
  [`GET ${host}/runs/{runId}:diff`]: { ...runs, query: (own) => `against=${runOf(own)}` },
  [`GET ${host}/runs/{runId}/reads`]: runs,
  // No node makes artifacts yet: there is never one.
  'GET /v1/runs/{runId}/artifacts/{artifactId}': { needs: ['artifacts:read'], status: 404, needsNothingThere: true },
  'POST /v1/runs/{runId}:fork': {
    needs: ['runs:create', 'runs:read'],
    body: () => ({ mode: 'branch', fromSeq: 0 }),
    status: 201,
  },
  'POST /runs': {
    needs: ['runs:create'],
    body: ({ things }) => ({ workflowId: things['workflows/{workflowId}'] }),
    status: 201,
  },
  'GET /runs': runs,
  'GET /runs/{runId}': runs,
  'GET /runs/{runId}/events': runs,
  'GET /runs/{runId}/events/poll': { ...runs, query: () => 'timeout=1' },
  'GET /runs/{runId}/effects': runs,
  'GET /runs/{runId}:diff': { ...runs, query: (own) => `against=${runOf(own)}` },
  'GET /runs/{runId}/artifacts/{artifactId}': { needs: ['artifacts:read'], status: 404, needsNothingThere: true },
  'GET /host/effect-seams': { needs: ['manifest:read'] },
  'POST /runs/{runId}:fork': {
    needs: ['runs:create', 'runs:read'],
    body: () => ({ mode: 'branch', fromSeq: 0 }),
    status: 201,
  },
  'POST /runs/{runId}/interrupts/{nodeId}': {
    needs: ['approvals:respond'],
    body: () => ({ resumeValue: { action: 'no such action' } }),
    status: 400,
  },
  'GET /interrupts/{token}': { needs: 'nothing' },
  'POST /interrupts/{token}': {
    needs: 'nothing',
    body: () => ({ resumeValue: { action: 'no such action' } }),
    status: 400,
  },
  'POST /webhooks': {
    needs: ['webhooks:manage'],
    body: () => ({ url: 'https://hooks.example.com/', events: ['run.completed'] }),
    status: 201,
  },
  'POST /webhooks/{webhookId}/rotate-secret': { needs: ['webhooks:manage'], body: () => ({}) },
  'GET /webhooks/{webhookId}/dead-letters': { needs: ['webhooks:manage'] },
  'POST /runs/{runId}:pause': { ...cancel, body: () => ({}), status: 202 },
  'POST /runs/{runId}:resume': { ...cancel, body: () => ({}), status: 202 },
  'POST /v1/runs/{runId}:pause': { ...cancel, body: () => ({}), status: 202 },
  'POST /v1/runs/{runId}:resume': { ...cancel, body: () => ({}), status: 202 },
  'POST /v1/runs:bulk-cancel': { ...cancel, body: (own) => ({ runIds: [runOf(own)] }) },
  'POST /v1/runs/{runId}/cancel': { ...cancel, body: () => ({}) },
  'POST /runs:bulk-cancel': { ...cancel, body: (own) => ({ runIds: [runOf(own)] }) },
  // It has ended by now.
  'POST /runs/{runId}/cancel': { ...cancel, body: () => ({}), status: 409 },
  'POST /v1/runs/{runId}/interrupts/{nodeId}': {
    needs: ['approvals:respond'],
    body: () => ({ resumeValue: { action: 'no such action' } }),
    status: 400,
  },
  'GET /v1/host/colophon/runs/{runId}/interrupts/{nodeId}/token': { needs: ['approvals:respond'] },
  // The token in the path is the key.
  'GET /v1/interrupts/{token}': { needs: 'nothing' },
  'POST /v1/interrupts/{token}': {
    needs: 'nothing',
    body: () => ({ resumeValue: { action: 'no such action' } }),
    status: 400,
  },

  'GET /v1/host/colophon/webhooks/{webhookId}/dead-letters': { needs: ['webhooks:manage'] },
  'GET /v1/webhooks': { needs: ['webhooks:manage'] },
  'POST /v1/webhooks': {
    needs: ['webhooks:manage'],
    body: () => ({ url: 'https://hooks.example.com/', events: ['*'] }),
    status: 201,
  },
  'DELETE /v1/webhooks/{webhookId}': { needs: ['webhooks:manage'], status: 204 },
  // It is removed by now.
  'DELETE /webhooks/{webhookId}': { needs: ['webhooks:manage'], status: 404, needsNothingThere: true },

  'POST /v1/memories/add': {
    needs: ['memory:write'],
    body: ({ subject, service, canary }) => ({
      external_user_id: subject,
      infer: false,
      messages: [{ role: 'user', content: 'x' }],
      source: { service, event_id: `more-${canary}`, observed_at: '2026-01-01T00:00:00Z' },
    }),
    status: 202,
  },
  'POST /v1/memories/retrieve': { ...read, body: ({ subject }) => ({ external_user_id: subject, query: 'told' }) },
  'GET /v1/memories': { ...read, query: ({ subject }) => `external_user_id=${subject}` },
  'GET /v1/memories/{id}': read,
  'PATCH /v1/memories/{id}': { needs: ['memory:write'], body: () => ({ content: 'changed' }) },
  'DELETE /v1/memories/{id}': { needs: ['memory:delete'] },
  'GET /v1/memories/{id}/history': read,
  'GET /v1/memories/{id}/sources': read,
  'GET /v1/memories/jobs/{id}': read,
  'POST /v1/memories/jobs/{id}:retry': { needs: ['memory:write'], status: 409 },
  'GET /mem0/v1/ping': read,
  // The key cannot register the writer.
  'POST /mem0/v3/memories/add': {
    needs: ['memory:write'],
    body: ({ subject }) => ({ user_id: subject, infer: false, messages: 'x' }),
    status: 400,
  },
  'POST /mem0/v3/memories': { ...read, body: ({ subject }) => ({ filters: { user_id: subject } }) },
  'POST /mem0/v3/memories/search': {
    ...read,
    body: ({ subject }) => ({ query: 'told', filters: { user_id: subject } }),
  },
  'GET /mem0/v1/memories/{id}': read,
  'PUT /mem0/v1/memories/{id}': { needs: ['memory:write'], body: () => ({ text: 'changed' }) },
  // It is deleted by now.
  'DELETE /mem0/v1/memories/{id}': { needs: ['memory:delete'], status: 404, needsNothingThere: true },
  'DELETE /mem0/v1/memories': { needs: ['memory:delete'], query: ({ subject }) => `user_id=${subject}` },
  'GET /mem0/v1/memories/{id}/history': read,
  'GET /mem0/v1/entities': read,
  'GET /v1/tenant/service-writers': admin,
  'POST /v1/tenant/service-writers': {
    ...admin,
    body: ({ canary }) => ({ service_key: `more-${canary}` }),
    status: 201,
  },
  'PATCH /v1/tenant/service-writers/{id}': { ...admin, body: () => ({ display_name: 'changed' }) },
  'POST /v1/tenant/service-writers/{id}:reresolve': { ...admin, status: 202 },
  [`POST ${host}/writers/{id}:preview`]: { ...admin, body: () => ({ authority_rules: {} }) },
  [`POST ${host}/authority:preview`]: { ...admin, body: authorityOf },
  [`POST ${host}/authority`]: { ...admin, body: authorityOf, status: 202 },
  [`GET ${host}/quarantine`]: read,
  [`POST ${host}/quarantine/{id}:release`]: { ...admin, body: () => ({ reason: 'so it is' }), status: 400 },
  [`POST ${host}/quarantine/{id}:reject`]: { ...admin, body: () => ({ reason: 'so it is' }), status: 400 },
  [`GET ${host}/claims`]: read,
  [`GET ${host}/claims/{id}`]: read,
  [`GET ${host}/aliases`]: { ...read, query: ({ subject }) => `subject=${subject}` },
  [`PUT ${host}/aliases`]: {
    ...change,
    body: ({ subject }) => ({ subject, aliases: ['Bob'] }),
    needsNothingThere: true,
  },
  [`GET ${host}/timeline`]: { ...read, query: ({ subject }) => `subject=${subject}` },
  [`POST ${host}/claims/{id}:resolve`]: {
    ...admin,
    body: ({ things }) => ({ memoryId: things['memories/{id}'], reason: 'so it is' }),
  },
  [`POST ${host}/extract:preview`]: { ...read, body: () => ({ messages: [{ role: 'user', content: 'I like tea.' }] }) },
  [`POST ${host}/compactions`]: { ...admin, body: (own) => ({ memoryRef: refOf(own), dryRun: true }) },
  [`GET ${host}/compactions`]: { ...read, query: (own) => `memoryRef=${refOf(own)}` },
  [`GET ${host}/compactions/{id}`]: read,
  [`POST ${host}/compactions/{id}:undo`]: admin,
  [`POST ${host}/consolidations`]: { ...admin, body: (own) => ({ memoryRef: refOf(own), dryRun: true }) },
  [`POST ${host}/distillations`]: { ...admin, body: (own) => ({ memoryRef: refOf(own), dryRun: true }) },
  [`GET ${host}/distillations`]: { ...read, query: (own) => `memoryRef=${refOf(own)}` },
  [`GET ${host}/distillations/{id}`]: read,
  [`POST ${host}/distillations/{id}:undo`]: admin,
  [`GET ${host}/commitments`]: { ...read, query: (own) => `memoryRef=${refOf(own)}` },
  [`POST ${host}/commitments`]: {
    needs: ['memory:write'],
    body: (own) => ({ memoryRef: refOf(own), intention: own.canary, at: inAnHour() }),
    status: 201,
    needsNothingThere: true,
  },
  [`GET ${host}/commitments/{id}`]: read,
  [`PATCH ${host}/commitments/{id}`]: { ...change, body: () => ({ at: inAnHour() }) },
  [`POST ${host}/commitments/{id}:cancel`]: change,
  [`GET ${host}/heartbeats`]: read,
  [`POST ${host}/heartbeats`]: {
    needs: ['memory:write', 'memory:read'],
    body: (own) => ({ predicate: 'count', memoryRef: refOf(own), intervalSec: 60 }),
    status: 201,
    needsNothingThere: true,
  },
  [`PATCH ${host}/heartbeats/{id}`]: { ...change, body: () => ({ intervalSec: 600 }) },
  [`POST ${host}/heartbeats/{id}:pause`]: change,
  [`POST ${host}/heartbeats/{id}:resume`]: change,
  [`DELETE ${host}/heartbeats/{id}`]: { needs: ['memory:write'] },
  [`POST ${host}/forget`]: {
    ...admin,
    body: ({ canary }) => ({ tag: canary, reason: 'test', dryRun: true }),
    needsNothingThere: true,
  },
  [`GET ${host}/forget`]: admin,
  [`GET ${host}/forget/{id}`]: admin,
  [`POST ${host}/containments`]: {
    ...admin,
    body: ({ canary }) => ({ agent: canary, dryRun: true }),
    needsNothingThere: true,
  },
  [`GET ${host}/containments`]: admin,
  [`GET ${host}/containments/{id}`]: admin,
  [`POST ${host}/containments/{id}:release`]: admin,

  'GET /v1/host/workspace/files': { needs: ['workspace:read'] },
  'PUT /v1/host/workspace/files/{path}': {
    needs: ['workspace:write'],
    body: ({ canary }) => ({ content: canary }),
    needsNothingThere: true,
  },
  'GET /v1/host/workspace/files/{path}': { needs: ['workspace:read'] },
  'DELETE /v1/host/workspace/files/{path}': { needs: ['workspace:write'], status: 204 },

  'GET /v1/agents': runs,
  [`GET ${host}/agents`]: runs,
  'GET /v1/agents/{agentId}': runs,
  'GET /agents': runs,
  'GET /agents/{agentId}': runs,
  [`POST ${host}/agents`]: {
    ...admin,
    body: ({ canary }) => ({
      agentId: `local.more.${canary}`,
      persona: 'It',
      modelClass: 'general',
      systemPrompt: 'Be.',
    }),
    status: 201,
  },
  [`DELETE ${host}/agents/{id}`]: admin,
}
