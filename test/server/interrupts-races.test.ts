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
  register,
  snapshotOf,
  startRun,
  startWaiting,
  typesOf,
  waiting,
} from './runs-calls.ts'

after(releaseServer)

const interrupt = (config: object) => ({ id: 'ask', typeId: 'core.interrupt', config: { into: 'answer', ...config } })
const documents = [chain('approval', [gate('ask'), noop('then')]), chain('custom', [interrupt({ kind: 'custom' })])]

for (const storage of storagesOfBehaviour) {
  describe(`concurrent, late and misdirected answers on ${storage}`, { concurrency: true }, () => {
    let server: TestServer
    let call: Call
    before(async () => {
      server = await startServer({ storage })
      call = (await server.tenant()).call
      for (const document of documents) await register(call, document)
    })
    after(() => server[Symbol.asyncDispose]())

    const answer = (runId: string, resumeValue: unknown, as = call) =>
      as('POST', `/v1/runs/${runId}/interrupts/ask`, { resumeValue })

    test('of many concurrent answers one is accepted, and each response says whether it was that one', async () => {
      const runId = await startWaiting(call, 'custom')
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => answer(runId, index)))
      const taken = answers.findIndex(({ status }) => status === 200)
      for (const [index, other] of answers.entries())
        if (index !== taken) assertError(other, 409, 'interrupt_already_resolved')
      assert.equal((await ended(call, runId)).variables.answer, taken)
      const types = typesOf(await eventsOf(call, runId))
      assert.deepEqual(types.filter((type) => type === 'interrupt.resolved').length, 1)
    })

    test('a concurrent answer and cancel do not both take effect', async () => {
      for (const _round of [1, 2, 3, 4, 5]) {
        const runId = await startWaiting(call, 'approval')
        const [answered, cancelled] = await Promise.all([
          answer(runId, { action: 'accept' }),
          call('POST', `/v1/runs/${runId}/cancel`),
        ])
        assert.ok([200, 409, 422].includes(answered.status), answered.text)
        assert.ok([200, 409].includes(cancelled.status), cancelled.text)
        const { status } = await ended(call, runId)
        const types = typesOf(await eventsOf(call, runId))
        assert.equal(cancelled.status === 200, status === 'cancelled')
        assert.equal(answered.status === 200, types.includes('interrupt.resolved'))
        assert.equal(types.at(-1), `run.${status}`)
      }
    })

    test('a run without an open interrupt accepts no answer', async () => {
      const runId = await startWaiting(call, 'approval')
      for (const nodeId of ['then', 'none', 'constructor', '__proto__', 'ask%20', 'x'.repeat(5_000)])
        assertError(
          await call('POST', `/v1/runs/${runId}/interrupts/${nodeId}`, { resumeValue: { action: 'accept' } }),
          404,
          'interrupt_not_found',
        )
      const other = await server.tenant()
      assertError(await answer(runId, { action: 'accept' }, other.call), 404, 'not_found')
      assert.equal((await snapshotOf(call, runId)).status, 'waiting-approval')
      await call('POST', `/v1/runs/${runId}/cancel`)
      assertError(await answer(runId, { action: 'accept' }), 422, 'interrupt_cancelled')
    })

    test('an interrupt without an answer in time fails its node, and the workflow handles the failure', async () => {
      const late = { ...chain('late', [gate('ask', { timeoutMs: 50 }), noop('then'), noop('otherwise')]) }
      const edge = (id: string, triggerRule: string) => ({ id, sourceNodeId: 'ask', targetNodeId: id, triggerRule })
      await register(call, { ...late, edges: [edge('then', 'all_success'), edge('otherwise', 'any_failed')] })
      const handled = await ended(call, await startRun(call, 'late'))
      const states = ['ask', 'then', 'otherwise'].map((id) => handled.nodeStates[id].status)
      assert.deepEqual([handled.status, ...states], ['completed', 'failed', 'skipped', 'completed'])
      await register(call, chain('too-late', [interrupt({ kind: 'external-event', timeoutMs: 50 })]))
      const run = await ended(call, await startRun(call, 'too-late'))
      assert.deepEqual([run.status, run.error.code], ['failed', 'interrupt_timeout'])
      await register(call, chain('no-hurry', [interrupt({ kind: 'custom', timeoutMs: 0 })]))
      assert.equal((await waiting(call, await startRun(call, 'no-hurry'))).status, 'waiting-external')
    })
  })
}
