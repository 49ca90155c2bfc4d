// A run that asks a question.
import { hasStatus, ofType, scenario } from '../support.ts'

const fixture = 'conformance-clarification'

export const scenarios = [
  scenario('interrupt-clarification', 'core 26.10', 'Answering the question completes the run', async (check) => {
    check.needsFixture(fixture)
    const runId = await check.createRun({ workflowId: fixture })
    const snapshot = await check.waitFor(runId, hasStatus('waiting-input', 'failed', 'completed'))
    check.equal(snapshot.status, 'waiting-input', 'the status of the suspended run')
    check.equal(snapshot.currentNodeId, 'ask', 'currentNodeId')
    const body = { resumeValue: { answers: { q1: 'blue' } } }
    check.equal(
      (await check.http('POST', `/v1/runs/${runId}/interrupts/ask`, { body })).status,
      200,
      'POST interrupts/ask',
    )
    check.equal((await check.waitFor(runId)).status, 'completed', 'the terminal status')
    const events = await check.events(runId)
    check.equal(ofType(events, 'interrupt.resolved').length, 1, 'the number of interrupt.resolved events')
    for (const event of events) check.publishedEvent(event)
  }),
]
