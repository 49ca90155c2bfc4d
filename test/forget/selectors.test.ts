import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { contents, memoriesOf, sources } from '../server/memories-calls.ts'
import { host, until } from '../server/runs-calls.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, type Home, startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import { counted, forgetPath, forgotten, person, prepare } from './calls.ts'
import { tracesOf } from './traces.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`selectors of a forget on ${storage}`, () => {
    let home: Home
    let server: TestServer
    before(async () => {
      home = await createHome(storage)
      server = await startServer({ home })
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    })

    async function open() {
      const tenant = await server.tenant()
      await prepare(tenant)
      return { ...tenant, ...memoriesOf(tenant.call) }
    }

    /** Forgets, and checks that a dry run before counted the same. */
    async function checked(call: Awaited<ReturnType<typeof open>>['call'], body: object) {
      const counts = await counted(call, body)
      const done = await forgotten(call, body)
      assert.deepEqual(done.counts, counts)
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
      return done
    }

    test('a memoryRef is deleted with its name, and other refs stay', async () => {
      const tenant = await open()
      const { call } = tenant
      const one = await person(tenant, 'ada')
      const other = await person(tenant, 'bob')
      const started = await call('POST', forgetPath, { memoryRef: one.ref, reason: 'moved', dryRun: false })
      assert.deepEqual(await one.entries(one.ref), [], 'hidden with the answer')
      assert.equal(started.status, 202)
      const done = await forgotten(call, { memoryRef: other.ref })
      assert.equal(done.counts.entries, 1)
      assert.deepEqual(await other.entries(other.ref), [])
      assert.equal((await other.winner('bob')).content.includes(other.texts.edited), true)
      for (const word of [other.ref, other.texts.noted]) assert.deepEqual(await tracesOf(home, word), [])
    })

    test('a tag deletes every entry that ever had it, and no other', async () => {
      const { call } = await open()
      const entries = `${host}/memory/notes/entries`
      const put = async (content: string, tags: string[]) => (await call('POST', entries, { content, tags })).body.id
      await put('first', ['gone', 'both'])
      await put('second', ['both'])
      const { counts } = await checked(call, { tag: 'gone' })
      assert.deepEqual([counts.entries, counts.versions], [1, 1])
      assert.deepEqual(contents((await call('GET', entries)).body.entries), ['second'])
      assert.deepEqual(contents((await call('GET', `${entries}?asOf=1`)).body.entries), [])
    })

    test('a writer is deleted with its statements: contents of other writers win again, with their provenance', async () => {
      const { call, ingest, winner, list } = await open()
      await ingest('ada', 'dark mode')
      await ingest('ada', 'light mode', { service: 'crm' })
      await ingest('bob', 'tea it is', { service: 'crm' })
      await ingest('bob', 'tea it is', { service: 'chat' })
      await ingest('cid', 'only crm says so', { service: 'crm' })
      assert.equal((await winner('ada')).content, 'light mode')
      assert.equal((await winner('bob')).provenance.service, 'crm')
      await checked(call, { writer: 'crm' })
      assert.equal((await winner('ada')).content, 'dark mode')
      const bob = await winner('bob')
      assert.deepEqual([bob.content, bob.provenance.service, bob.sources], ['tea it is', 'chat', 1])
      assert.deepEqual(await list('cid'), [])
      const { data } = (await call('GET', sources)).body
      assert.deepEqual(
        data.map((source: { service: string; erased?: true }) => [source.service, source.erased ?? false]),
        [
          ['crm', true],
          ['chat', false],
          ['crm', true],
          ['crm', true],
          ['chat', false],
        ],
      )
      await ingest('ada', 'back again', { service: 'crm' })
      assert.equal((await winner('ada')).content, 'back again')
    })

    test('a source event is deleted alone', async () => {
      const { call, ingest, winner } = await open()
      await ingest('ada', 'dark mode')
      await ingest('ada', 'light mode', { service: 'crm' })
      const [event] = (await call('GET', `${sources}?source_service=crm`)).body.data
      await checked(call, { sourceEvent: event.id })
      assert.equal((await winner('ada')).content, 'dark mode')
      assert.equal((await call('GET', `${sources}/${event.id}`)).body.erased, true)
      const verified = await call('POST', `${sources}/${event.id}:verify`, { messages: [] })
      assert.equal(verified.body.error, 'source_event_erased')
    })

    test('a run is deleted with what it wrote; with cascade also what was derived from that', async () => {
      const tenant = await open()
      const { call } = tenant
      const ada = await person(tenant, 'ada')
      const made = (await ada.entries('derived')).length
      const second = (await call('POST', '/v1/runs', { workflowId: 'reader', inputs: { ref: 'derived' } })).body.runId
      await until(call, second, 'completed', ({ status }) => status === 'completed')
      assert.equal((await ada.entries('derived')).length, made + 1)
      await checked(call, { runId: ada.ended, cascade: false })
      assert.equal((await ada.entries('derived')).length, made, 'what others made of it stays')
      assert.equal((await call('GET', `/v1/runs/${ada.ended}`)).body.variables.wrote, null)
      const third = (await call('POST', '/v1/runs', { workflowId: 'reader', inputs: { ref: 'derived' } })).body.runId
      await until(call, third, 'completed', ({ status }) => status === 'completed')
      await checked(call, { runId: second })
      assert.equal((await ada.entries('derived')).length, 0, 'what was made of it goes too')
      assert.ok((await ada.winner('ada')).content.includes(ada.texts.edited), 'what it read stays')
    })

    test('a repeated idempotency key is the same forget; an invalid request is refused', async () => {
      const { call } = await open()
      const body = { tag: 'x', reason: 'twice' }
      const [first, again] = [1, 2].map(() => call('POST', forgetPath, body, { 'idempotency-key': 'one' }))
      assert.equal((await again)?.body.id, (await first)?.body.id)
      for (const wrong of [
        { reason: 'nothing named' },
        { subject: 'a', tag: 'b', reason: 'two named' },
        { subject: 'ada' },
        { subject: 'ada', reason: 'because ADA asked' },
        { subject: 'ada', reason: 'x', unknown: 1 },
        { memoryRef: 'scratch:run_1:agent', reason: 'x' },
      ]) {
        const refused = await call('POST', forgetPath, wrong)
        assert.ok([400, 422].includes(refused.status), `${refused.status} ${refused.text}`)
      }
      const key = await call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read', 'memory:delete'] })
      assert.equal((await server.as(key.body.key)('POST', forgetPath, body)).status, 403)
      assert.equal((await call('GET', `${forgetPath}/fgt_none`)).status, 404)
    })
  })
}
