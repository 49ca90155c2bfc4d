// A small host for the tests of this suite. Without a fault it does right what most scenarios ask; with one it does one
// thing wrong, so that the tests can show which scenario notices.
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject, RunEventDoc } from '../harness.ts'
import type { StubRun } from './engine.ts'
import { createEngine } from './engine.ts'
import type { Fault } from './faults.ts'
import { handleRun } from './run-routes.ts'
import { definitionOf, workflows } from './workflows.ts'

export const stubKeys = {
  a: 'stub-key-of-tenant-a',
  b: 'stub-key-of-tenant-b',
  low: 'stub-key-low',
  revoked: 'stub-key-gone',
}
const tenants: Record<string, string> = { [stubKeys.a]: 'a', [stubKeys.b]: 'b', [stubKeys.low]: 'a' }

type Webhook = {
  readonly url: string
  readonly secret: string
  readonly tenant: string
  readonly events: readonly string[]
}

export type Reply = { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
export type Stub = {
  readonly fault: Fault | null
  readonly engine: ReturnType<typeof createEngine>
  readonly runs: Map<string, StubRun>
}
/** A reply to send, or null when the response was taken over. */
export type Call = {
  readonly method: string
  readonly url: URL
  readonly raw: string
  readonly tenant: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export const refuse = (status: number, error: string, details?: JsonObject): Reply => ({
  status,
  body: { error, message: `refused: ${error}`, ...(details ? { details } : {}) },
})

export function parseBody(raw: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(raw === '' ? '{}' : raw)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}

export async function startStubHost(fault: Fault | null = null): Promise<{ url: string; close: () => Promise<void> }> {
  const webhooks = new Map<string, Webhook>()
  const replies = new Map<string, { raw: string; reply: Promise<Reply | null> }>()
  const stub: Stub = { fault, engine: createEngine(fault, deliver), runs: new Map() }

  function deliver(run: StubRun, event: RunEventDoc): void {
    const raw = JSON.stringify({ runId: run.runId, type: event.type, event })
    for (const [webhookId, { url, secret, tenant, events }] of webhooks) {
      if (tenant !== run.tenant || !events.includes(event.type)) continue
      const timestamp = String(Math.floor(Date.now() / 1000))
      const signed = fault === 'unsigned-body' ? timestamp : `${timestamp}.${raw}`
      const headers = {
        'Content-Type': 'application/json',
        'X-openwop-Webhook-Id': webhookId,
        'X-openwop-Event-Type': event.type,
        'X-openwop-Timestamp': timestamp,
        'X-openwop-Signature': `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`,
        'X-openwop-Signature-Algorithm': 'v1',
      }
      void fetch(url, { method: 'POST', headers, body: raw }).catch(() => {})
    }
  }

  function register(body: JsonObject | null, tenant: string): Reply {
    const events = body?.events as readonly string[] | undefined
    if (typeof body?.url !== 'string' || !events?.length) return refuse(400, 'validation_error')
    if (!URL.canParse(body.url) || body.url.includes('169.254')) return refuse(400, 'webhook_url_rejected')
    if (body.tenantId !== undefined && body.tenantId !== tenant) return refuse(403, 'tenant_membership_required')
    const webhookId = randomUUID()
    const secret = randomBytes(32).toString('hex')
    webhooks.set(webhookId, { url: body.url, secret, tenant, events })
    const secretFingerprint = createHash('sha256').update(secret).digest('hex').slice(0, 8)
    return { status: 201, body: { webhookId, secret, secretFingerprint } }
  }

  function unregister(id: string, { url, tenant }: Call): Reply {
    const named = url.searchParams.get('tenantId') ?? tenant
    if (webhooks.get(id)?.tenant !== tenant || named !== tenant) return refuse(404, 'subscription_not_found')
    webhooks.delete(id)
    return { status: 204 }
  }

  async function route(call: Call): Promise<Reply | null> {
    const { method, url, raw, tenant } = call
    const [first, area, name = ''] = url.pathname.split('/').slice(1)
    if (first !== 'v1') return refuse(400, 'validation_error')
    if (area === 'workflows')
      return workflows[name] ? { status: 200, body: definitionOf(name) } : refuse(404, 'not_found')
    if (area === 'webhooks') return method === 'POST' ? register(parseBody(raw), tenant) : unregister(name, call)
    if (area === 'runs' || area === 'interrupts' || area === 'runs:bulk-cancel') return handleRun(stub, call)
    return refuse(404, 'not_found')
  }

  /** The first answer to a key is the answer to all its repetitions. */
  async function idempotent(call: Call): Promise<Reply | null> {
    const key = call.request.headers['idempotency-key']
    if (typeof key !== 'string' || call.method === 'GET' || fault === 'key-ignored') return route(call)
    const name = `${call.tenant} ${call.url.pathname} ${key}`
    const before = replies.get(name)
    if (before === undefined) {
      const reply = route(call)
      replies.set(name, { raw: call.raw, reply })
      if (((await reply)?.status ?? 0) === 400) replies.delete(name)
      return reply
    }
    const reply = (await before.reply) ?? refuse(500, 'internal_error')
    if (before.raw === call.raw) return { ...reply, headers: { 'openwop-Idempotent-Replay': 'true' } }
    const refusal = refuse(409, 'idempotency_key_mismatch')
    if (fault !== 'mismatch-returns-run') return refusal
    return { status: 409, body: { ...(refusal.body as JsonObject), ...(reply.body as JsonObject) } }
  }

  async function answer(request: IncomingMessage, response: ServerResponse, raw: string): Promise<Reply | null> {
    const url = new URL(request.url ?? '/', 'http://stub')
    if (url.pathname === '/.well-known/openwop') {
      const headers = fault === 'no-cache-control' ? {} : { 'Cache-Control': 'public, max-age=300' }
      return { status: 200, body: discovery, headers: headers as Record<string, string> }
    }
    if (url.pathname === '/v1/openapi.json') return { status: 200, body: { openapi: '3.1.0' } }
    const key = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const tenant = url.pathname.startsWith('/v1/interrupts/') ? 'a' : tenants[key]
    if (tenant === undefined) {
      const message = fault === 'bearer-echoed' ? `no such key: ${key}` : 'no valid key'
      return { status: fault === 'forbidden-instead-of-401' ? 403 : 401, body: { error: 'unauthenticated', message } }
    }
    const call = { method: request.method ?? 'GET', url, raw, tenant, request, response }
    if (key === stubKeys.low && call.method === 'POST' && fault !== 'scopes-ignored') return refuse(403, 'forbidden')
    return idempotent(call)
  }

  function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
    const { error, message } = (body ?? {}) as JsonObject
    let shown = body
    if (status >= 400 && fault === 'nested-error') shown = { error: { code: error, message } }
    if (status >= 400 && fault === 'extra-error-field') shown = { ...(body as JsonObject), correlationId: 'x' }
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(body === undefined ? undefined : JSON.stringify(shown))
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const reply = await answer(request, response, Buffer.concat(chunks).toString('utf8'))
      if (reply !== null) send(response, reply)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const run of stub.runs.values()) stub.engine.end(run, 'cancelled', {})
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const discovery = {
  protocolVersion: '1.0',
  implementation: { name: 'stub', version: '1', vendor: 'test' },
  supportedEnvelopes: ['clarification.request'],
  schemaVersions: {},
  limits: { clarificationRounds: 0, schemaRounds: 0, envelopesPerTurn: 0, maxRunDurationMs: 3_600_000 },
  fixtures: Object.keys(workflows),
  replay: { supported: true, modes: ['replay', 'branch'], sideEffectSuppression: 'recorded-outcome' },
  debugBundle: { supported: true },
  webhooks: { supported: true, signatureAlgorithms: ['v1'] },
  runs: { pauseResume: { supported: true, drainPolicies: ['drain-current-node', 'immediate'] } },
}
