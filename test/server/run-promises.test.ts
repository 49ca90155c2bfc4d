import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { limits } from '../../src/core/limits.ts'
import { releaseServer } from '../support/databases.ts'
import { holds, plainSecretValue } from '../support/secret-forms.ts'
import { startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import {
  chain,
  ended,
  eventsOf,
  gate,
  host,
  noop,
  put,
  type RunEvent,
  register,
  startRun,
  startWaiting,
} from './runs-calls.ts'
import { allDelivered, type Receiver, startReceiver } from './webhooks-receiver.ts'

after(releaseServer)

const notes = `${host}/memory/notes/entries`
const secrets = `${host}/secrets`

for (const storage of storagesOfBehaviour) {
  describe(`details of runs and memory on ${storage}`, { concurrency: true }, () => {
    let server: TestServer
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
      server = await startServer({ storage, env: { COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1' } })
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    })

    test('a secret of a single run is redacted from everything that run stores, and everywhere else', async () => {
      const { call } = await server.tenant()
      await register(call, chain('keeps', [gate(), put('keep', 'it is {{inputs.word}}')]))
      const value = plainSecretValue()
      const runId = await startWaiting(call, 'keeps', { inputs: { word: value } })
      assert.equal((await call('PUT', `${secrets}/of-run`, { value, scope: 'run', runId })).status, 204)
      await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } })
      assert.equal((await ended(call, runId)).status, 'completed')
      await call('POST', notes, { content: `somebody else says ${value}` })
      const { text, body } = await call('GET', notes)
      assert.ok(!holds(text, value), text)
      assert.deepEqual(
        body.entries.map(({ content }: { content: string }) => content),
        ['somebody else says [REDACTED:of-run]', 'it is [REDACTED:of-run]'],
      )
    })

    test('a tag that its marker makes too long is redacted as a whole, and such content is refused', async () => {
      const { call } = await server.tenant()
      const value = 'k7Q2m9Wz'
      const id = 'a-name-that-is-longer-than-what-it-stands-for'
      assert.equal((await call('PUT', `${secrets}/${id}`, { value })).status, 204)
      const tag = `${'x'.repeat(limits.tagCharactersMax - value.length)}${value}`
      const tagged = await call('POST', notes, { content: 'with a long tag', tags: [tag, `short ${value}`] })
      assert.equal(tagged.status, 201, tagged.text)
      const { tags } = (await call('GET', `${notes}/${tagged.body.id}`)).body
      assert.deepEqual(tags, ['[REDACTED:tag]', `short [REDACTED:${id}]`, 'source:api'])
      const content = `${'x'.repeat(limits.contentBytesMax - value.length - 1)} ${value}`
      const refused = await call('POST', notes, { content })
      assert.ok(refused.status >= 400 && refused.status < 500, refused.text)
      assert.equal(refused.body.details.limit, 'contentBytesMax')
      assert.equal((await call('GET', notes)).body.entries.length, 1)
      const fits = await call('POST', notes, { content: content.slice(id.length + 20) })
      assert.equal(fits.status, 201)
      assert.ok(Buffer.byteLength(fits.body.content) <= limits.contentBytesMax)
    })

    test('scratchpad and conversation belong to one run, are read by the names in their events, and are deleted when the run has ended', async () => {
      const { call } = await server.tenant()
      const listed = (id: string, memoryRef: string, into: string) => ({
        id,
        typeId: 'colophon.memory.list',
        config: { memoryRef, into },
      })
      const nodes = [
        put('one', 'only for now', 'scratch:'),
        { id: 'two', typeId: 'colophon.message.add', config: { content: 'said in it' } },
        listed('three', 'scratch:', 'noted'),
        listed('four', 'conversation:', 'said'),
        gate(),
      ]
      await register(call, chain('thinks', nodes))
      const runId = await startWaiting(call, 'thinks')
      const run = (await call('GET', `/v1/runs/${runId}`)).body
      const seen = [run.variables.noted, run.variables.said].map(([entry]) => entry?.content)
      assert.deepEqual(seen, ['only for now', 'said in it'])
      const refs = [`scratch:${runId}:`, `conversation:${runId}`]
      const entriesOf = async (ref: string) =>
        (await call('GET', `${host}/memory/${encodeURIComponent(ref)}/entries`)).body?.entries ?? []
      for (const ref of refs) assert.equal((await entriesOf(ref)).length, 1, ref)
      const written = (await eventsOf(call, runId)).filter(({ type }) => type === 'memory.written')
      const named = written.map(({ payload }) => payload)
      assert.deepEqual(
        named.map(({ memoryRef }) => memoryRef),
        refs.slice(0, 1),
      )
      const got = () =>
        Promise.all(
          named.map(({ memoryRef, memoryId }) =>
            call('GET', `${host}/memory/${encodeURIComponent(memoryRef)}/entries/${memoryId}`),
          ),
        )
      assert.deepEqual(
        (await got()).map(({ status, body }) => [status, body.content]),
        [[200, 'only for now']],
      )
      await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } })
      assert.equal((await ended(call, runId)).status, 'completed')
      for (const ref of refs) assert.deepEqual(await entriesOf(ref), [], ref)
      assert.deepEqual(
        (await got()).map(({ status }) => status),
        [404],
      )
      const other = await startWaiting(call, 'thinks')
      const { noted } = (await call('GET', `/v1/runs/${other}`)).body.variables
      assert.equal(noted.length, 1, 'another run begins with nothing')
    })

    test('webhook deliveries contain no secret, whatever text it is in', async () => {
      const { call } = await server.tenant()
      const value = plainSecretValue()
      assert.equal((await call('PUT', `${secrets}/word`, { value })).status, 204)
      const path = '/secrets'
      const url = `${receiver.url}${path}-${storage}`
      assert.equal((await call('POST', '/v1/webhooks', { url, events: ['*'] })).status, 201)
      const fail = { id: 'fail', typeId: 'core.fail', config: { code: 'no', message: `it was ${value}` } }
      const tagged = {
        id: 'keep',
        typeId: 'colophon.memory.put',
        config: { memoryRef: 'notes', content: value, tags: [value] },
      }
      await register(call, chain('fails', [tagged, fail]))
      await register(call, chain('asks', [gate('gate', { title: `about ${value}` })]))
      await ended(
        call,
        await startRun(call, 'fails', { tags: [value], metadata: { about: value }, inputs: { a: value } }),
      )
      const asked = await startWaiting(call, 'asks')
      await call('POST', `/v1/runs/${asked}/cancel`, { reason: `because of ${value}` })
      await ended(call, asked)
      const received = await receiver.until(`${path}-${storage}`, 'of both ends', (deliveries) =>
        ['run.failed', 'run.cancelled'].every((type) => deliveries.some(({ body }) => body.type === type)),
      )
      await allDelivered(call)
      const all = JSON.stringify(received)
      assert.ok(!holds(all, value), 'a webhook received a secret')
      assert.ok(all.includes('[REDACTED:word]'))
    })

    test('a tenant can turn off the memory that a run writes about itself', async () => {
      const { call } = await server.tenant()
      await register(call, chain('quiet', [noop()]))
      const writesOf = async (runId: string) =>
        (await eventsOf(call, runId)).filter(({ type }) => type === 'memory.written').length
      const before = await startRun(call, 'quiet')
      await ended(call, before)
      assert.equal(await writesOf(before), 1)
      assert.equal((await call('PATCH', '/v1/tenant/settings', { session_summary: false })).status, 200)
      const after = await startRun(call, 'quiet')
      await ended(call, after)
      assert.equal(await writesOf(after), 0)
      const { entries } = (await call('GET', `${host}/memory/${encodeURIComponent('runs:quiet')}/entries`)).body
      assert.equal(entries.length, 1)
    })

    test('the event of a write names the agent of its node', async () => {
      const { call } = await server.tenant()
      const agent = { agentId: 'local.team.writer' }
      await register(call, chain('agent', [{ ...put('keep', 'by an agent'), agent }, put('plain', 'by nobody')]))
      const runId = await startRun(call, 'agent')
      assert.equal((await ended(call, runId)).status, 'completed')
      const written = (await eventsOf(call, runId)).filter(({ type }: RunEvent) => type === 'memory.written')
      const agentOf = ({ payload, agentId }: RunEvent) => payload.agentId ?? agentId
      assert.deepEqual(written.slice(0, 2).map(agentOf), ['local.team.writer', undefined])
    })
  })
}

test('an agent whose memory is degraded can be used in a run', async () => {
  await using server = await startServer({ storage: 'memory' })
  const manifest = {
    agentId: 'local.team.needy',
    persona: 'The needy',
    modelClass: 'general',
    systemPrompt: 'The prompt nobody sees.',
    memoryShape: { longTerm: true },
  }
  assert.ok((await server.call('POST', `${host}/agents`, manifest)).status < 300)
  const listed = (await server.call('GET', `/v1/agents/${manifest.agentId}`)).body
  assert.equal(listed.memoryDegraded, true, JSON.stringify(listed))
  const node = { ...put('keep', 'kept for a while'), agent: { agentId: manifest.agentId } }
  await register(server.call, chain('needy', [node, noop()]))
  assert.equal((await ended(server.call, await startRun(server.call, 'needy'))).status, 'completed')
  assert.equal((await server.call('GET', notes)).body.entries[0].content, 'kept for a while')
})
