import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { memoriesOf } from '../server/memories-calls.ts'
import { chain, gate, host, register, startRun, until } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import type { Answer, Call, Tenant } from '../support/server.ts'

export const forgetPath = `${host}/forget`

/** A text that is nowhere else, so that any trace of it is found. */
const planted = (what: string) => `${what}-${randomBytes(12).toString('hex')}`

export async function forgotten(call: Call, body: object) {
  const started = await call('POST', forgetPath, { reason: 'on request', ...body })
  assert.equal(started.status, 202, started.text)
  return waited(call, started.body.id)
}

export async function waited(call: Call, id: string) {
  const seen = async () => (await call('GET', `${forgetPath}/${id}`)).body
  await eventually('the forget is done', async () => {
    const { status } = await seen()
    assert.notEqual(status, 'failed')
    return status === 'completed'
  })
  return seen()
}

export async function counted(call: Call, body: object) {
  const answer = await call('POST', forgetPath, { reason: 'on request', ...body, dryRun: true })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.counts
}

const memoryOf = (call: Call) => ({
  put: async (ref: string, content: string, more: object = {}) => {
    const answer = await call('POST', `${host}/memory/${encodeURIComponent(ref)}/entries`, { content, ...more })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  },
  entries: async (ref: string, query = '') =>
    (await call('GET', `${host}/memory/${encodeURIComponent(ref)}/entries${query}`)).body.entries as {
      id: string
      content: string
    }[],
})

/** Reads a ref into a variable and writes something of it elsewhere; with a gate in between, it waits there. */
const reader = (id: string, isHeld = false) =>
  chain(id, [
    { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: '{{inputs.ref}}', into: 'found' } },
    ...(isHeld ? [gate()] : []),
    {
      id: 'write',
      typeId: 'colophon.memory.put',
      config: { memoryRef: 'derived', content: 'I know: {{variables.found.0.content}}', into: 'wrote' },
    },
  ])

/** A subject with data of every kind, in texts that can be found again, beside a subject that stays. */
export async function person(tenant: Tenant, name: string) {
  const { call } = tenant
  const memories = memoriesOf(call)
  const { put, entries } = memoryOf(call)
  const texts = {
    ingested: planted('ingested'),
    edited: planted('edited'),
    noted: planted('noted'),
    tag: planted('tag'),
    event: planted('evt'),
    scope: planted('session'),
  }
  // A ref that a client chose is not the subject's name, and stays.
  const ref = planted('ref')
  const said = await memories.ingest(name, `${texts.ingested} loves tea`, {
    eventId: texts.event,
    source: { scope: { session_id: texts.scope } },
  })
  const memory = await memories.winner(name)
  await call('PATCH', `/v1/memories/${memory.id}`, { content: `${texts.edited} by hand`, reason: 'It was wrong.' })
  const note = await put(ref, `${texts.noted} in a note`, { subject: name, tags: [texts.tag] })
  await call('PUT', `${host}/secrets/s${memory.id.slice(-8)}`, {
    value: planted('value'),
    scope: 'user',
    userId: name,
  })
  const ended = await startRun(call, 'reader', { inputs: { ref: `subject:${name}` } })
  await until(call, ended, 'completed', ({ status }) => status === 'completed')
  const held = await startRun(call, 'held', { inputs: { ref } })
  await until(call, held, 'waits', ({ status }) => status === 'waiting-approval')
  return { ...memories, put, entries, name, ref, texts, said, memory, note, ended, held }
}

export async function prepare(tenant: Tenant): Promise<void> {
  await memoriesOf(tenant.call).writer('chat', 50)
  await memoriesOf(tenant.call).writer('crm', 80)
  await register(tenant.call, reader('reader'))
  await register(tenant.call, reader('held', true))
}

/** Every answer that the routes of reading give, as one text. */
export async function everyAnswer(
  call: Call,
  ids: { readonly runs: readonly string[]; readonly memories: readonly string[] },
) {
  const refs = (await call('GET', `${host}/memory?limit=1000`)).body.refs.map(
    ({ memoryRef }: { memoryRef: string }) => memoryRef,
  )
  const { position } = (await call('GET', `${host}/memory/none/entries`)).body
  const paths = [
    `${host}/memory?limit=1000`,
    ...refs.flatMap((ref: string) => {
      const base = `${host}/memory/${encodeURIComponent(ref)}/entries`
      const moments = [1, Math.floor(position / 2), position]
      return [base, ...moments.map((asOf) => `${base}?asOf=${asOf}`), ...ids.runs.map((run) => `${base}?runId=${run}`)]
    }),
    ...ids.memories.flatMap((id) => ['', '/history', '/sources'].map((part) => `/v1/memories/${id}${part}`)),
    ...ids.runs.flatMap((id) => [
      `/v1/runs/${id}`,
      `/v1/runs/${id}/events/poll`,
      `/v1/runs/${id}/debug-bundle`,
      `${host}/runs/${id}/reads`,
    ]),
    '/v1/tenant/source-events?limit=200',
    '/v1/tenant/service-writers',
    ...['claims', 'jobs', 'audit', 'secrets', 'keys', 'runs', 'compactions', 'forget', 'schedules'].map(
      (name) => `${host}/${name}?limit=200`,
    ),
    '/v1/agents',
    '/v1/audit/verify',
  ]
  const answers: Answer[] = []
  for (const path of paths) answers.push(await call('GET', path))
  return answers.map(({ text }) => text).join('\n')
}
