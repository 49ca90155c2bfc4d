// Cancelling one run.
import { cancelQuietly, completedRun, hasStatus, ofType, scenario, unknownId } from '../support.ts'

const facts = 'core 26.19'

export const scenarios = [
  scenario('cancellation', facts, 'A running run is cancelled long before its node would end', async (check) => {
    check.needsFixture('conformance-cancellable')
    const runId = await check.createRun({ workflowId: 'conformance-cancellable', inputs: { delayMs: 10_000 } })
    await check.waitFor(runId, hasStatus('running'))
    const answer = await check.http('POST', `/v1/runs/${runId}/cancel`, { body: { reason: 'conformance' } })
    check.equal(answer.status, 200, 'POST cancel')
    check.equal(answer.body.runId, runId, 'the runId of the answer')
    check.oneOf(answer.body.status, ['cancelled', 'cancelling'], 'the status of the answer')
    check.equal((await check.waitFor(runId)).status, 'cancelled', 'the terminal status')
    const events = await check.events(runId)
    check.equal(ofType(events, 'run.cancelled').length, 1, 'the number of run.cancelled events')
    check.equal(events.at(-1)?.type, 'run.cancelled', 'the last event')
    for (const event of events) check.publishedEvent(event)
  }),

  scenario('cancellation.unknown', facts, 'Cancelling an unknown run is 404 or 403', async (check) => {
    const answer = await check.http('POST', `/v1/runs/${unknownId()}/cancel`, { body: {} })
    check.refused(answer, [403, 404], null, 'POST cancel of an unknown run')
  }),

  scenario('cancellation.finished', 'core 8.1', 'Cancelling a finished run does not change its end', async (check) => {
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    const before = await check.events(runId)
    await cancelQuietly(check, runId)
    check.equal((await check.snapshot(runId)).status, 'completed', 'the status afterwards')
    check.equal(await check.events(runId), before, 'the events afterwards')
  }),
]
