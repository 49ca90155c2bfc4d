import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import {
  chain,
  ended,
  eventsOf,
  gate,
  noop,
  put,
  type RunEvent,
  register,
  startRun,
  startWaiting,
  typesOf,
} from './runs-calls.ts'

after(releaseServer)

const json = { accept: 'application/json' }
const accept = { resumeValue: { action: 'accept' } }
const all = [
  'run.started',
  'node.started',
  'memory.written',
  'node.completed',
  'node.started',
  'node.completed',
  'memory.written',
  'run.completed',
]
const updates = all.filter((type) => type !== 'node.started')

for (const storage of storagesOfBehaviour) {
  describe(`the log of a run on ${storage}`, { concurrency: true }, () => {
    let server: TestServer
    let call: Call
    let key: string
    let done: string
    let open: string
    before(async () => {
      server = await startServer({ storage })
      ;({ call, key } = await server.tenant())
      await register(call, chain('remembers', [put('keep', 'nobody else’s business'), noop('then')]))
      await register(call, chain('asks', [gate()]))
      await register(
        call,
        chain(
          'long',
          Array.from({ length: 600 }, (_, index) => noop(`n${index}`)),
        ),
      )
      done = await startRun(call, 'remembers')
      await ended(call, done)
      open = await startWaiting(call, 'asks')
    })
    after(() => server[Symbol.asyncDispose]())

    const asJson = (runId: string, query = '', headers = {}) =>
      call('GET', `/v1/runs/${runId}/events${query}`, undefined, { ...json, ...headers })
    const poll = (runId: string, query = '') => call('GET', `/v1/runs/${runId}/events/poll${query}`)
    const sequences = (events: readonly RunEvent[]) => events.map(({ sequence }) => sequence)

    test('the log is sent as JSON on request, filtered by the modes', async () => {
      const typed = async (query: string) => typesOf((await asJson(done, query)).body.events)
      assert.deepEqual(await typed(''), updates)
      assert.deepEqual(await typed('?streamMode=updates'), updates)
      assert.deepEqual(await typed('?streamMode=debug'), all)
      assert.deepEqual(await typed('?streamMode=messages'), [])
      assert.deepEqual(await typed('?streamMode=updates,messages'), updates)
      assert.deepEqual(await typed('?streamMode=messages,debug'), all)
      assert.deepEqual(await typed('?streamMode=updates,updates'), updates)
      const [values, ...more] = (await asJson(done, '?streamMode=values')).body.events
      assert.deepEqual([values.type, values.sequence, more], ['state.snapshot', all.length - 1, []])
      assert.deepEqual(values.payload, (await call('GET', `/v1/runs/${done}`)).body, 'the run, as the stream sends it')
      assert.deepEqual((await asJson(done, '?streamMode=debug')).body.events, await eventsOf(call, done))
      // For an active run the current log is returned at once.
      assert.equal(typesOf((await asJson(open)).body.events).at(-1), 'approval.requested')
    })

    test('the log contains no content of memories', async () => {
      const { text, body } = await asJson(done, '?streamMode=debug')
      assert.ok(!text.includes('nobody'), text)
      const [written, summary] = body.events.filter(({ type }: RunEvent) => type === 'memory.written')
      assert.deepEqual(Object.keys(written.payload).sort(), ['memoryId', 'memoryRef', 'nodeId', 'tags'])
      assert.deepEqual([written.nodeId, written.payload.memoryRef], ['keep', 'notes'])
      assert.deepEqual([summary.nodeId, summary.payload.memoryRef], [undefined, 'runs:remembers'])
    })

    test('the log has four modes, and values must be the only one', async () => {
      for (const mode of [
        '',
        'bogus',
        'Updates',
        'updates,',
        ',',
        'updates,bogus',
        'values,updates',
        'updates,values',
        'values,values',
        'updates debug',
        '%00',
        'constructor',
      ]) {
        for (const headers of [json, {}]) {
          const answer = await call('GET', `/v1/runs/${done}/events?streamMode=${mode}`, undefined, headers)
          assertError(answer, 400, 'unsupported_stream_mode')
          assert.deepEqual(answer.body.details.supported, ['updates', 'values', 'messages', 'debug'])
        }
      }
      assertError(await asJson(done, '?streamMode=debug&streamMode=debug'), 400, 'validation_error')
    })

    test('the buffer is 0 to 5000 ms', async () => {
      for (const bufferMs of [
        '5001',
        '-1',
        'abc',
        '',
        '1.5',
        '1e3',
        '0x10',
        ' 1',
        '99999999999999999999',
        '%00',
        '1&bufferMs=2',
      ]) {
        for (const headers of [json, {}]) {
          const answer = await call('GET', `/v1/runs/${done}/events?bufferMs=${bufferMs}`, undefined, headers)
          assertError(answer, 400, 'validation_error')
        }
      }
      for (const bufferMs of ['0', '1', '5000', '0005'])
        assert.equal((await asJson(done, `?bufferMs=${bufferMs}`)).status, 200)
    })

    test('the log is read from after the last event that was seen', async () => {
      const after = async (id: string) =>
        sequences((await asJson(done, '?streamMode=debug', { 'last-event-id': id })).body.events)
      const every = all.map((_, index) => index)
      assert.deepEqual(
        [await after(''), await after('-1'), await after('0'), await after('5')],
        [every, every, every.slice(1), every.slice(6)],
      )
      for (const id of ['7', '8', '1000', '999999999999999']) assert.deepEqual(await after(id), [])
      for (const id of ['-2', 'abc', '1.5', '1e3', '0x1', '9999999999999999', '1,2', 'evt_1'])
        for (const headers of [json, {}])
          assertError(
            await call('GET', `/v1/runs/${done}/events`, undefined, { ...headers, 'last-event-id': id }),
            400,
            'validation_error',
          )
    })

    test('the log can be polled from any sequence, and an invalid one is refused', async () => {
      const every = all.map((_, index) => index)
      for (const [query, expected] of [
        ['', every],
        ['?lastSequence=-1', every],
        ['?lastSequence=0', every.slice(1)],
        ['?since=0', every.slice(1)],
        ['?lastSequence=3&since=0', every.slice(4)],
        ['?lastSequence=7', []],
        ['?lastSequence=99999', []],
      ] as const) {
        const { status, body } = await poll(done, query)
        assert.equal(status, 200)
        assert.deepEqual(sequences(body.events), expected, query)
        assert.deepEqual(
          [body.runId, body.isComplete, body.isTerminal, body.runStatus],
          [done, true, true, 'completed'],
        )
        const given = Number(/lastSequence=(-?\d+)/.exec(query)?.[1] ?? 0)
        assert.equal(body.lastEventSeq, expected.at(-1) ?? given)
      }
      for (const query of [
        'lastSequence=-2',
        'lastSequence=',
        'lastSequence=x',
        'lastSequence=1.5',
        'lastSequence=1&lastSequence=2',
        'since=x',
        'timeout=61',
        'timeout=-1',
        'timeout=x',
        'timeout=',
        'timeout=1.5',
        'timeout=1e9',
      ])
        assertError(await poll(done, `?${query}`), 400, 'validation_error')
    })

    // The caller gives up long before these polls would end by themselves, so that each answer was given at once.
    test('a poll returns at once when there are events, or when there will be none', async () => {
      assert.equal((await poll(done, '?timeout=60&lastSequence=7')).body.isComplete, true)
      assert.ok((await poll(open, '?timeout=60')).body.events.length > 0)
      const nothing = (await poll(open, '?timeout=0&lastSequence=99')).body
      assert.deepEqual(
        [nothing.events, nothing.isComplete, nothing.isTerminal, nothing.lastEventSeq],
        [[], false, false, 99],
      )
      const short = (await poll(open, '?timeout=1&lastSequence=99')).body
      assert.deepEqual([short.events, short.runStatus], [[], 'waiting-approval'])
    })

    test('the next event answers every poll that waits', async () => {
      const runId = await startWaiting(call, 'asks')
      const last = (await eventsOf(call, runId)).at(-1).sequence
      const polls = Array.from({ length: 20 }, () => poll(runId, `?timeout=60&lastSequence=${last}`))
      await call('POST', `/v1/runs/${runId}/interrupts/gate`, accept)
      for (const { status, body } of await Promise.all(polls)) {
        assert.equal(status, 200)
        assert.equal(body.events[0].sequence, last + 1)
      }
    })

    test('a poll for an event that never happens returns when the run ends', async () => {
      const runId = await startWaiting(call, 'asks')
      // Far less than the timeout of the poll, and far more than it takes to report an end.
      const waiting = fetch(`${server.url}/v1/runs/${runId}/events/poll?timeout=60&lastSequence=99999`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(30_000),
      })
      const [{ status }] = await Promise.all([waiting, call('POST', `/v1/runs/${runId}/interrupts/gate`, accept)])
      assert.equal(status, 200)
    })

    test('a long log is returned in full, in every format', async () => {
      const runId = await startRun(call, 'long')
      await ended(call, runId)
      const { events } = (await asJson(runId, '?streamMode=debug')).body
      assert.deepEqual(
        sequences(events),
        Array.from({ length: 1_203 }, (_, index) => index),
      )
      const first = (await poll(runId)).body
      assert.deepEqual(
        [first.events.length, first.isComplete, first.isTerminal, first.lastEventSeq],
        [1_000, false, true, 999],
      )
      const rest = (await poll(runId, '?lastSequence=999')).body
      assert.deepEqual([rest.isComplete, rest.events.at(-1).type], [true, 'run.completed'])
      assert.deepEqual([...first.events, ...rest.events], events)
    })

    test('the log is not found by other tenants', async () => {
      const other = await server.tenant()
      for (const path of ['/events', '/events?streamMode=values', '/events/poll?timeout=60'])
        assertError(await other.call('GET', `/v1/runs/${open}${path}`), 404, 'not_found')
      // The mode is checked before the run, so that an invalid mode does not show which runs exist.
      assertError(await other.call('GET', `/v1/runs/${open}/events?streamMode=x`), 400, 'unsupported_stream_mode')
      assert.equal((await call('HEAD', `/v1/runs/${open}/events`)).status, 405)
    })
  })
}
