import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type Answer, type Call, createHome, type Home, randomKey } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { openStream } from '../support/sse.ts'
import {
  chain,
  delay,
  ended,
  eventsOf,
  gate,
  isEnded,
  keyed,
  put,
  register,
  replayOf,
  runsOf,
  snapshotOf,
  startRun,
  startWaiting,
  typesOf,
  until,
} from './runs-calls.ts'

after(releaseServer)

const deadline = { timeout: 120_000 }
const accept = { resumeValue: { action: 'accept' } }
const ends = ['run.completed', 'run.failed', 'run.cancelled']

const into = (node: ReturnType<typeof put>) => ({ ...node, config: { ...node.config, into: 'last' } })
/** Every node is a commit of its own, all of them in the run execution of the server that made the run. */
const manySteps = chain(
  'many-steps',
  Array.from({ length: 100 }, (_, index) => into(put(`put-${index}`, `step ${index}`))),
)
const asking = chain('asking', [put('before', 'before'), gate(), put('behind', 'behind')])
const resting = chain('resting', [put('before', 'before'), delay(), put('behind', 'behind')])

describe('two servers on one PostgreSQL', () => {
  let home: Home
  let a: ServerProcess
  let b: ServerProcess
  before(async () => {
    home = await createHome('postgres')
    const env = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_OPERATOR_KEY: randomKey() }
    a = await startServerProcess({ home, env })
    b = await startServerProcess({ home, env })
    for (const workflow of [manySteps, asking, resting]) await register(a.call, workflow)
  })
  after(async () => {
    for (const part of [a, b, home]) await part[Symbol.asyncDispose]()
  })

  const stream = (server: ServerProcess, runId: string) =>
    openStream(`${server.url}/v1/runs/${runId}/events?streamMode=debug`, server.key)
  const answer = (call: Call, runId: string) => call('POST', `/v1/runs/${runId}/interrupts/gate`, accept)
  const poll = (call: Call, runId: string, lastSequence: number) =>
    call('GET', `/v1/runs/${runId}/events/poll?timeout=25&lastSequence=${lastSequence}`)

  /** The log is the same on each server, has no gap, and one end, as its last event. */
  async function checkLog(runId: string, status: string): Promise<void> {
    const events = await eventsOf(a.call, runId)
    assert.deepEqual(await eventsOf(b.call, runId), events)
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => index),
    )
    assert.deepEqual(
      typesOf(events).filter((type) => ends.includes(type)),
      [`run.${status}`],
    )
    assert.equal(events.at(-1)?.type, `run.${status}`)
  }

  test('a stream at one has the events of the other, in order, until the end', deadline, async (t) => {
    const runId = await startRun(a.call, 'many-steps')
    await using there = await stream(b, runId)
    const late: number[] = []
    await there.until('the end was sent', (events) => {
      const last = events.at(-1)
      if (last) late.push(Date.now() - Date.parse(last.data.timestamp))
      return ends.includes(last?.event ?? '')
    })
    await there.ended
    await checkLog(runId, 'completed')
    assert.deepEqual(
      there.events.map(({ data }) => data),
      await eventsOf(a.call, runId),
    )
    assert.ok(late.length > 0)
    t.diagnostic(`the last event was seen ${late.at(-1)} ms after it happened`)
  })

  test('a poll on one is answered as soon as the other stores an event', deadline, async () => {
    const runId = await startWaiting(a.call, 'asking')
    const before = (await eventsOf(b.call, runId)).at(-1)?.sequence ?? 0
    const asked = poll(b.call, runId, before)
    assert.equal((await answer(a.call, runId)).status, 200)
    const polled = (await asked).body
    assert.ok(polled.events.length > 0, 'the poll ran into its timeout')
    assert.equal(polled.events[0].sequence, before + 1)
    await ended(b.call, runId)
    await checkLog(runId, 'completed')
  })

  test('a run made on one is answered on the other, by key and by token', deadline, async () => {
    const byKey = await startWaiting(a.call, 'asking')
    assert.equal((await answer(b.call, byKey)).status, 200)
    const byToken = await startWaiting(b.call, 'asking')
    const { callbackUrl } = (await snapshotOf(a.call, byToken)).interrupt
    assert.equal((await b.as(null)('POST', callbackUrl, accept)).status, 200)
    for (const runId of [byKey, byToken]) {
      for (const { call } of [a, b]) assert.equal((await ended(call, runId)).status, 'completed')
      await checkLog(runId, 'completed')
    }
  })

  test('a run made on one is cancelled on the other, while it waits for an answer or is paused', deadline, async () => {
    const askingRun = await startWaiting(a.call, 'asking')
    const restingRun = await startRun(a.call, 'resting', { inputs: { ms: 600_000 } })
    await until(a.call, restingRun, 'rests', ({ currentNodeId }) => currentNodeId === 'wait')
    for (const runId of [askingRun, restingRun]) {
      await using there = await stream(a, runId)
      const cancelled = await b.call('POST', `/v1/runs/${runId}/cancel`, { reason: 'over' })
      assert.equal(cancelled.status, 200, cancelled.text)
      await there.until('the end was sent', (events) => events.at(-1)?.event === 'run.cancelled')
      await there.ended
      assert.equal((await snapshotOf(a.call, runId)).status, 'cancelled')
      assert.equal((await snapshotOf(a.call, runId)).nodeStates.behind, undefined)
      await checkLog(runId, 'cancelled')
    }
    assert.equal((await answer(a.call, askingRun)).status, 422)
  })

  test('a run made on one is paused on the other and resumed on either', deadline, async () => {
    for (const drainPolicy of ['immediate', 'drain-current-node']) {
      const askingRun = await startWaiting(a.call, 'asking')
      const paused = await b.call('POST', `/v1/runs/${askingRun}:pause`, { drainPolicy })
      assert.equal(paused.status, 202, paused.text)
      await until(a.call, askingRun, 'is paused', ({ status }) => status === 'paused')
      assert.equal((await answer(a.call, askingRun)).status, 200)
      assert.equal((await snapshotOf(b.call, askingRun)).status, 'paused', 'an answer does not end a pause')
      const resumed = await a.call('POST', `/v1/runs/${askingRun}:resume`, {})
      assert.equal(resumed.status, 202, resumed.text)
      assert.equal((await ended(b.call, askingRun)).status, 'completed')
      await checkLog(askingRun, 'completed')
    }
    const restingRun = await startRun(a.call, 'resting', { inputs: { ms: 50 } })
    const paused = await b.call('POST', `/v1/runs/${restingRun}:pause`, { drainPolicy: 'immediate' })
    // It may have ended already; if not, it is paused until it is resumed.
    if (paused.status === 202) {
      await until(a.call, restingRun, 'is paused or over', (run) => run.status === 'paused' || isEnded(run))
      await b.call('POST', `/v1/runs/${restingRun}:resume`, {})
    }
    assert.equal((await ended(a.call, restingRun)).status, 'completed')
    await checkLog(restingRun, 'completed')
  })

  test('of twenty concurrent answers to both, one is accepted', deadline, async () => {
    for (const _round of [1, 2, 3]) {
      const runId = await startWaiting(a.call, 'asking')
      const calls = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? a : b).call)
      const answers = await Promise.all(calls.map((call) => answer(call, runId)))
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 409)])
      const refused = answers.filter(({ status }) => status === 409).map(({ body }) => body.error)
      assert.deepEqual(new Set(refused), new Set(['interrupt_already_resolved']))
      assert.equal((await ended(b.call, runId)).status, 'completed')
      const types = typesOf(await eventsOf(a.call, runId))
      for (const once of ['interrupt.resolved', 'approval.received', 'node.resumed'])
        assert.equal(types.filter((type) => type === once).length, 1, once)
      await checkLog(runId, 'completed')
    }
  })

  test(
    'a run that is cancelled while it completes ends once, and all callers get the same result',
    deadline,
    async (t) => {
      const outcomes: string[] = []
      // At different times, so that each of them is first sometimes.
      for (const waitMs of [0, 0, 5, 10, 15, 20, 40, 80]) {
        const runId = await startWaiting(a.call, 'asking')
        await answer(a.call, runId)
        await pause(waitMs)
        const cancels = await Promise.all(
          [a, b, a, b].map(({ call }) => call('POST', `/v1/runs/${runId}/cancel`, { reason: 'enough' })),
        )
        const { status } = await ended(b.call, runId)
        await checkLog(runId, status)
        outcomes.push(status)
        const expected = status === 'cancelled' ? 200 : 409
        for (const { status: code, text } of cancels) assert.equal(code, expected, text)
      }
      const summary = Object.entries(Object.groupBy(outcomes, (status) => status))
      t.diagnostic(summary.map(([status, runs]) => `${runs?.length} ${status}`).join(', '))
    },
  )

  test('of ten concurrent creates with one key on both, one makes a run', deadline, async () => {
    const before = await runsOf(a.call)
    for (const round of [1, 2, 3]) {
      const draft = { workflowId: 'asking', tags: [`round-${round}`] }
      const create = ({ call }: ServerProcess): Promise<Answer> =>
        call('POST', '/v1/runs', draft, keyed(`create-${round}`))
      const made = await Promise.all(Array.from({ length: 10 }, (_, index) => create(index % 2 === 0 ? a : b)))
      assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]))
      assert.equal(new Set(made.map(({ body }) => body.runId)).size, 1)
      const first = made.filter((one) => replayOf(one).every((header) => header !== 'true'))
      assert.equal(first.length, 1, 'all but one are marked as repeats')
      const [runId] = made.map(({ body }) => body.runId as string)
      assert.ok(runId)
      await until(b.call, runId, 'waits', ({ status }) => status === 'waiting-approval')
      assert.equal((await answer(b.call, runId)).status, 200)
      assert.equal((await ended(a.call, runId)).status, 'completed')
      await checkLog(runId, 'completed')
    }
    assert.equal((await runsOf(b.call)).length, before.length + 3)
  })

  test('afterwards no job is active', deadline, async () => {
    const left = async (status: string) =>
      (await a.call('GET', `/v1/host/colophon/jobs?status=${status}`)).body.jobs.length as number
    await eventually('nothing is leased', async () => (await left('leased')) === 0)
    assert.equal(await left('dead'), 0)
    await eventually('nothing waits', async () => (await left('queued')) === 0)
  })
})
