import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import { chain, ended, eventsOf, gate, host, noop, put, register, startRun, startWaiting } from './runs-calls.ts'

after(releaseServer)

const list = (id: string, into = id) => ({ id, typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into } })

for (const storage of storagesOfBehaviour) {
  describe(`inspection of runs on ${storage}`, { concurrency: true }, () => {
    let server: TestServer
    let call: Call
    let runId: string
    const note = `canary${randomBytes(8).toString('hex')}`
    before(async () => {
      server = await startServer({ storage })
      call = (await server.tenant()).call
      await call('POST', `${host}/memory/notes/entries`, { content: `${note} of before` })
      await register(call, chain('remembers', [list('first'), put('keep', '{{inputs.note}}'), list('second')]))
      await register(call, chain('asks', [gate()]))
      await register(
        call,
        chain(
          'many',
          Array.from({ length: 600 }, (_, index) => noop(`n${index}`)),
        ),
      )
      runId = await startRun(call, 'remembers', { inputs: { note } })
      await ended(call, runId)
    })
    after(() => server[Symbol.asyncDispose]())

    const bundleOf = async (id: string, query = '') => {
      const answer = await call('GET', `/v1/runs/${id}/debug-bundle${query}`)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      return answer.body
    }
    const diff = (a: string, b: string) => call('GET', `/v1/runs/${a}:diff?against=${b}`)

    test('a malformed run id is not found', async () => {
      const { call } = await server.tenant()
      for (const id of ['run_%00', '%00', 'run_a%00b', `run_${'x'.repeat(2_000)}`]) {
        const paths = ['', '/events/poll', '/debug-bundle', '/reads'].map((part) => ['GET', `/v1/runs/${id}${part}`])
        const acts = ['cancel', ':fork', ':pause'].map((act) => [
          'POST',
          `/v1/runs/${id}${act === 'cancel' ? '/' : ''}${act}`,
        ])
        for (const [method = '', path = ''] of [...paths, ...acts]) {
          const body = method === 'POST' ? { fromSeq: 0, mode: 'replay' } : undefined
          const { status } = await call(method, path, path.endsWith('fork') ? body : method === 'POST' ? {} : undefined)
          assert.ok(status === 404 || status === 400, `${method} ${path}: ${status}`)
        }
        assert.equal((await call('GET', `/v1/runs/${id}`)).status, 404)
      }
    })

    test('a bundle has the whole log and no content of memories', async () => {
      const bundle = await bundleOf(runId)
      assert.deepEqual(bundle.events, await eventsOf(call, runId))
      assert.deepEqual(
        [bundle.bundleVersion, bundle.redactionApplied, bundle.redactionMode, bundle.truncated],
        ['1.0', true, 'omit', undefined],
      )
      assert.deepEqual([bundle.metrics.eventCount, bundle.metrics.nodeCount], [bundle.events.length, 3])
      assert.deepEqual([bundle.run.runId, bundle.run.status, bundle.run.error], [runId, 'completed', null])
      const [root, ...nodes] = bundle.spans
      assert.deepEqual([root.name, root.parentSpanId, root.endedAt], ['openwop.run', null, bundle.run.endedAt])
      assert.deepEqual(
        nodes.map((span: typeof root) => [span.attributes['openwop.node_id'], span.parentSpanId]).sort(),
        Object.keys(bundle.run.nodeStates)
          .map((nodeId) => [nodeId, root.spanId])
          .sort(),
      )
      for (const { name, attributes, startedAt, endedAt } of nodes) {
        assert.equal(name, `openwop.node.${attributes['openwop.node_type']}`)
        assert.deepEqual([attributes['openwop.run_id'], attributes['openwop.node_attempt']], [runId, 1])
        assert.ok(startedAt <= endedAt && startedAt >= root.startedAt)
      }
      assert.ok(!JSON.stringify(bundle).includes(note))
      assert.equal((await bundleOf(await startWaiting(call, 'asks'))).run.endedAt, null)
    })

    test('a truncated bundle is marked as truncated', async () => {
      const all = await eventsOf(call, runId)
      for (const max of [0, 1, all.length - 1]) {
        const bundle = await bundleOf(runId, `?maxEvents=${max}`)
        assert.deepEqual(bundle.events, all.slice(0, max))
        assert.deepEqual(
          [bundle.truncated, bundle.truncatedReason, bundle.metrics.eventCount],
          [true, 'maxEvents', max],
        )
      }
      for (const max of [all.length, 1_000_000])
        assert.equal((await bundleOf(runId, `?maxEvents=${max}`)).truncated, undefined)
      for (const wrong of ['-1', 'x', '1.5', '1e400', 'NaN', '1&maxEvents=2'])
        assertError(await call('GET', `/v1/runs/${runId}/debug-bundle?maxEvents=${wrong}`), 400, 'validation_error')
    })

    test('the reads of a run are listed by ids and positions only', async () => {
      const answer = await call('GET', `${host}/runs/${runId}/reads`)
      assert.ok(!answer.text.includes(note))
      const { reads, snapshot } = answer.body
      assert.deepEqual(
        reads.map(({ nodeId, op, entryIds }: { nodeId: string; op: string; entryIds: string[] }) => [
          nodeId,
          op,
          entryIds.length,
        ]),
        [
          ['first', 'list', 1],
          ['second', 'list', 2],
        ],
      )
      for (const { position, memoryRef } of reads) assert.deepEqual([position, memoryRef], [snapshot.position, 'notes'])
    })

    test('a run has no differences from itself; differences from other runs are shown', async () => {
      const { body } = await diff(runId, runId)
      assert.deepEqual([body.a, body.b, body.divergedAtSeq, body.eventDiffs], [runId, runId, null, []])
      const other = await startWaiting(call, 'asks')
      const there = (await diff(runId, other)).body
      const back = (await diff(other, runId)).body
      assert.deepEqual([there.divergedAtSeq, back.divergedAtSeq], [0, 0])
      assert.deepEqual(there.stateDiff, { status: { a: 'completed', b: 'waiting-approval' } })
      const [events, others] = [await eventsOf(call, runId), await eventsOf(call, other)]
      assert.equal(there.eventDiffs.length, Math.max(events.length, others.length))
      for (const { seq, op, aEvent, bEvent } of there.eventDiffs) {
        assert.deepEqual([aEvent, bEvent], [events[seq], others[seq]])
        assert.equal(op, aEvent === undefined ? 'added' : bEvent === undefined ? 'removed' : 'changed')
      }
      // The host's own path gives the same.
      assert.deepEqual((await call('GET', `${host}/runs/${runId}:diff?against=${other}`)).body, there)
    })

    test('a comparison with many differences is truncated and marked as truncated', async () => {
      const many = await startRun(call, 'many')
      await ended(call, many)
      const { body } = await diff(many, runId)
      assert.deepEqual([body.truncated, body.eventDiffs.length], [true, 1_000])
    })

    test('a comparison needs exactly one other run, of the same tenant', async () => {
      for (const query of ['', '?against=', '?against=none', `?against=${'x'.repeat(200)}`]) {
        const answer = await call('GET', `/v1/runs/${runId}:diff${query}`)
        assertError(answer, query === '' ? 400 : 404)
      }
      for (const query of [`?against=${runId}&against=${runId}`, `?against=${runId}&more=1`, `?Against=${runId}`])
        assertError(await call('GET', `/v1/runs/${runId}:diff${query}`), 400, 'validation_error')
      const other = await server.tenant()
      await register(other.call, chain('quick', [noop()]))
      const theirs = await startRun(other.call, 'quick')
      await ended(other.call, theirs)
      for (const [a, b] of [
        [runId, theirs],
        [theirs, runId],
        [theirs, theirs],
      ] as const)
        assertError(await diff(a, b), 404, 'not_found')
    })
  })
}
