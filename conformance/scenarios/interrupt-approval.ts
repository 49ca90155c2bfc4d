// A run that waits for a decision.

import type { Check } from '../harness.ts'
import { cancelQuietly, freshKey, hasStatus, ofType, scenario } from '../support.ts'

const facts = 'core 26.9'
const fixture = 'conformance-approval'

async function waitingRun(check: Check): Promise<string> {
  check.needsFixture(fixture)
  const runId = await check.createRun({ workflowId: fixture })
  const snapshot = await check.waitFor(runId, hasStatus('waiting-approval', 'failed', 'completed'))
  check.equal(snapshot.status, 'waiting-approval', 'the status of the suspended run')
  check.equal(snapshot.currentNodeId, 'gate', 'currentNodeId')
  return runId
}

const resolve = (check: Check, runId: string, action: string, node = 'gate') =>
  check.http('POST', `/v1/runs/${runId}/interrupts/${node}`, { body: { resumeValue: { action } } })

export const scenarios = [
  scenario('interrupt-approval.accept', facts, 'Accepting the gate completes the run', async (check) => {
    const runId = await waitingRun(check)
    const answer = await resolve(check, runId, 'accept')
    check.equal(answer.status, 200, 'POST interrupts/gate')
    check.equal(answer.body.runId, runId, 'the runId of the answer')
    check.equal((await check.waitFor(runId)).status, 'completed', 'the terminal status')
    const events = await check.events(runId)
    for (const type of ['node.suspended', 'interrupt.requested', 'interrupt.resolved', 'approval.received'])
      check.equal(ofType(events, type).length, 1, `the number of ${type} events`)
    for (const event of events) check.publishedEvent(event)
  }),

  scenario(
    'interrupt-approval.unknown-action',
    facts,
    'An action the gate does not offer is 400 or 422',
    async (check) => {
      const runId = await waitingRun(check)
      check.refused(await resolve(check, runId, 'maybe'), [400, 422], null, 'the action maybe')
      check.equal((await check.snapshot(runId)).status, 'waiting-approval', 'the status after the refusal')
      await cancelQuietly(check, runId)
    },
  ),

  scenario('interrupt-approval.unknown-node', facts, 'A node that does not wait is 404', async (check) => {
    const runId = await waitingRun(check)
    check.refused(await resolve(check, runId, 'accept', 'no-such-node'), [404], null, 'the node no-such-node')
    await cancelQuietly(check, runId)
  }),

  scenario(
    'interrupt-approval.cancelled',
    'core 5.2',
    'A gate of a cancelled run cannot be resolved',
    async (check) => {
      const runId = await waitingRun(check)
      await cancelQuietly(check, runId)
      check.equal((await check.waitFor(runId)).status, 'cancelled', 'the status after the cancel')
      const late = await resolve(check, runId, 'accept')
      check.refused(late, [404, 409, 422], null, 'a resolve after the cancel')
    },
  ),

  scenario(
    'interrupt-approval.keyed-retry',
    'core 11.1',
    'A resolve repeated under its key is replayed',
    async (check) => {
      const runId = await waitingRun(check)
      const options = { body: { resumeValue: { action: 'accept' } }, headers: { 'Idempotency-Key': freshKey() } }
      const path = `/v1/runs/${runId}/interrupts/gate`
      check.equal((await check.http('POST', path, options)).status, 200, 'the first resolve')
      const repeat = await check.http('POST', path, options)
      check.equal(repeat.status, 200, 'the repeated resolve')
      check.equal(repeat.headers.get('openwop-idempotent-replay'), 'true', 'the replay header')
    },
  ),

  scenario('interrupt-race', 'core 26.52', 'Of two resolves at once exactly one wins', async (check) => {
    const runId = await waitingRun(check)
    const answers = await Promise.all(['accept', 'accept', 'accept'].map((action) => resolve(check, runId, action)))
    check.equal(answers.filter(({ status }) => status === 200).length, 1, 'the number of winners')
    for (const answer of answers)
      if (answer.status !== 200)
        check.refused(answer, [404, 409], ['interrupt_already_resolved', 'interrupt_not_found', 'not_found'], 'a loser')
    check.equal((await check.waitFor(runId)).status, 'completed', 'the terminal status')
    check.equal(
      ofType(await check.events(runId), 'interrupt.resolved').length,
      1,
      'the number of interrupt.resolved events',
    )
  }),
]
