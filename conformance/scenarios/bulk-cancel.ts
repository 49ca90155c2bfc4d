// Cancelling many runs with one call.
import { asArray, at, type Check } from '../harness.ts'
import { hasStatus, scenario, unknownId } from '../support.ts'

const facts = 'core 26.20'
const cancelAll = (check: Check, body: unknown, auth = 'key') =>
  check.http('POST', '/v1/runs:bulk-cancel', { body, auth })

async function longRun(check: Check): Promise<string> {
  check.needsFixture('conformance-cancellable')
  const runId = await check.createRun({ workflowId: 'conformance-cancellable', inputs: { delaySeconds: 30 } })
  await check.waitFor(runId, hasStatus('running'))
  return runId
}

export const scenarios = [
  scenario(
    'bulk-cancel.results',
    facts,
    'Results come in the order asked for, unknown runs included',
    async (check) => {
      const unknown = unknownId()
      const runIds = [await longRun(check), unknown, await longRun(check)]
      const answer = await cancelAll(check, { runIds, reason: 'conformance' })
      check.equal(answer.status, 200, 'POST bulk-cancel')
      const results = asArray(answer.body.results)
      check.equal(
        results.map((result) => at(result, 'runId')),
        runIds,
        'the runIds of the results',
      )
      check.equal(
        results.map((result) => at(result, 'ok')),
        [true, false, true],
        'ok of the results',
      )
      check.equal(at(results[1], 'error', 'code'), 'not_found', 'the code for the unknown run')
      for (const runId of runIds)
        if (runId !== unknown) check.equal((await check.waitFor(runId)).status, 'cancelled', 'a cancelled run')
    },
  ),

  scenario('bulk-cancel.repeat', facts, 'Cancelling again is ok', async (check) => {
    const runIds = [await longRun(check)]
    check.equal((await cancelAll(check, { runIds })).status, 200, 'the first call')
    await check.waitFor(String(runIds[0]))
    const again = await cancelAll(check, { runIds })
    check.equal(again.status, 200, 'the second call')
    check.equal(at(again.body.results, 0, 'ok'), true, 'ok of the second call')
    check.equal(at(again.body.results, 0, 'status'), 'cancelled', 'the status of the second call')
  }),

  scenario('bulk-cancel.all-unknown', facts, 'A call where nothing is found is still 200', async (check) => {
    const answer = await cancelAll(check, { runIds: [unknownId(), unknownId()] })
    check.equal(answer.status, 200, 'POST bulk-cancel of unknown runs')
    for (const result of asArray(answer.body.results)) check.equal(at(result, 'ok'), false, 'ok of an unknown run')
  }),

  scenario('bulk-cancel.bounds', facts, 'No run and too many runs are 400', async (check) => {
    check.refused(await cancelAll(check, { runIds: [] }), [400], ['validation_error'], 'an empty list')
    const advertised = Number(at(check.discovery, 'runs', 'bulkCancel', 'maxRunIds') ?? 100)
    const tooMany = Array.from({ length: Math.max(advertised, 100) + 1 }, unknownId)
    const answer = await cancelAll(check, { runIds: tooMany })
    check.refused(answer, [400], ['validation_error'], 'too many runs')
    check.ok(typeof at(answer.body.details, 'maxRunIds') === 'number', 'details.maxRunIds is a number')
  }),

  scenario(
    'bulk-cancel.foreign',
    'core 7.4',
    'A run of another tenant is an entry that failed, not a refusal',
    async (check) => {
      if (check.target.keyB === null) check.blocked('needs a key of another tenant (--key-b)')
      const runId = await longRun(check)
      const answer = await cancelAll(check, { runIds: [runId] }, 'keyB')
      check.equal(answer.status, 200, 'POST bulk-cancel by another tenant')
      check.equal(at(answer.body.results, 0, 'ok'), false, 'ok')
      check.oneOf(at(answer.body.results, 0, 'error', 'code'), ['forbidden', 'not_found'], 'the code')
      check.equal((await check.snapshot(runId)).status, 'running', 'the status afterwards')
      await cancelAll(check, { runIds: [runId] })
    },
  ),
]
