import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, startServer, storagesOfBehaviour, type Tenant, type TestServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { openRequests, openStream, type SseEvent } from '../support/sse.ts'
import { chain, delay, ended, eventsOf, gate, host, noop, put, register, startRun, startWaiting } from './runs-calls.ts'

after(releaseServer)

const accept = { resumeValue: { action: 'accept' } }
const ids = (events: readonly SseEvent[]) => events.map(({ id }) => Number(id))
const names = (events: readonly SseEvent[]) => events.map(({ event }) => event)
const has = (name: string) => (events: readonly SseEvent[]) => names(events).includes(name)

for (const storage of storagesOfBehaviour) {
  describe(`streams of run events on ${storage}`, { concurrency: true }, () => {
    let server: TestServer
    let tenant: Tenant
    before(async () => {
      server = await startServer({ storage })
      tenant = await server.tenant()
      await register(tenant.call, chain('asks', [put('keep', 'x'), gate(), put('more', 'y')]))
      await register(tenant.call, chain('sleeps', [delay(), noop('then')]))
    })
    after(() => server[Symbol.asyncDispose]())

    const follow = (runId: string, query = '', headers = {}, key = tenant.key) =>
      openStream(`${server.url}/v1/runs/${runId}/events${query}`, key, headers)
    const goOn = (runId: string) => tenant.call('POST', `/v1/runs/${runId}/interrupts/gate`, accept)

    test('a stream sends every event, memory writes included, and ends with the run', async () => {
      const runId = await startWaiting(tenant.call, 'asks')
      await using updates = await follow(runId)
      await using debug = await follow(runId, '?streamMode=debug')
      await using silent = await follow(runId, '?streamMode=messages')
      for (const stream of [updates, debug]) {
        assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
        await stream.until('the question', has('interrupt.requested'))
      }
      assert.equal((await goOn(runId)).status, 200)
      for (const stream of [updates, debug, silent]) await stream.ended
      const log = await eventsOf(tenant.call, runId)
      assert.deepEqual(
        debug.events,
        log.map((event) => ({ id: String(event.sequence), event: event.type, data: event })),
      )
      assert.deepEqual(
        updates.events,
        debug.events.filter(({ event }) => !['node.started', 'node.resumed'].includes(event)),
      )
      assert.equal(names(updates.events).filter((name) => name === 'memory.written').length, 3)
      assert.deepEqual(silent.events, [])
    })

    test('many concurrent readers get the same events, and a reader that disconnects is removed', async () => {
      const runId = await startWaiting(tenant.call, 'asks')
      const left = await Promise.all(Array.from({ length: 20 }, () => follow(runId, '?streamMode=debug')))
      const stayed = await Promise.all(Array.from({ length: 50 }, () => follow(runId, '?streamMode=debug')))
      for (const stream of left) await stream.close()
      await goOn(runId)
      for (const stream of stayed) await stream.ended
      const log = await eventsOf(tenant.call, runId)
      for (const stream of stayed)
        assert.deepEqual(
          ids(stream.events),
          log.map(({ sequence }) => sequence),
        )
      await eventually('no reader is left', async () => (await openRequests(server.url)) < 20)
    })

    test('a reader that reconnects resumes without a gap or a repeat, however often it does', async () => {
      const runId = await startWaiting(tenant.call, 'asks')
      const seen: number[] = []
      for (let round = 0; round < 4; round++) {
        const last = seen.at(-1)
        await using stream = await follow(
          runId,
          '?streamMode=debug',
          last === undefined ? {} : { 'last-event-id': `${last}` },
        )
        if (round === 1) await goOn(runId)
        if (round >= 1) await stream.ended
        else await stream.until('the question', has('approval.requested'))
        // As if only the first two had come through.
        seen.push(...ids(stream.events.slice(0, round === 3 ? undefined : 2)))
      }
      const log = await eventsOf(tenant.call, runId)
      assert.deepEqual(
        seen,
        log.map(({ sequence }) => sequence),
      )
    })

    test('a buffered stream sends events in batches, and urgent events at once', async () => {
      const runId = await startWaiting(tenant.call, 'asks')
      await using patient = await follow(runId, '?streamMode=debug&bufferMs=5000')
      await using hasty = await follow(runId, '?streamMode=debug&bufferMs=1')
      await using plain = await follow(runId, '?streamMode=debug&bufferMs=0')
      // The question is asked with the suspension, which does not wait for the buffer.
      await patient.until('the suspension', (events) => JSON.stringify(events).includes('node.suspended'))
      await goOn(runId)
      for (const stream of [patient, hasty, plain]) await stream.ended
      assert.ok(!names(plain.events).includes('batch'))
      for (const { events } of [patient, hasty]) {
        assert.deepEqual([...new Set(names(events))], ['batch'])
        assert.deepEqual(
          events.flatMap(({ data }) => data),
          plain.events.map(({ data }) => data),
        )
        for (const { id, data } of events) assert.equal(Number(id), data.at(-1).sequence)
      }
    })

    test('a stream of values sends the state of the run, from its start to its end', async () => {
      const runId = await startWaiting(tenant.call, 'asks')
      await using stream = await follow(runId, '?streamMode=values')
      await using late = await follow(runId, '?streamMode=values', { 'last-event-id': '3' })
      for (const one of [stream, late]) await one.until('the first', (events) => events.length > 0)
      assert.equal(stream.events[0]?.data.status, 'waiting-approval')
      assert.deepEqual(late.events[0]?.data.status, 'waiting-approval')
      await goOn(runId)
      for (const one of [stream, late]) {
        await one.ended
        assert.deepEqual([...new Set(names(one.events))], ['state.snapshot'])
        const last = one.events.at(-1)
        assert.deepEqual([last?.data.status, last?.data.runId], ['completed', runId])
        assert.deepEqual(
          ids(one.events),
          ids(one.events).toSorted((a, b) => a - b),
        )
      }
    })

    test('a stream of a run that has ended sends the remaining events and ends, from any last id', async () => {
      const runId = await startRun(tenant.call, 'sleeps', { inputs: { ms: 0 } })
      await ended(tenant.call, runId)
      const log = await eventsOf(tenant.call, runId)
      for (const last of [-1, 0, 2, log.length - 1, log.length, 99_999]) {
        await using stream = await follow(runId, '?streamMode=debug', { 'last-event-id': `${last}` })
        await stream.ended
        assert.deepEqual(
          ids(stream.events),
          log.map(({ sequence }) => sequence).filter((sequence) => sequence > last),
        )
      }
      await using both = await follow(runId, '', { accept: 'application/json, text/event-stream' })
      await both.ended
      assert.ok(both.events.length > 0)
    })

    test('a stream with a last id beyond the last event ends with the run', async () => {
      const runId = await startWaiting(tenant.call, 'asks')
      await using stream = await follow(runId, '', { 'last-event-id': '99999' })
      await goOn(runId)
      await ended(tenant.call, runId)
      await stream.ended
    })

    test('a revoked key gets no more events', async () => {
      const runId = await startWaiting(tenant.call, 'asks')
      const guest = (await tenant.call('POST', `${host}/keys`, { name: 'guest', scopes: ['runs:read'] })).body
      await using stream = await follow(runId, '', {}, guest.key)
      await stream.until('the question', has('approval.requested'))
      const sent = stream.events.length
      await tenant.call('DELETE', `${host}/keys/${guest.id}`)
      await using other = await follow(runId)
      await goOn(runId)
      await other.ended
      await stream.ended
      assert.equal(stream.events.length, sent, names(stream.events.slice(sent)).join())
    })
  })
}

test('a server that stops ends the streams and polls of active runs, and clients can follow the runs again', async () => {
  await using home = await createHome('sqlite')
  await using server = await startServerProcess({ home })
  await register(server.call, chain('asks', [gate()]))
  const runId = await startWaiting(server.call, 'asks')
  const path = `/v1/runs/${runId}/events`
  const streams = await Promise.all(
    ['updates', 'values', 'debug&bufferMs=5000'].map((mode) =>
      openStream(`${server.url}${path}?streamMode=${mode}`, server.key),
    ),
  )
  for (const stream of streams) await stream.until('it runs', (events) => events.length > 0)
  const poll = server.call('GET', `${path}/poll?timeout=60&lastSequence=999`)
  await eventually('all are under way', async () => (await openRequests(server.url)) >= 4)
  const asked = Date.now()
  const stopped = server.stop()
  for (const stream of streams) await stream.ended
  // At once, not only when the time for active requests to finish has passed.
  assert.ok(Date.now() - asked < 7_000, `the streams went on for ${Date.now() - asked} ms`)
  assert.deepEqual([(await poll).status, (await poll).body.events], [200, []])
  assert.deepEqual(await stopped, { code: 0, signal: null }, server.logs())
  assert.ok(Date.now() - asked < 10_000)

  await using next = await startServer({ home, env: { COLOPHON_BOOTSTRAP_KEY: server.key } })
  const last = streams[0]?.events.at(-1)?.id ?? ''
  await using again = await openStream(`${next.url}${path}`, server.key, { 'last-event-id': last })
  await next.call('POST', `/v1/runs/${runId}/interrupts/gate`, accept)
  await again.ended
  assert.deepEqual(ids(again.events)[0], Number(last) + 1)
  assert.equal(names(again.events).at(-1), 'run.completed')
})
