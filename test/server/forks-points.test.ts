import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertError } from '../support/envelope.ts'
import { type Call, startServer, type TestServer } from '../support/server.ts'
import {
  chain,
  delay,
  ended,
  eventsOf,
  gate,
  noop,
  put,
  register,
  startRun,
  startWaiting,
  typesOf,
  withoutIdsAndTimes,
} from './runs-calls.ts'

const accept = { resumeValue: { action: 'accept', note: 'yes' } }
const list = { id: 'list', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'seen' } }
const edge = (triggerRule: string, targetNodeId: string) => ({
  id: triggerRule,
  sourceNodeId: 'gate',
  targetNodeId,
  triggerRule,
})

async function answered(call: Call, action: string): Promise<string> {
  const runId = await startWaiting(call, 'asks')
  await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action } })
  return runId
}

/** Runs with every outcome that a run can have. */
const sources: Readonly<Record<string, (call: Call) => Promise<string>>> = {
  'that started another': (call) => startRun(call, 'parent'),
  'that skipped a node': (call) => startRun(call, 'skips'),
  'that slept': (call) => startRun(call, 'sleeps', { inputs: { ms: 30 } }),
  'that was answered': (call) => answered(call, 'accept'),
  'that was refused': (call) => answered(call, 'reject'),
  'without an answer in time': (call) => startRun(call, 'hurries'),
  'that failed': (call) => startRun(call, 'fails'),
  'that did too much': (call) => startRun(call, 'sleeps', { inputs: { ms: 0 }, configurable: { recursionLimit: 1 } }),
  'that took too long': (call) =>
    startRun(call, 'sleeps', { inputs: { ms: 600_000 }, configurable: { runTimeoutMs: 20 } }),
}

describe('replays from every point', { concurrency: true }, () => {
  let server: TestServer
  let call: Call
  before(async () => {
    server = await startServer()
    call = (await server.tenant()).call
    await register(call, chain('asks', [put('keep', 'x'), gate('gate', { into: 'answer' }), noop('then')]))
    await register(call, chain('hurries', [gate('gate', { timeoutMs: 20 })]))
    await register(call, chain('fails', [put('keep', 'x'), { id: 'fail', typeId: 'core.fail' }, noop('then')]))
    await register(call, chain('sleeps', [delay(), noop('then')]))
    await register(
      call,
      chain('parent', [{ id: 'sub', typeId: 'core.subWorkflow', config: { workflowId: 'child' } }, list]),
    )
    await register(call, chain('child', [put('keep', 'of the child')]))
    const skips = chain('skips', [noop('gate'), noop('a'), noop('b')])
    await register(call, { ...skips, edges: [edge('all_success', 'a'), edge('any_failed', 'b')] })
  })
  after(() => server[Symbol.asyncDispose]())

  for (const [what, start] of Object.entries(sources)) {
    test(`a replay of a run ${what} gives the same events as that run`, async () => {
      const runId = await start(call)
      const source = await ended(call, runId)
      const log = await eventsOf(call, runId)
      for (let fromSeq = 0; fromSeq <= log.length; fromSeq++) {
        const forked = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq })
        assert.equal(forked.status, 201, forked.text)
        const where = `from ${fromSeq}, before ${log[fromSeq]?.type}`
        const replay = await ended(call, forked.body.runId, 2_000).catch(() => ({ status: 'still waiting' }))
        assert.deepEqual(
          [replay.status, replay.variables, replay.error],
          [source.status, source.variables, source.error],
          where,
        )
        assert.deepEqual(withoutIdsAndTimes(await eventsOf(call, forked.body.runId)), withoutIdsAndTimes(log), where)
      }
    })
  }

  test('a replay cannot be answered differently than its source run', async () => {
    const runId = await startWaiting(call, 'asks')
    const asked = (await eventsOf(call, runId)).length
    await call('POST', `/v1/runs/${runId}/interrupts/gate`, accept)
    await ended(call, runId)
    const { body } = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq: asked })
    const other = { resumeValue: { action: 'reject' } }
    assertError(await call('POST', `/v1/runs/${body.runId}/interrupts/gate`, other), 409, 'interrupt_already_resolved')
    assert.equal((await ended(call, body.runId, 2_000)).status, 'completed')
  })

  test('a branch from between the events of an interrupt asks the interrupt in full', async () => {
    const runId = await startWaiting(call, 'asks')
    const log = await eventsOf(call, runId)
    for (const fromSeq of [log.length - 2, log.length - 1]) {
      const { body } = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'branch', fromSeq })
      await call('POST', `/v1/runs/${body.runId}/interrupts/gate`, accept)
      await ended(call, body.runId)
      const types = typesOf(await eventsOf(call, body.runId))
      for (const type of ['node.suspended', 'interrupt.requested', 'approval.requested'])
        assert.equal(types.filter((other) => other === type).length, 1, `${type} from ${fromSeq}`)
    }
  })
})
