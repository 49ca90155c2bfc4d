// Polling with a cursor, the event envelope, and forced engine versions.
import { asArray, at, type RunEventDoc } from '../harness.ts'
import { completedRun, scenario } from '../support.ts'

const facts = 'core 26.17'

export const scenarios = [
  scenario('version-negotiation.envelope', facts, 'Every polled event has the six required fields', async (check) => {
    check.ok(typeof check.discovery.protocolVersion === 'string' && check.discovery.protocolVersion, 'protocolVersion')
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    const { events } = await check.poll(runId, { lastSequence: '0' })
    let before = 0
    check.ok(asArray(events).length > 0, 'there are events after sequence 0')
    for (const event of asArray(events) as RunEventDoc[]) {
      for (const field of ['eventId', 'runId', 'type', 'timestamp'] as const)
        check.ok(typeof event[field] === 'string' && event[field] !== '', `${field} is a text`)
      check.ok('payload' in event, 'payload is there')
      check.ok(!Number.isNaN(Date.parse(event.timestamp)), 'timestamp is a time')
      check.ok(
        Number.isInteger(event.sequence) && event.sequence > before,
        `sequence ${event.sequence} follows ${before}`,
      )
      before = event.sequence
    }
  }),

  scenario(
    'version-negotiation.cursor',
    facts,
    'The cursor is exclusive, and past the end it is empty',
    async (check) => {
      const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
      const fromZero = asArray((await check.poll(runId, { lastSequence: '0' })).events) as RunEventDoc[]
      check.ok(
        fromZero.every(({ sequence }) => sequence > 0),
        'lastSequence=0 leaves out sequence 0',
      )
      const past = await check.poll(runId, { lastSequence: '99999' })
      check.equal(past.events, [], 'the events past the end')
    },
  ),

  scenario(
    'poll.answer',
    'core 10',
    'A poll of a finished run returns at once and says it is complete',
    async (check) => {
      const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
      // A host that waits keeps the caller for 30 s; the caller hangs up long before.
      const body = await check.poll(runId, { timeout: '30' })
      check.equal(body.isComplete, true, 'isComplete')
      const pastEnd = await check.poll(runId, { timeout: '30', lastSequence: '99999' })
      check.equal(pastEnd.isComplete, true, 'isComplete past the end')
    },
  ),

  scenario('poll.bad-cursor', 'core 10', 'A cursor that is no integer is 400', async (check) => {
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    const answer = await check.http('GET', `/v1/runs/${runId}/events/poll?lastSequence=soon&timeout=1`)
    check.refused(answer, [400], ['validation_error'], 'lastSequence=soon')
  }),

  scenario('version-fold', 'core 26.44', 'Runs under each forced engine version complete', async (check) => {
    const range = at(check.discovery, 'testing', 'forceEngineVersionRange')
    if (range === undefined) check.inapplicable('testing.forceEngineVersionRange is not advertised')
    check.needsFixture('conformance-version-fold')
    const { min, max } = range as { min: number; max: number }
    const create = (version: number) =>
      check.http('POST', '/v1/runs', {
        body: { workflowId: 'conformance-version-fold' },
        headers: { 'X-Force-Engine-Version': String(version) },
      })
    for (const version of new Set([min, Math.floor((min + max) / 2), max])) {
      const answer = await create(version)
      if (answer.body.error === 'force_engine_version_forbidden') check.blocked('the key given is not a test key')
      check.equal(answer.status, 201, `a run under engine version ${version}`)
      const runId = String(answer.body.runId)
      check.equal((await check.waitFor(runId)).status, 'completed', `its end under engine version ${version}`)
      check.ok((await check.events(runId)).length > 0, `its events under engine version ${version}`)
    }
    check.refused(await create(max + 1), [400], ['unsupported_force_engine_version'], 'a version out of range')
  }),
]
