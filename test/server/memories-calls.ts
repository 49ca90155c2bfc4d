import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { assertProvenanceError } from '../support/envelope.ts'
import type { Answer, Call, Env, TestServer } from '../support/server.ts'

export const host = '/v1/host/colophon'
export const writers = '/v1/tenant/service-writers'
export const sources = '/v1/tenant/source-events'

export type Message = {
  readonly role?: string
  readonly content: string
  readonly category?: string
  readonly claim_key?: string
  readonly confidence?: number
}

export type AddOptions = {
  readonly service?: string | null
  readonly eventId?: string
  readonly observedAt?: string
  readonly claim?: string | null
  readonly category?: string
  readonly confidence?: number
  readonly headers?: Env
  /** Further members of the body, or of `source`. */
  readonly body?: object
  readonly source?: object
}

let events = 0

/** A body for `add` that needs no extractor: one message about one claim. */
export function addBody(user: string, content: string, options: AddOptions = {}) {
  const { service = 'chat', claim = 'ui.theme', category = 'preference', confidence } = options
  const { eventId = `evt-${++events}`, observedAt = '2026-01-01T00:00:00Z' } = options
  const message = {
    role: 'user',
    content,
    category,
    ...(claim === null ? {} : { claim_key: claim }),
    ...(confidence === undefined ? {} : { confidence }),
  }
  return {
    external_user_id: user,
    infer: false,
    messages: [message],
    ...(service === null ? {} : { source: { service, event_id: eventId, observed_at: observedAt, ...options.source } }),
    ...options.body,
  }
}

/** What tests about memories do again and again. */
export function memoriesOf(call: Call) {
  const job = async (id: string) => (await call('GET', `/v1/memories/jobs/${id}`)).body
  async function done(id: string) {
    for (const until = Date.now() + 60_000; Date.now() < until; await delay(5)) {
      const found = await job(id)
      if (found.status === 'completed' || found.status === 'dead') return found
    }
    throw new Error('The job did not end.')
  }
  async function writer(service_key: string, priority = 50, more: object = {}) {
    const made = await call('POST', writers, {
      service_key,
      authority_rules: { default_priority: priority },
      ...more,
    })
    assert.equal(made.status, 201, made.text)
    return made.body
  }
  const add = (body: unknown, headers?: Env) => call('POST', '/v1/memories/add', body, headers)
  /** Adds messages and waits until memories were made of them. */
  async function ingest(user: string, content: string, options: AddOptions = {}) {
    const answer = await add(addBody(user, content, options), options.headers)
    assert.equal(answer.status, 202, answer.text)
    const ended = await done(answer.body.job_id)
    assert.equal(ended.status, 'completed', JSON.stringify(ended))
    return { ...answer.body, job: ended }
  }
  async function list(user: string, query: Env = {}) {
    const search = new URLSearchParams({ external_user_id: user, limit: '50', ...query })
    const page = await call('GET', `/v1/memories?${search}`)
    assert.equal(page.status, 200, page.text)
    return page.body.data
  }
  const all = (user: string) => list(user, { include_superseded: 'true' })
  /** The one memory that is active. */
  async function winner(user: string) {
    const found = await list(user)
    assert.equal(found.length, 1, JSON.stringify(found))
    return found[0]
  }
  const claim = async (user: string) =>
    (await call('GET', `${host}/claims?subject=${encodeURIComponent(user)}`)).body.claims[0]
  /** What a call that is refused must not change: everything that counts, and everything that is counted. */
  async function state() {
    const paths = [`${host}/audit?limit=1`, sources, `${host}/claims`, writers, `${host}/jobs`, `${host}/memory`]
    const answers = await Promise.all(paths.map((path) => call('GET', path)))
    for (const answer of answers) assert.equal(answer.status, 200, answer.text)
    return answers.map(({ text }) => text)
  }
  return { call, job, done, writer, add, ingest, list, all, winner, claim, state }
}

export type Memories = ReturnType<typeof memoriesOf>

export const contents = (memories: readonly { content: string }[]) => memories.map(({ content }) => content)

/** The status, the error and the code that the specification names for a refusal. */
export function assertRefused(answer: Answer, status: number, code: string, error?: string): void {
  assertProvenanceError(answer, status, error)
  assert.equal(answer.body.code, code, answer.text)
  assert.match(answer.body.request_id, /^req_/)
}

/** A tenant with two writers, and what suites about reading ask of it. */
export async function prepareReading(server: TestServer) {
  const tenant = await server.tenant()
  const memories = memoriesOf(tenant.call)
  await memories.writer('chat', 50)
  await memories.writer('crm', 80)
  const position = async () => (await tenant.call('GET', `${host}/audit`)).body.head.position as number
  const retrieve = async (body: object) => {
    const answer = await tenant.call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', ...body })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  return { ...memories, ...tenant, position, retrieve }
}
