import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { limits } from '../../src/core/limits.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Answer, storagesOfBehaviour, useServer } from '../support/server.ts'
import {
  chain,
  ended,
  gate,
  host,
  keyed,
  noop,
  register,
  replayOf,
  snapshotOf,
  startRun,
  startWaiting,
  workflows,
} from './runs-calls.ts'

after(releaseServer)

const stored = ({ status, body }: Answer) => [status, body]
const failing = { id: 'then', typeId: 'core.fail' }

for (const storage of storagesOfBehaviour) {
  describe(`workflows on ${storage}`, () => {
    const server = useServer({ storage })

    test('the same document again changes nothing, in any order of its members; a changed one is a new version', async () => {
      const { call } = await server.tenant()
      const document = chain('w', [noop('a'), noop('b')], { description: 'first' })
      assert.deepEqual(stored(await call('POST', workflows, document)), [201, { id: 'w', version: 1 }])
      assert.deepEqual(stored(await call('POST', workflows, document)), [200, { id: 'w', version: 1 }])
      const reversed = Object.fromEntries(Object.entries(document).reverse())
      assert.deepEqual(stored(await call('POST', workflows, reversed)), [200, { id: 'w', version: 1 }])
      const changed = { ...document, description: 'second' }
      assert.deepEqual(stored(await call('POST', workflows, changed)), [201, { id: 'w', version: 2 }])
      assert.deepEqual(stored(await call('POST', workflows, document)), [201, { id: 'w', version: 3 }])
      assert.deepEqual((await call('GET', '/v1/workflows/w')).body, document)
      const listed = { workflows: [{ id: 'w', version: 3, name: 'The workflow w' }] }
      assert.deepEqual((await call('GET', workflows)).body, listed)
    })

    test('a run keeps the version it started with, and so do its forks', async () => {
      const { call } = await server.tenant()
      await register(call, chain('w', [gate(), noop('then')]))
      const runId = await startWaiting(call, 'w')
      await register(call, chain('w', [gate(), failing]))
      const newer = await startWaiting(call, 'w')
      for (const id of [runId, newer]) {
        const accept = { resumeValue: { action: 'accept' } }
        assert.equal((await call('POST', `/v1/runs/${id}/interrupts/gate`, accept)).status, 200)
      }
      assert.equal((await ended(call, runId)).status, 'completed')
      assert.equal((await ended(call, newer)).status, 'failed')
      const replay = (await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay' })).body.runId
      assert.equal((await ended(call, replay)).status, 'completed')
      const { runs } = (await call('GET', `${host}/runs?workflowId=w`)).body
      const versions = new Map(
        runs.map((run: { runId: string; workflowVersion: number }) => [run.runId, run.workflowVersion]),
      )
      assert.deepEqual([versions.get(runId), versions.get(newer), versions.get(replay)], [1, 2, 1])
    })

    test('concurrent equal documents make one version, and different ones a version each', async () => {
      const { call } = await server.tenant()
      const equal = await Promise.all(
        Array.from({ length: 20 }, () => call('POST', workflows, chain('same', [noop()]))),
      )
      assert.deepEqual(equal.map(({ status }) => status).sort(), [...Array.from({ length: 19 }, () => 200), 201])
      for (const { body } of equal) assert.deepEqual(body, { id: 'same', version: 1 })
      const different = await Promise.all(
        Array.from({ length: 5 }, (_, index) => call('POST', workflows, chain('other', [noop(`n${index}`)]))),
      )
      assert.deepEqual(different.map(({ body }) => body.version).sort(), [1, 2, 3, 4, 5])
    })

    test('workflows belong to their tenant', async () => {
      const [one, two] = [await server.tenant(), await server.tenant()]
      await register(one.call, chain('mine', [noop()]))
      assertError(await two.call('GET', '/v1/workflows/mine'), 404, 'not_found')
      assertError(await two.call('POST', '/v1/runs', { workflowId: 'mine' }), 404, 'not_found')
      assert.deepEqual((await two.call('GET', workflows)).body, { workflows: [] })
      await register(two.call, chain('mine', [failing]))
      assert.equal((await ended(one.call, await startRun(one.call, 'mine'))).status, 'completed')
      // A child is looked for in the tenant of its parent.
      await register(
        two.call,
        chain('parent', [{ id: 'sub', typeId: 'core.subWorkflow', config: { workflowId: 'mine' } }]),
      )
      assert.equal((await ended(two.call, await startRun(two.call, 'parent'))).error.code, 'child_run_failed')
      // A tenant named in the document is only text.
      await register(two.call, chain('named', [noop()], { tenantId: one.id }))
      assertError(await one.call('GET', '/v1/workflows/named'), 404, 'not_found')
    })

    test('workflows are listed page by page', async () => {
      const { call } = await server.tenant()
      for (const id of ['a', 'b', 'c']) await register(call, chain(id, [noop()]))
      const first = (await call('GET', `${workflows}?limit=2`)).body
      assert.deepEqual([first.workflows.length, typeof first.cursor], [2, 'string'])
      const second = (await call('GET', `${workflows}?limit=2&cursor=${first.cursor}`)).body
      assert.deepEqual(second, { workflows: [{ id: 'c', version: 1, name: 'The workflow c' }] })
      for (const query of ['limit=-1', 'limit=x', 'limit=1&limit=2', 'tenantId=default'])
        assertError(await call('GET', `${workflows}?${query}`), 400, 'validation_error')
    })
  })
}

describe('registered workflows', () => {
  const server = useServer()

  test('the config of core nodes can have members that the host does not read', async () => {
    const { call } = await server.tenant()
    for (const typeId of ['core.noop', 'core.identity', 'core.delay', 'core.fail', 'core.approvalGate']) {
      const document = chain('tolerant', [{ id: 'x', typeId, config: { unknown: [1], title: 'x' } }])
      assert.equal((await call('POST', workflows, document)).status, 201, typeId)
      assert.deepEqual((await call('GET', '/v1/workflows/tolerant')).body, document)
    }
  })

  test('a workflow with the maximum number of nodes runs to completion', async () => {
    const { call } = await server.tenant()
    await register(
      call,
      chain(
        'long',
        Array.from({ length: 1_000 }, (_, index) => noop(`n${index}`)),
      ),
    )
    const run = await ended(call, await startRun(call, 'long'))
    assert.equal(run.status, 'completed')
    assert.equal(Object.keys(run.nodeStates).length, 1_000)
  })

  test('a pattern with catastrophic backtracking in other engines is matched at once', async () => {
    const { call } = await server.tenant()
    const document = chain('pattern', [noop('a'), noop('b')])
    const condition = { type: 'regex', left: 'inputs.text', right: '^(a+)+$' }
    await register(call, { ...document, edges: document.edges.map((edge) => ({ ...edge, condition })) })
    const run = await ended(call, await startRun(call, 'pattern', { inputs: { text: `${'a'.repeat(50_000)}!` } }))
    assert.deepEqual([run.status, run.nodeStates.b.status], ['completed', 'skipped'])
  })

  test('a workflow that starts itself ends at the maximum depth', async () => {
    const { call } = await server.tenant()
    await register(
      call,
      chain('endless', [{ id: 'again', typeId: 'core.subWorkflow', config: { workflowId: 'endless' } }]),
    )
    const run = await ended(call, await startRun(call, 'endless'))
    assert.deepEqual([run.status, run.error.code], ['failed', 'child_run_failed'])
    const { runs } = (await call('GET', `${host}/runs`)).body
    assert.ok(runs.length > 1 && runs.length <= limits.runDepthMax + 1, `${runs.length} runs`)
    for (const { runId } of runs) assert.equal((await snapshotOf(call, runId)).status, 'failed')
  })

  test('a repeated key gets the first version, also after the workflow changed', async () => {
    const { call } = await server.tenant()
    const document = chain('w', [noop('a')])
    const first = await call('POST', workflows, document, keyed('one'))
    assert.deepEqual([...stored(first), ...replayOf(first)], [201, { id: 'w', version: 1 }, 'false', 'false'])
    const again = await call('POST', workflows, document, keyed('one'))
    assert.deepEqual([...stored(again), ...replayOf(again)], [201, { id: 'w', version: 1 }, 'true', 'true'])
    await register(call, chain('w', [noop('b')]))
    const late = await call('POST', workflows, document, keyed('one'))
    assert.deepEqual([...stored(late), ...replayOf(late)], [201, { id: 'w', version: 1 }, 'true', 'true'])
    assert.equal((await call('GET', workflows)).body.workflows[0].version, 2)
  })

  test('a key that was used for another workflow is refused', async () => {
    const { call } = await server.tenant()
    await call('POST', workflows, chain('w', [noop('a')]), keyed('one'))
    for (const other of [chain('w', [noop('b')]), chain('v', [noop('a')])])
      assertError(await call('POST', workflows, other, keyed('one')), 409, 'idempotency_key_mismatch')
    assert.deepEqual((await call('GET', '/v1/workflows/w')).body, chain('w', [noop('a')]))
    assertError(await call('GET', '/v1/workflows/v'), 404)
  })
})
