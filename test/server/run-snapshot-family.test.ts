import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import {
  accept,
  ask,
  asksAt,
  childOf,
  contentsNow,
  contentsOf,
  edges,
  inside,
  look,
  note,
  statusOf,
} from './run-snapshot-calls.ts'
import { chain, ended, eventsOf, host, noop, register, runsOf, startRun, typesOf, until } from './runs-calls.ts'

after(releaseServer)

const fail = (id: string) => ({ id, typeId: 'core.fail', config: { code: 'as_planned' } })

const workflows = [
  chain('asking', [note('asked'), ask('ask'), note('answered')]),
  chain('failing', [note('before the fall'), fail('fall')]),
  chain('middle', [inside('below', 'asking'), noop('after')]),
  // It waits at two places: in the middle one for a grandchild, beside it for a child.
  chain(
    'top',
    [inside('deep', 'middle'), inside('flat', 'asking'), look('all')],
    edges(['deep', 'all'], ['flat', 'all']),
  ),
  ...[undefined, 'fail-parent', 'continue', 'ignore'].map((onChildFailure) =>
    chain(`on-failure-${onChildFailure}`, [
      inside('inside', 'failing', onChildFailure === undefined ? {} : { onChildFailure }),
      look('all'),
    ]),
  ),
  chain('on-cancel', [inside('inside', 'asking', { onChildFailure: 'continue' }), look('all')]),
  chain('falls-later', [inside('inside', 'asking'), ask('signal'), fail('fall')], edges(['signal', 'fall'])),
  chain('falls-at-once', [inside('inside', 'asking'), fail('fall')], edges()),
  chain('detached', [inside('inside', 'asking', { waitForCompletion: false }), look('all')]),
  chain('one-child', [inside('inside', 'asking'), look('all')]),
]

for (const storage of storagesOfBehaviour) {
  describe(`${storage}: the end of a run inside a run`, { concurrency: true }, () => {
    const server = useServer({ storage })

    async function newTenant(): Promise<Call> {
      const { call } = await server.tenant()
      for (const workflow of workflows) await register(call, workflow)
      return call
    }

    /** Every run has ended, and so has its job. */
    async function checkQuiet(call: Call): Promise<void> {
      for (const runId of await runsOf(call)) {
        const ends = typesOf(await eventsOf(call, runId)).filter((type) =>
          /^run\.(completed|failed|cancelled)$/.test(type),
        )
        assert.deepEqual(ends, [`run.${await statusOf(call, runId)}`])
      }
      const isOver = async (status: string) =>
        (await call('GET', `${host}/jobs?status=${status}`)).body.jobs.length === 0
      await eventually('all jobs are over', async () => (await isOver('queued')) && (await isOver('leased')))
    }

    test('a cancelled run cancels all runs inside it, in one commit', async () => {
      const call = await newTenant()
      const runId = await startRun(call, 'top')
      const deep = await childOf(call, runId, 'deep')
      const flat = await childOf(call, runId, 'flat')
      const deepest = await childOf(call, deep, 'below')
      for (const child of [flat, deepest]) await asksAt(call, child, 'ask')
      const cancelled = await call('POST', `/v1/runs/${runId}/cancel`, { reason: 'enough' })
      assert.equal(cancelled.status, 200, cancelled.text)
      const instants = new Set<string>()
      for (const one of [runId, deep, flat, deepest]) {
        assert.equal(await statusOf(call, one), 'cancelled')
        const last = (await eventsOf(call, one)).at(-1)
        assert.equal(last.type, 'run.cancelled')
        assert.equal(last.payload.parentRunId, one === runId ? undefined : runId)
        instants.add(last.timestamp)
      }
      assert.equal(instants.size, 1)
      const positions = new Set<number>()
      for (const workflowId of ['top', 'middle', 'asking']) {
        const entries = `${host}/memory/${encodeURIComponent(`runs:${workflowId}`)}/entries`
        for (const { id } of (await call('GET', entries)).body.entries)
          positions.add((await call('GET', `${entries}/${id}/colophon`)).body.audit.position)
      }
      assert.equal(positions.size, 1, 'what is remembered of the four runs has one position: it was one commit')
      assert.deepEqual(await contentsNow(call), ['asked', 'asked'])
      assert.equal((await call('POST', `/v1/runs/${flat}/interrupts/ask`, { resumeValue: {} })).status, 422)
      await checkQuiet(call)
    })

    test('a failed child fails its parent, unless the parent continues on failure; its writes are not shared', async () => {
      const call = await newTenant()
      for (const policy of ['undefined', 'fail-parent', 'continue', 'ignore']) {
        const goesOn = policy === 'continue' || policy === 'ignore'
        const runId = await startRun(call, `on-failure-${policy}`)
        const run = await ended(call, runId)
        assert.equal(run.status, goesOn ? 'completed' : 'failed', policy)
        assert.equal(run.error?.code, goesOn ? undefined : 'child_run_failed')
        assert.equal(run.nodeStates.inside.status, goesOn ? 'completed' : 'failed')
        assert.equal(run.nodeStates.all?.status, goesOn ? 'completed' : undefined)
        const child = await ended(call, await childOf(call, runId, 'inside'))
        assert.deepEqual([child.status, child.error.code], ['failed', 'as_planned'])
        assert.equal((await contentsNow(call, runId)).length, (await contentsNow(call)).length - 1)
      }
      await checkQuiet(call)
    })

    test('when a child is cancelled by itself, the parent’s policy decides', async () => {
      const call = await newTenant()
      const runId = await startRun(call, 'on-cancel')
      const child = await childOf(call, runId, 'inside')
      await asksAt(call, child, 'ask')
      assert.equal((await call('POST', `/v1/runs/${child}/cancel`, {})).status, 200)
      const run = await ended(call, runId)
      assert.equal(run.status, 'completed')
      assert.deepEqual(contentsOf(run.variables.all), [], 'what a cancelled child wrote is not its parent’s')
      await checkQuiet(call)
    })

    test('a run that fails cancels the runs inside it', async () => {
      const call = await newTenant()
      const runId = await startRun(call, 'falls-later')
      const child = await childOf(call, runId, 'inside')
      await asksAt(call, child, 'ask')
      await accept(call, runId, 'signal')
      assert.equal((await ended(call, runId)).error.code, 'as_planned')
      assert.equal(await statusOf(call, child), 'cancelled')
      await checkQuiet(call)
    })

    test('a run that fails in the step that starts a child leaves no child', async () => {
      const call = await newTenant()
      const runId = await startRun(call, 'falls-at-once')
      assert.equal((await ended(call, runId)).error.code, 'as_planned')
      await checkQuiet(call)
      assert.deepEqual(await contentsNow(call), [])
    })

    test('a child without a waiting parent is independent', async () => {
      const call = await newTenant()
      const runId = await startRun(call, 'detached')
      const run = await ended(call, runId)
      assert.equal(run.status, 'completed')
      assert.deepEqual(contentsOf(run.variables.all), [])
      const child = await childOf(call, runId, 'inside')
      await asksAt(call, child, 'ask')
      await accept(call, child, 'ask')
      assert.equal((await ended(call, child)).status, 'completed')
      assert.deepEqual(await contentsNow(call, runId), [], 'and never becomes its parent’s')
      assert.deepEqual(await contentsNow(call), ['answered', 'asked'])
      await checkQuiet(call)
    })

    for (const drainPolicy of ['immediate', 'drain-current-node']) {
      test(`a paused parent stays paused while its child ends (${drainPolicy})`, async () => {
        const call = await newTenant()
        const runId = await startRun(call, 'one-child')
        const child = await childOf(call, runId, 'inside')
        await asksAt(call, child, 'ask')
        assert.equal((await call('POST', `/v1/runs/${runId}:pause`, { drainPolicy })).status, 202)
        await accept(call, child, 'ask')
        assert.equal((await ended(call, child)).status, 'completed')
        await until(call, runId, 'is paused', ({ status }) => status === 'paused')
        // Its revision is in the tag: a run that is taken up again and again while it rests would count on for ever.
        const revision = async () => (await call('GET', `/v1/runs/${runId}`)).headers.get('etag')
        await eventually('the paused run is at rest', async () => {
          const before = await revision()
          await pause(500)
          return before === (await revision())
        })
        assert.equal((await call('POST', `/v1/runs/${runId}:resume`, {})).status, 202)
        const run = await ended(call, runId)
        assert.equal(run.status, 'completed')
        assert.deepEqual(contentsOf(run.variables.all), ['answered', 'asked'])
        await checkQuiet(call)
      })
    }
  })
}
