import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { forgotten } from '../forget/calls.ts'
import { tracesOf } from '../forget/traces.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { createHome, type Home, startServer, type TestServer } from '../support/server.ts'
import { chain, ended, noop, register, runsOf } from './runs-calls.ts'

after(releaseServer)

const base = '/v1/host/colophon/heartbeats'

for (const storage of ['sqlite', 'postgres'] as const) {
  describe(`heartbeats on ${storage}`, () => {
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

    test('a heartbeat ticks at once, starts one run, and is in the stream of changes and in no run', async () => {
      const { call, key } = await server.tenant()
      await register(call, chain('triage', [noop()]))
      const client = createClient({ url: server.url, key })
      const made = await client.heartbeats.create({
        predicate: 'count',
        memoryRef: 'inbox',
        intervalSec: 1,
        workflowId: 'triage',
      })
      assert.equal(made.intervalSec, 60)
      const seen: unknown[] = []
      const stop = new AbortController()
      for await (const { kind, payload } of client.heartbeats.follow({ after: 0, signal: stop.signal })) {
        seen.push([kind, payload])
        if (seen.length === 2) stop.abort()
      }
      assert.deepEqual(seen, [
        ['heartbeat.evaluated', { heartbeatId: made.id, status: 'ok', changed: true }],
        ['heartbeat.stateChanged', { heartbeatId: made.id, from: {}, to: { count: 0 } }],
      ])
      const [shown] = (await client.heartbeats.list()).heartbeats
      assert.deepEqual([shown?.state, shown?.status], [{ count: 0 }, 'ok'])
      const run = await ended(call, shown?.runId ?? '')
      assert.deepEqual([run.status, run.metadata], ['completed', { heartbeatId: made.id }])
      assert.equal((await runsOf(call)).length, 1)
      const { text } = await call('GET', `/v1/runs/${shown?.runId}/events/poll`)
      assert.ok(!text.includes('heartbeat.'), text)
      assert.equal((await call('GET', '/v1/audit/verify?contents=true')).body.chainValid, true)
      assert.equal((await client.heartbeats.pause(made.id)).isPaused, true)
      assert.equal((await client.heartbeats.resume(made.id)).isPaused, false)
      assert.equal((await client.heartbeats.change(made.id, { intervalSec: 600 })).intervalSec, 600)
      const limited = await call('POST', '/v1/host/colophon/keys', {
        name: 'l',
        scopes: ['memory:read', 'memory:write'],
      })
      const as = server.as(limited.body.key)
      assertError(await as('PATCH', `${base}/${made.id}`, { intervalSec: 60 }), 403, 'forbidden')
      assert.deepEqual(await client.heartbeats.remove(made.id), { deleted: true })
      assert.deepEqual(await client.heartbeats.list(), { heartbeats: [] })
    })

    test('a heartbeat of a forgotten ref is removed with its name; unknown members are refused', async () => {
      const { call } = await server.tenant()
      const memoryRef = 'letters-of-quintessa'
      await call('POST', `/v1/host/colophon/memory/${memoryRef}/entries`, { content: 'a letter' })
      const draft = { predicate: 'count', memoryRef, intervalSec: 60 }
      assert.equal((await call('POST', base, draft)).status, 201)
      await eventually('it has ticked', async () => (await call('GET', base)).body.heartbeats[0]?.status === 'ok')
      assert.notDeepEqual(await tracesOf(home, memoryRef), [], 'the check can find it')
      await forgotten(call, { memoryRef })
      assert.deepEqual((await call('GET', base)).body.heartbeats, [])
      assert.deepEqual(await tracesOf(home, memoryRef), [])
      assertError(await call('POST', base, { ...draft, every: 1 }), 400, 'validation_error')
      const refused = await call('POST', base, { ...draft, predicate: 'workflow' })
      assertError(refused, 400, 'validation_error')
      assert.match(refused.body.message, /predicate.*count.*position.*claim.*backlog/, 'with those that there are')
    })
  })
}
