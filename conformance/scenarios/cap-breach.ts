// Limits of a run: how many nodes, how long.
import { at } from '../harness.ts'
import { finishedRun, nodeOf, ofType, scenario } from '../support.ts'

export const scenarios = [
  scenario('cap-breach', 'core 26.28', 'The fourth node of a run limited to three is not started', async (check) => {
    const limit = 3
    const { runId, snapshot } = await finishedRun(check, {
      workflowId: 'conformance-cap-breach',
      configurable: { recursionLimit: limit },
    })
    check.equal(snapshot.status, 'failed', 'the terminal status')
    check.equal(at(snapshot.error, 'code'), 'recursion_limit_exceeded', 'error.code')
    const events = await check.events(runId)
    const breaches = ofType(events, 'cap.breached')
    check.equal(breaches.length, 1, 'the number of cap.breached events')
    const [breach] = breaches
    check.equal(at(breach?.payload, 'kind'), 'node-executions', 'kind')
    check.equal(at(breach?.payload, 'limit'), limit, 'limit')
    check.ok(Number(at(breach?.payload, 'observed')) > limit, 'observed is greater than the limit')
    const over = at(breach?.payload, 'nodeId')
    check.ok(typeof over === 'string' && over !== '', 'the breach names the node')
    const failed = ofType(events, 'run.failed')[0]
    check.ok(breach && failed && breach.sequence < failed.sequence, 'cap.breached comes before run.failed')
    const started = ofType(events, 'node.started').map(nodeOf)
    check.equal(started.length, limit, 'the number of nodes started')
    check.ok(!started.includes(over), 'the node over the limit was not started')
    for (const event of events) check.publishedEvent(event)
  }),

  scenario('cap-breach.out-of-range', 'core 14', 'A recursionLimit below 1 is 400', async (check) => {
    check.needsFixture('conformance-cap-breach')
    const body = { workflowId: 'conformance-cap-breach', configurable: { recursionLimit: 0 } }
    check.refused(await check.http('POST', '/v1/runs', { body }), [400, 422], ['validation_error'], 'recursionLimit 0')
  }),

  scenario('cap-breach.not-reached', 'core 14', 'A limit that is not reached changes nothing', async (check) => {
    const body = { workflowId: 'conformance-cap-breach', configurable: { recursionLimit: 6 } }
    const { runId, snapshot } = await finishedRun(check, body)
    check.equal(snapshot.status, 'completed', 'the terminal status')
    check.equal(ofType(await check.events(runId), 'cap.breached').length, 0, 'the number of cap.breached events')
  }),

  scenario(
    'run-execution-bounds.advertised',
    'core 26.29',
    'maxRunDurationMs is an integer from 1000 up',
    async (check) => {
      const value = at(check.discovery, 'limits', 'maxRunDurationMs')
      if (value === undefined) check.inapplicable('limits.maxRunDurationMs is not advertised')
      check.ok(Number.isInteger(value) && Number(value) >= 1000, `limits.maxRunDurationMs is ${String(value)}`)
    },
  ),

  scenario(
    'run-execution-bounds.breach',
    'core 26.29',
    'A run that takes too long fails with run_timeout',
    async (check) => {
      const limit = 1000
      const body = { workflowId: 'conformance-run-duration-breach', configurable: { runTimeoutMs: limit } }
      const { runId, snapshot } = await finishedRun(check, body)
      check.equal(snapshot.status, 'failed', 'the terminal status')
      check.equal(at(snapshot.error, 'code'), 'run_timeout', 'error.code')
      const events = await check.events(runId)
      const breaches = ofType(events, 'cap.breached')
      check.equal(breaches.length, 1, 'the number of cap.breached events')
      check.equal(at(breaches[0]?.payload, 'kind'), 'run-duration', 'kind')
      check.equal(at(breaches[0]?.payload, 'limit'), limit, 'limit')
      check.ok(Number(at(breaches[0]?.payload, 'observed')) > limit, 'observed is strictly greater than the limit')
      check.equal(events.at(-1)?.type, 'run.failed', 'the last event')
      for (const event of events) check.publishedEvent(event)
    },
  ),
]
