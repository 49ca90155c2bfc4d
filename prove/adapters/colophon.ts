import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mainProgram } from '../../test/support/server-process.ts'
import type { Place } from '../place.ts'
import type { Key, Memory, Product, Scope, Seen, Session, Trace } from '../product.ts'
import { startServerProcess } from '../server-process.ts'
import { logCalls } from './colophon-log.ts'
import { storedTables } from './colophon-tables.ts'
import { retelling, withoutSource } from './colophon-trust.ts'

/** Colophon as operators run it: a server process, called over HTTP with a key per tenant. */

const host = '/v1/host/colophon'
const operatorKey = 'operator-key-of-the-benchmark'
const service = 'benchmark'
const deadlineMs = 60_000

/** Keys outlive the process that made them. */
const keysAt = new WeakMap<Place, Map<string, Promise<string>>>()

/** Ids of entries that are edited, by the key of the edit: its retry names the same entry. */
const editedAt = new WeakMap<Place, Map<string, Promise<string>>>()

// biome-ignore lint/suspicious/noExplicitAny: the route decides the shape of a response, and a wrong one is a failure here.
type Answer = any

const refOf = (scope: Scope) => `subject:${scope.user}`
const entriesPath = (scope: Scope) => `${host}/memory/${encodeURIComponent(refOf(scope))}/entries`
const notesOf = (scope: Scope) => `notes/${scope.user}`
const notesPath = (scope: Scope) => `${host}/memory/${encodeURIComponent(notesOf(scope))}/entries`
const memoryOf = ({ id, content }: { id: string; content: string }): Memory => ({ id, text: content })

const messagesOf = (text: string, claim?: string) => [
  { role: 'user', content: text, ...(claim === undefined ? {} : { claim_key: claim }) },
]

/** RFC 8785 for what is sent here: members in order, and strings as JSON writes them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

/** Reads, waits for an event, reads again, and writes what it read. */
const workflow = {
  id: 'reader',
  name: 'Reads twice',
  version: '1.0.0',
  nodes: [
    { id: 'first', typeId: 'colophon.memory.list', config: { memoryRef: '{{inputs.ref}}', limit: 500, into: 'first' } },
    { id: 'wait', typeId: 'core.approvalGate', config: {} },
    {
      id: 'second',
      typeId: 'colophon.memory.list',
      config: { memoryRef: '{{inputs.ref}}', limit: 500, into: 'second' },
    },
    {
      id: 'note',
      typeId: 'colophon.memory.put',
      config: { memoryRef: 'subject:notes', content: 'It read.', into: 'noted' },
    },
  ].map((node) => ({ name: node.id, position: { x: 0, y: 0 }, inputs: {}, ...node })),
  edges: [
    ['first', 'wait'],
    ['wait', 'second'],
    ['second', 'note'],
  ].map(([from, to]) => ({ id: `${from}-${to}`, sourceNodeId: from, targetNodeId: to })),
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
}

/** Reads everything under a ref, then writes a note. */
const noter = {
  ...workflow,
  id: 'noter',
  name: 'noter',
  nodes: [
    { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: '{{inputs.ref}}', into: 'found' } },
    {
      id: 'write',
      typeId: 'colophon.memory.put',
      config: { memoryRef: '{{inputs.notes}}', content: '{{inputs.text}}' },
    },
  ].map((node) => ({ name: node.id, position: { x: 0, y: 0 }, inputs: {}, ...node })),
  edges: [{ id: 'read-write', sourceNodeId: 'read', targetNodeId: 'write' }],
}

function product(storage: 'SQLite' | 'PostgreSQL'): Product {
  return {
    id: `colophon-${storage.toLowerCase()}`,
    name: `Colophon on ${storage}`,
    version: () =>
      (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version,
    configuration: `colophon serve, ${storage}, default settings but for summaries (of few and young notes), over HTTP, one key per tenant`,
    needsPostgres: storage === 'PostgreSQL',
    notOffered: {},
    open,
    record: storedTables(storage === 'SQLite' ? 'row_id' : 'nth'),
  }
}

export const colophonOnSqlite = product('SQLite')
export const colophonOnPostgres = product('PostgreSQL')

async function open(place: Place): Promise<Session> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('COLOPHON_'))
  const env = {
    ...Object.fromEntries(inherited),
    COLOPHON_PORT: '0',
    COLOPHON_DATA_DIR: join(place.folder, 'data'),
    COLOPHON_OPERATOR_KEY: operatorKey,
    COLOPHON_BOOTSTRAP_KEY: 'bootstrap-key-of-the-benchmark',
    COLOPHON_LOG_LEVEL: 'error',
    ...(place.databaseUrl === null ? {} : { COLOPHON_DATABASE_URL: place.databaseUrl }),
  }
  const { url, end } = await startServerProcess([mainProgram, 'serve'], env, /^colophon listening on (http:\/\/\S+)$/)
  const keys = keysAt.get(place) ?? new Map<string, Promise<string>>()
  keysAt.set(place, keys)
  const edited = editedAt.get(place) ?? new Map<string, Promise<string>>()
  editedAt.set(place, edited)

  /** Any response, as received. */
  async function ask(key: string, method: string, path: string, body?: unknown, idempotencyKey?: string) {
    const response = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(deadlineMs),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
  async function send(
    key: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Answer }> {
    const { status, text } = await ask(key, method, path, body)
    if (status >= 400 && status !== 404) throw new Error(`${method} ${path}: ${status} ${text}`)
    return { status, body: text === '' ? null : JSON.parse(text) }
  }

  /** A tenant with what the benchmark needs, created on first use. */
  async function createTenant(tenant: string): Promise<string> {
    const { body } = await send(operatorKey, 'POST', `${host}/tenants`, { id: tenant })
    const key = body.key.key as string
    await send(key, 'POST', '/v1/tenant/service-writers', { service_key: service })
    for (const document of [workflow, retelling, noter]) await send(key, 'POST', `${host}/workflows`, document)
    await send(key, 'PATCH', '/v1/tenant/settings', { compaction: { keep_newest: 0, min_entries: 2, min_age_days: 0 } })
    return key
  }
  function keyOfTenant(tenant: string): Promise<string> {
    const key = keys.get(tenant) ?? createTenant(tenant)
    keys.set(tenant, key)
    return key
  }
  async function call(tenant: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await send(await keyOfTenant(tenant), method, path, body)
    return answer.status === 404 ? null : answer.body
  }

  /** An entry about the person that can be edited, the same one for every retry. */
  function entryToEdit(scope: Scope, key: string): Promise<string> {
    const name = `${scope.tenant} ${key}`
    const entry = { content: 'To be changed.', subject: scope.user }
    const known = edited.get(name) ?? call(scope.tenant, 'POST', notesPath(scope), entry).then(({ id }) => id as string)
    edited.set(name, known)
    return known
  }

  /** Keys beside the one of the tenant: of bound services, and an unrelated one. */
  const others = new Map<string, Promise<string>>()
  const keyOf = (tenant: string, name: string) => {
    const known = others.get(`${tenant} ${name}`)
    if (known) return known
    const made = createKey(tenant, name).then(({ key }) => key)
    others.set(`${tenant} ${name}`, made)
    return made
  }
  const createKey = (tenant: string, name: string): Promise<{ id: string; key: string }> =>
    call(tenant, 'POST', `${host}/keys`, { name, scopes: ['memory:read', 'memory:write'] })
  const unrelated = 'unrelated'

  async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
    for (const deadline = Date.now() + deadlineMs; Date.now() < deadline; await delay(20)) {
      const found = await look()
      if (found !== null) return found
    }
    throw new Error(`It did not come about that ${what}.`)
  }
  /** Tenants that may have jobs to do: after a start, all of them. */
  const pending = new Set(keys.keys())
  /** One after the other: a job that changes its status in between is listed under one of them. */
  const settled = (tenant: string) =>
    until('all jobs were done', async () => {
      for (const status of ['queued', 'leased', 'queued']) {
        const { jobs } = await call(tenant, 'GET', `${host}/jobs?status=${status}`)
        if (jobs.some(({ kind }: { kind: string }) => kind !== 'colophon.run')) return null
      }
      return true
    })
  const done = (tenant: string, jobId: string) =>
    until('the job was done', async () => {
      const { status } = await call(tenant, 'GET', `${host}/jobs/${jobId}`)
      if (status === 'dead') throw new Error('The job was given up.')
      return status === 'completed' || null
    })

  async function pages(tenant: string, path: string, member: string): Promise<Answer[]> {
    const found: Answer[] = []
    for (let cursor = ''; ; ) {
      const page = await call(tenant, 'GET', `${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      found.push(...page[member])
      cursor = page.cursor ?? ''
      if (cursor === '') return found
    }
  }
  const runWhen = (tenant: string, runId: string, statuses: readonly string[]) =>
    until(`the run is ${statuses}`, async () => {
      const run = await call(tenant, 'GET', `/v1/runs/${runId}`)
      return statuses.includes(run.status) ? run : null
    })
  async function seenBy(tenant: string, runId: string): Promise<Seen> {
    const { variables, nodeStates } = await runWhen(tenant, runId, ['completed', 'failed', 'cancelled'])
    return { seen: (variables.second ?? []).map(memoryOf), recorded: { variables, nodes: Object.keys(nodeStates) } }
  }

  /** A refusal is a valid response here. */
  async function askForKey(tenant: string, by: Key | null, path: string, body: object, name?: string) {
    const { status, text } = await ask(by?.secret ?? (await keyOfTenant(tenant)), 'POST', path, body, name)
    if (status === 403 || status === 404) return null
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`)
    const { id, key, scopes, expiresAt = null } = JSON.parse(text) as Answer
    return { id, secret: key, rights: scopes, endsAt: expiresAt }
  }

  async function trace({ tenant }: Scope, id: string): Promise<Trace[]> {
    const { data } = await call(tenant, 'GET', `/v1/memories/${id}/sources`)
    return data.map(({ event_id, payload_hash }: Answer) => ({
      event: event_id,
      sha256: payload_hash.replace(/^sha256:/, ''),
    }))
  }

  return {
    async ingest({ scope, event, text, service: by = service, claim, observedAt = '2026-01-01T00:00:00Z' }) {
      pending.add(scope.tenant)
      const body = {
        external_user_id: scope.user,
        infer: false,
        messages: messagesOf(text, claim),
        source: { service: by, event_id: event, observed_at: observedAt },
      }
      const own = others.get(`${scope.tenant} ${by}`)
      if (own) await send(await own, 'POST', '/v1/memories/add', body)
      else await call(scope.tenant, 'POST', '/v1/memories/add', body)
    },
    async ingestFromTool(event) {
      pending.add(event.scope.tenant)
      await call(event.scope.tenant, 'POST', '/v1/memories/add', withoutSource(event, { trust: 'untrusted' }))
    },
    noteFromTool: async (scope, text) =>
      (await call(scope.tenant, 'POST', notesPath(scope), { content: text, trust: 'untrusted' })).id,
    async ingestAs({ secret }, event) {
      pending.add(event.scope.tenant)
      await send(secret, 'POST', '/v1/memories/add', withoutSource(event))
    },
    async retell(scope, id) {
      const inputs = { ref: notesOf(scope), id }
      const { runId } = await call(scope.tenant, 'POST', '/v1/runs', { workflowId: retelling.id, inputs })
      await runWhen(scope.tenant, runId, ['completed'])
    },
    async bind(tenant, name) {
      const { id, key } = await createKey(tenant, name)
      await call(tenant, 'POST', '/v1/tenant/service-writers', { service_key: name, api_key_id: id })
      others.set(`${tenant} ${name}`, Promise.resolve(key))
    },
    async edit({ tenant }, id, text, by) {
      await send(await keyOf(tenant, by ?? unrelated), 'PATCH', `/v1/memories/${id}`, { content: text })
    },
    credits: async ({ tenant, user }) =>
      (
        await pages(
          tenant,
          `/v1/memories?limit=50&include_superseded=true&external_user_id=${encodeURIComponent(user)}`,
          'data',
        )
      ).map((memory) => ({ ...memoryOf(memory), service: memory.provenance?.service ?? null })),
    async settle() {
      const tenants = [...pending]
      pending.clear()
      await Promise.all(tenants.map(settled))
    },
    list: async ({ tenant, user }) =>
      (await pages(tenant, `/v1/memories?limit=50&external_user_id=${encodeURIComponent(user)}`, 'data')).map(memoryOf),
    search: async ({ tenant, user }, query) =>
      (await call(tenant, 'POST', '/v1/memories/retrieve', { external_user_id: user, query, limit: 50 })).data.map(
        memoryOf,
      ),
    async get(scope, id) {
      const found = await call(scope.tenant, 'GET', `${entriesPath(scope)}/${id}`)
      return found === null ? null : memoryOf(found)
    },
    change: async ({ tenant }, id, text) => void (await call(tenant, 'PATCH', `/v1/memories/${id}`, { content: text })),
    remove: async ({ tenant }, id) => void (await call(tenant, 'DELETE', `/v1/memories/${id}`)),
    async beginRun(scope) {
      const { runId } = await call(scope.tenant, 'POST', '/v1/runs', {
        workflowId: 'reader',
        inputs: { ref: refOf(scope) },
      })
      const { variables } = await runWhen(scope.tenant, runId, ['waiting-approval'])
      return { id: runId, seen: variables.first.map(memoryOf) }
    },
    readInRun: async (scope, { id }) =>
      (await call(scope.tenant, 'GET', `${entriesPath(scope)}?limit=500&runId=${id}`)).entries.map(memoryOf),
    async endRun({ tenant }, { id }) {
      await call(tenant, 'POST', `/v1/runs/${id}/interrupts/wait`, { resumeValue: { action: 'accept' } })
      return seenBy(tenant, id)
    },
    async replay({ tenant }, { id }) {
      const { runId } = await call(tenant, 'POST', `/v1/runs/${id}:fork`, { fromSeq: 0, mode: 'replay' })
      return seenBy(tenant, runId)
    },
    async rank(tenant, key, priority) {
      await call(tenant, 'POST', '/v1/tenant/service-writers', {
        service_key: key,
        authority_rules: { default_priority: priority },
      })
    },
    rights: async () => ['keys:manage', 'memory:read', 'memory:write', 'memory:delete', 'audit:read'],
    async makeKey(tenant, by, { rights, endsAt }) {
      const expiresAt = endsAt ?? undefined
      return askForKey(tenant, by, `${host}/keys`, { name: 'of the benchmark', scopes: rights, expiresAt })
    },
    replaceKey: (tenant, by, id, name) =>
      askForKey(tenant, by, `${host}/keys/${id}:rotate`, { overlapMs: 3_600_000 }, name),
    revokeKey: async (tenant, id) => void (await call(tenant, 'DELETE', `${host}/keys/${id}`)),
    async knowSecret(tenant, id, value) {
      await call(tenant, 'PUT', `${host}/secrets/${id}`, { value })
      // Stored texts are redacted again on request.
      const { jobId } = await call(tenant, 'POST', `${host}/redactions`, {})
      await done(tenant, jobId)
    },
    note: async (scope, text) => (await call(scope.tenant, 'POST', notesPath(scope), { content: text })).id,
    notes: async (scope) => (await pages(scope.tenant, `${notesPath(scope)}?limit=500`, 'entries')).map(memoryOf),
    async summarise(scope) {
      const { jobId } = await call(scope.tenant, 'POST', `${host}/compactions`, { memoryRef: notesOf(scope) })
      await done(scope.tenant, jobId)
    },
    madeOf: async (scope, id) =>
      (await call(scope.tenant, 'GET', `${notesPath(scope)}/${id}/colophon`)).derivedFrom?.sourceIds ?? [],
    trace,
    fingerprint: async (event) =>
      createHash('sha256')
        .update(canonical(messagesOf(event.text, event.claim)))
        .digest('hex'),
    async writesOf(scope, text, key) {
      const { tenant, user } = scope
      const entry = { content: text, subject: user }
      const others = { content: 'Something about another person.' }
      const source = { service, event_id: `event-${key}`, observed_at: '2026-01-01T00:00:00Z' }
      const sent = { external_user_id: user, infer: false, messages: messagesOf(text) }
      const writes = {
        put: ['POST', notesPath(scope), entry],
        batch: ['POST', `${notesPath(scope)}:batch`, { entries: [others, entry] }],
        add: ['POST', '/v1/memories/add', sent],
        event: ['POST', '/v1/memories/add', { ...sent, source }],
      } as const
      const retriable = (kind: string, method: string, pathOf: () => Promise<string>, body: unknown) => ({
        kind,
        async send() {
          pending.add(tenant)
          const path = await pathOf()
          const { status, text: answer } = await ask(await keyOfTenant(tenant), method, path, body, `${key}-${kind}`)
          return { isTaken: status < 300, answer }
        },
      })
      return [
        ...Object.entries(writes).map(([kind, [method, path, body]]) =>
          retriable(kind, method, async () => path, body),
        ),
        retriable('edit', 'PATCH', async () => `/v1/memories/${await entryToEdit(scope, key)}`, { content: text }),
      ]
    },
    async hostile(tenant, scale) {
      const key = await keyOfTenant(tenant)
      const strike = (name: string, path: string, body: unknown) => ({
        name,
        send: async () => ({ isBroken: (await ask(key, 'POST', path, body)).status >= 500 }),
      })
      const batch = (unit: string) => ({
        entries: Array.from({ length: 20 * scale }, (_, n) => ({
          content: `${n} ${unit.repeat(60_000 / unit.length)}`,
        })),
      })
      const texts = ['api_key=', 'pass:', ' -U'].slice(0, scale)
      return [
        ...texts.map((unit) => strike(`a batch of ${unit}`, `${host}/memory/hostile/entries:batch`, batch(unit))),
        strike('the inputs of a run', '/v1/runs', { workflowId: 'reader', inputs: { ref: 'pass:'.repeat(200_000) } }),
      ]
    },
    contain: async (tenant, service) =>
      (await call(tenant, 'POST', `${host}/containments`, { writer: service })).id as string,
    release: async (tenant, id) => void (await call(tenant, 'POST', `${host}/containments/${id}:release`)),
    async writeInRun(scope, text) {
      const inputs = { ref: refOf(scope), notes: notesOf(scope), text }
      const { runId } = await call(scope.tenant, 'POST', '/v1/runs', { workflowId: 'noter', inputs })
      await runWhen(scope.tenant, runId, ['completed'])
    },
    async forget({ tenant, user }) {
      const { id } = await call(tenant, 'POST', `${host}/forget`, { subject: user, reason: 'asked to' })
      await until('it is forgotten', async () => {
        const { status } = await call(tenant, 'GET', `${host}/forget/${id}`)
        if (status === 'failed') throw new Error('The forget failed.')
        return status === 'completed' || null
      })
    },
    verify: async (tenant) => (await call(tenant, 'GET', '/v1/audit/verify?contents=true')).chainValid,
    ...logCalls({ url, place, keyOf: keyOfTenant }, ask),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}
