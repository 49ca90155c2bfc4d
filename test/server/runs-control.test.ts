import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { startServer, storagesOfBehaviour, type Tenant, type TestServer } from '../support/server.ts'
import {
  chain,
  delay,
  ended,
  eventsOf,
  gate,
  host,
  noop,
  register,
  runsOf,
  snapshotOf,
  startRun,
  startWaiting,
  typesOf,
  until,
  waiting,
} from './runs-calls.ts'

after(releaseServer)

const accept = { resumeValue: { action: 'accept' } }
const statusOf = async ({ call }: Tenant, runId: string) => (await snapshotOf(call, runId)).status as string
const isPaused = ({ status }: { status: string }) => status === 'paused'

for (const storage of storagesOfBehaviour) {
  describe(`control of runs on ${storage}`, { concurrency: true }, () => {
    let server: TestServer
    let tenant: Tenant
    let other: Tenant
    before(async () => {
      server = await startServer({ storage })
      tenant = await server.tenant()
      other = await server.tenant()
      for (const { call } of [tenant, other]) {
        await register(call, chain('quick', [noop()]))
        await register(call, chain('asks', [gate(), noop('then')]))
        await register(call, chain('sleeps', [delay(), noop('then')]))
        const child = { id: 'sub', typeId: 'core.subWorkflow', config: { workflowId: 'asks' } }
        await register(call, chain('parent', [child]))
      }
    })
    after(() => server[Symbol.asyncDispose]())

    test('a cancel with an invalid reason or body changes nothing', async () => {
      const { call } = tenant
      const runId = await startWaiting(call, 'asks')
      const wrong = [
        [],
        'x',
        1,
        { reason: 1 },
        { reason: null },
        { reason: {} },
        { reason: 'x'.repeat(513) },
        { reason: 'a\u0000' },
      ]
      for (const verb of ['/cancel', ':pause', ':resume']) {
        for (const body of wrong)
          assertError(await call('POST', `/v1/runs/${runId}${verb}`, JSON.stringify(body)), 400, 'validation_error')
        assertError(await call('POST', `/v1/runs/${runId}${verb}?force=1`), 400, 'validation_error')
        for (const id of ['none', 'run_', 'x'.repeat(129), 'x'.repeat(5_000), '%20', '..%2f', '__proto__'])
          assertError(await call('POST', `/v1/runs/${id}${verb}`), 404, 'not_found')
        assertError(await other.call('POST', `/v1/runs/${runId}${verb}`), 404, 'not_found')
      }
      for (const drainPolicy of ['now', '', 1, null, []])
        assertError(await call('POST', `/v1/runs/${runId}:pause`, { drainPolicy }), 400, 'validation_error')
      assert.equal(await statusOf(tenant, runId), 'waiting-approval')
    })

    test('a cancel ends a run once, with the runs inside it, and does not change a run that has ended', async () => {
      const { call } = tenant
      const runId = await startRun(call, 'parent')
      const run = await until(call, runId, 'has a child', ({ nodeStates }) => nodeStates.sub?.childRunId !== undefined)
      const { childRunId } = run.nodeStates.sub
      await waiting(call, childRunId)
      const cancels = Array.from({ length: 10 }, () => call('POST', `/v1/runs/${runId}/cancel`, { reason: 'enough' }))
      for (const answer of await Promise.all(cancels)) assert.deepEqual(answer.body, { runId, status: 'cancelled' })
      for (const id of [runId, childRunId]) {
        assert.equal((await snapshotOf(call, id)).status, 'cancelled')
        const events = await eventsOf(call, id)
        assert.equal(typesOf(events).filter((type) => type === 'run.cancelled').length, 1)
        assert.deepEqual([events.at(-1).type, events.at(-1).payload.reason], ['run.cancelled', 'enough'])
      }
      assertError(await call('POST', `/v1/runs/${childRunId}/interrupts/gate`, accept), 422, 'interrupt_cancelled')
      const done = await startRun(call, 'quick')
      await ended(call, done)
      const late = await call('POST', `/v1/runs/${done}/cancel`)
      assertError(late, 409, 'run_state')
      assert.equal(late.body.details.runStatus, 'completed')
    })

    test('a parent whose child is cancelled fails', async () => {
      const { call } = tenant
      const runId = await startRun(call, 'parent')
      const run = await until(call, runId, 'has a child', ({ nodeStates }) => nodeStates.sub?.childRunId !== undefined)
      await call('POST', `/v1/runs/${run.nodeStates.sub.childRunId}/cancel`)
      assert.equal((await ended(call, runId)).error.code, 'child_run_failed')
    })

    test('an invalid bulk cancel is refused and cancels no run', async () => {
      const { call } = tenant
      const runId = await startWaiting(call, 'asks')
      const many = Array.from({ length: 101 }, (_, index) => `run ${index}`)
      for (const runIds of [
        undefined,
        null,
        runId,
        {},
        [],
        [1],
        [null],
        [runId, 1],
        [[runId]],
        ['x'.repeat(129)],
        [...many, runId],
      ]) {
        const answer = await call('POST', '/v1/runs:bulk-cancel', { runIds })
        assertError(answer, 400, 'validation_error')
        if (runIds !== undefined) assert.equal(answer.body.details.maxRunIds, 100)
      }
      for (const reason of [1, 'x'.repeat(513)])
        assertError(await call('POST', '/v1/runs:bulk-cancel', { runIds: [runId], reason }), 400, 'validation_error')
      for (const body of ['', '[]', 'null', `["${runId}"]`])
        assertError(await call('POST', '/v1/runs:bulk-cancel', body), 400, 'validation_error')
      assert.equal(await statusOf(tenant, runId), 'waiting-approval')
    })

    test('many are cancelled together, each with its result in order', async () => {
      const { call } = tenant
      const [live, done, theirs] = [
        await startWaiting(call, 'asks'),
        await startRun(call, 'quick'),
        await startWaiting(other.call, 'asks'),
      ]
      await ended(call, done)
      const runIds = [
        live,
        'none',
        done,
        live,
        theirs,
        '',
        ...Array.from({ length: 94 }, (_, index) => `none ${index}`),
      ]
      const { results } = (await call('POST', '/v1/runs:bulk-cancel', { runIds, unknown: 1 })).body
      assert.deepEqual(
        results.map(({ runId }: { runId: string }) => runId),
        runIds,
      )
      const [first, none, second, twice, foreign] = results
      assert.deepEqual(
        [first, twice],
        [
          { runId: live, ok: true, status: 'cancelled' },
          { runId: live, ok: true, status: 'cancelled' },
        ],
      )
      assert.deepEqual(
        [none.ok, none.error.code, second.ok, second.status, second.error.code],
        [false, 'not_found', false, 'completed', 'run_terminal'],
      )
      // Another tenant's run gets the same response as an unknown one.
      assert.deepEqual({ ...foreign, runId: 'none' }, none)
      assert.equal(await statusOf(other, theirs), 'waiting-approval')
    })

    test('a paused run accepts an answer and continues with it only when it is resumed', async () => {
      const { call } = tenant
      const runId = await startWaiting(call, 'asks')
      assert.equal((await call('POST', `/v1/runs/${runId}:pause`, { reason: 'tea' })).status, 202)
      await until(call, runId, 'is paused', isPaused)
      const again = await call('POST', `/v1/runs/${runId}:pause`)
      assertError(again, 409, 'run_state')
      assert.equal(again.body.details.runStatus, 'paused')
      assert.match(again.body.details.pausedAt, /^\d{4}-/)
      assert.equal((await call('POST', `/v1/runs/${runId}/interrupts/gate`, accept)).status, 200)
      assertError(await call('POST', `/v1/runs/${runId}/interrupts/gate`, accept), 409, 'interrupt_already_resolved')
      // Another run completes meanwhile, so this one had its chance to continue by mistake.
      await ended(call, await startRun(call, 'quick'))
      assert.deepEqual(
        [await statusOf(tenant, runId), typesOf(await eventsOf(call, runId)).at(-1)],
        ['paused', 'node.resumed'],
      )
      assert.equal((await call('POST', `/v1/runs/${runId}:resume`)).status, 202)
      assert.equal((await ended(call, runId)).status, 'completed')
      for (const verb of ['pause', 'resume']) {
        const late = await call('POST', `/v1/runs/${runId}:${verb}`)
        assertError(late, 409, 'run_state')
        assert.equal(late.body.details.runStatus, 'completed')
      }
    })

    test('a run that was not paused cannot be resumed, and a paused one can be cancelled', async () => {
      const { call } = tenant
      const runId = await startRun(call, 'sleeps', { inputs: { ms: 600_000 } })
      assertError(await call('POST', `/v1/runs/${runId}:resume`), 409, 'run_state')
      assert.equal((await call('POST', `/v1/runs/${runId}:pause`, { drainPolicy: 'immediate' })).status, 202)
      assert.equal(await statusOf(tenant, runId), 'paused')
      assert.equal((await call('POST', `/v1/runs/${runId}/cancel`)).status, 200)
      assert.deepEqual(
        [await statusOf(tenant, runId), typesOf(await eventsOf(call, runId)).at(-1)],
        ['cancelled', 'run.cancelled'],
      )
      assertError(await call('POST', `/v1/runs/${runId}:resume`), 409, 'run_state')
    })

    test('concurrent pauses and resumes leave a run that still ends', async () => {
      const { call } = tenant
      const runId = await startRun(call, 'sleeps', { inputs: { ms: 300 } })
      const verbs = Array.from({ length: 40 }, (_, index) => (index % 2 ? ':resume' : ':pause'))
      const storm = verbs.map((verb) => call('POST', `/v1/runs/${runId}${verb}`, { drainPolicy: 'immediate' }))
      for (const { status, text } of await Promise.all(storm)) assert.ok([202, 409].includes(status), text)
      // Whatever state the concurrent calls left: resumed once more, and not paused again.
      await call('POST', `/v1/runs/${runId}:resume`)
      assert.equal((await ended(call, runId)).status, 'completed')
      const types = typesOf(await eventsOf(call, runId)).filter((type) => /paused|resumed/.test(type))
      assert.deepEqual(
        types,
        types.map((_, index) => (index % 2 ? 'run.resumed' : 'run.paused')),
      )
    })

    test('a client with the current version of a run gets 304; one with an older version gets the run', async () => {
      const { call } = tenant
      const runId = await startWaiting(call, 'asks')
      const get = (tag: string, as = call) => as('GET', `/v1/runs/${runId}`, undefined, { 'if-none-match': tag })
      const etag = (await call('GET', `/v1/runs/${runId}`)).headers.get('etag') ?? ''
      assert.match(etag, /^"[\x21-\x7e]+"$/)
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const answer = await get(known)
        assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', etag], known)
      }
      for (const unknown of ['', '"other"', etag.slice(1, -1), `${etag}x`, 'W/', ',,,', 'x'.repeat(5_000)])
        assert.equal((await get(unknown)).status, 200, unknown)
      assertError(await get('*', other.call), 404, 'not_found')
      assertError(await get('*', server.as(null)), 401, 'unauthenticated')
      await call('POST', `/v1/runs/${runId}/interrupts/gate`, accept)
      await ended(call, runId)
      assert.equal((await get(etag)).status, 200)
    })

    test('the list of jobs can be read while a run is paused', async () => {
      const { call } = await server.tenant()
      await register(call, chain('asks', [gate()]))
      const runId = await startWaiting(call, 'asks')
      await call('POST', `/v1/runs/${runId}:pause`)
      await until(call, runId, 'is paused', isPaused)
      const jobs = await call('GET', `${host}/jobs`)
      assert.equal(jobs.status, 200, jobs.text)
      assert.equal((await call('GET', `${host}/jobs/${jobs.body.jobs[0].id}`)).status, 200)
    })

    test('unknown run ids are not found on any path', async () => {
      const known = await runsOf(other.call)
      for (const id of [
        'none',
        '-',
        '0',
        'x'.repeat(129),
        'run_%F0%9F%A6%8A',
        '%27%20or%201=1',
        ...known.slice(0, 1),
      ]) {
        for (const path of ['', '/events', '/events/poll', '/debug-bundle', '/artifacts/x', ':diff?against=x'])
          assertError(await tenant.call('GET', `/v1/runs/${id}${path}`), 404, 'not_found')
        assertError(await tenant.call('GET', `${host}/runs/${id}/reads`), 404, 'not_found')
        assertError(await tenant.call('POST', `/v1/runs/${id}:fork`, { mode: 'replay' }), 404, 'not_found')
      }
    })
  })
}
