import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, isClientError, type WireOption } from './index.ts'

type Sent = { readonly call: string; readonly version: string | undefined; readonly body: unknown }

/** A host that answers each path with this body. */
function hostOf(answers: Readonly<Record<string, unknown>>, wire: WireOption | undefined) {
  const sent: Sent[] = []
  const fake = async (url: string, init: RequestInit) => {
    const { pathname, search } = new URL(url)
    const version = (init.headers as Record<string, string>)['openwop-version']
    const call = `${init.method ?? 'GET'} ${pathname}${search}`
    sent.push({ call, version, body: init.body === undefined ? undefined : JSON.parse(String(init.body)) })
    return Response.json(answers[pathname] ?? {}, { status: answers[pathname] === undefined ? 404 : 200 })
  }
  const client = createClient({
    url: 'http://host',
    fetch: fake as typeof fetch,
    retry: { retries: 0 },
    ...(wire ? { wire } : {}),
  })
  return { client, sent }
}

const poll = { runId: 'acme/run_1', events: [{ sequence: 0 }], lastSequence: 0, status: 'completed', isTerminal: true }

test('the version that the server prefers is read once, and only for calls of the protocol', async () => {
  const one = hostOf(
    { '/.well-known/openwop': { preferredVersion: '1.0' }, '/v1/agents': {}, '/v1/host/colophon/stats': {} },
    'auto',
  )
  await one.client.send('GET /v1/host/colophon/stats')
  await one.client.agents.list()
  await one.client.agents.list()
  assert.deepEqual(
    one.sent.map(({ call }) => call),
    ['GET /v1/host/colophon/stats', 'GET /.well-known/openwop', 'GET /v1/agents', 'GET /v1/agents'],
  )
  const two = hostOf({ '/.well-known/openwop': { preferredVersion: '2.0' }, '/agents': {} }, 'auto')
  await two.client.agents.list()
  assert.deepEqual(two.sent[1], { call: 'GET /agents', version: '2', body: undefined })
  const plain = hostOf({ '/v1/agents': {} }, undefined)
  await plain.client.agents.list()
  assert.deepEqual(plain.sent, [{ call: 'GET /v1/agents', version: undefined, body: undefined }])
})

test('a server that did not answer is asked again', async () => {
  const answers: Record<string, unknown> = { '/agents': {} }
  const { client, sent } = hostOf(answers, 'auto')
  await assert.rejects(client.agents.list())
  answers['/.well-known/openwop'] = { preferredVersion: '2.0' }
  await client.agents.list()
  await client.agents.list()
  assert.deepEqual(
    sent.map(({ call }) => call),
    ['GET /.well-known/openwop', 'GET /.well-known/openwop', 'GET /agents', 'GET /agents'],
  )
})

test('version 2 gets its own paths, ids, options and cursors, and its answers have the names of the client', async () => {
  const path = '/runs/acme%2Frun_1/events/poll'
  const { client, sent } = hostOf({ '/runs': { runId: 'acme/run_1' }, [path]: poll }, 2)
  await client.runs.create({ workflowId: 'visit', configurable: { recursionLimit: 5 } })
  assert.deepEqual(sent[0], {
    call: 'POST /runs',
    version: '2',
    body: { workflowId: 'visit', configurable: { version: 1, run: { recursionLimit: 5 } } },
  })
  const answer = await client.runs.poll('acme/run_1', { lastSequence: 3, timeout: 0 })
  assert.equal(sent[1]?.call, `GET ${path}?afterSequence=3&timeout=1`)
  assert.deepEqual(
    [answer.runStatus, answer.lastEventSeq, answer.isComplete, answer.isTerminal],
    ['completed', 0, true, true],
  )
  assert.deepEqual(await client.runs.events('acme/run_1'), { events: [{ sequence: 0 }] })
})

test('what version 2 does not have is called as before', async () => {
  const { client, sent } = hostOf({}, 2)
  const calls = [
    () => client.runs.debugBundle('acme/run_1'),
    () => client.runs.reads('acme/run_1'),
    () => client.runs.list(),
    () => client.webhooks.list(),
    () => client.memory.list('notes'),
    () => client.memories.list({ external_user_id: 'ada' }),
  ]
  for (const call of calls) await assert.rejects(call)
  assert.ok(sent.every(({ call, version }) => call.startsWith('GET /v1/') && version === undefined))
  assert.deepEqual(
    sent.slice(0, 2).map(({ call }) => call),
    ['GET /v1/runs/run_1/debug-bundle', 'GET /v1/host/colophon/runs/run_1/reads'],
  )
})

test('an error has the exact code of this host on both versions', async () => {
  const body = { error: 'run_terminal', message: 'No.', details: { exactCode: 'run_state', hint: 'Read it.' } }
  const fake = async () => Response.json(body, { status: 409 })
  const client = createClient({ url: 'http://host', fetch: fake as typeof fetch, wire: 2, retry: { retries: 0 } })
  await assert.rejects(client.runs.cancel('acme/run_1'), (error) => isClientError(error, 'run_state'))
})
