// Ten creates at once, under one key and under ten.
import type { Answer } from '../harness.ts'
import { freshKey, scenario } from '../support.ts'

const facts = 'core 26.26'
const ten = Array.from({ length: 10 }, (_, index) => index)
const isReplay = (answer: Answer): boolean => answer.headers.get('openwop-idempotent-replay') === 'true'

export const scenarios = [
  scenario('high-concurrency.one-key', facts, 'Ten parallel creates under one key make one run', async (check) => {
    check.needsFixture('conformance-idempotent')
    const headers = { 'Idempotency-Key': freshKey() }
    const body = { workflowId: 'conformance-idempotent', inputs: { nonce: 'one-key' } }
    const answers = await Promise.all(ten.map(() => check.http('POST', '/v1/runs', { body, headers })))
    for (const answer of answers) {
      check.oneOf(answer.status, [200, 201, 409], 'a parallel create')
      if (answer.status === 409) check.refused(answer, [409], ['idempotency_in_flight'], 'a parallel create')
    }
    const made = answers.filter(({ status }) => status !== 409)
    check.ok(made.length > 0, 'at least one create succeeds')
    check.equal(new Set(made.map(({ body: answer }) => answer.runId)).size, 1, 'the number of runs')
    check.equal(made.filter((answer) => !isReplay(answer)).length, 1, 'the number of answers that are not replays')
  }),

  scenario('high-concurrency.many-keys', facts, 'Ten parallel creates under ten keys make ten runs', async (check) => {
    check.needsFixture('conformance-idempotent')
    const answers = await Promise.all(
      ten.map((nonce) =>
        check.http('POST', '/v1/runs', {
          body: { workflowId: 'conformance-idempotent', inputs: { nonce: `many-${nonce}` } },
          headers: { 'Idempotency-Key': freshKey() },
        }),
      ),
    )
    const runIds: unknown[] = []
    for (const answer of answers) {
      check.oneOf(answer.status, [200, 201, 429, 503], 'a parallel create')
      if (answer.status >= 400) check.ok(answer.headers.get('retry-after'), `a ${answer.status} has Retry-After`)
      else {
        check.ok(!isReplay(answer), 'a first create is not marked as a replay')
        runIds.push(answer.body.runId)
      }
    }
    check.equal(new Set(runIds).size, runIds.length, 'the number of different runs')
  }),

  scenario('high-concurrency.all-finish', 'core 22', 'Runs that were created together all complete', async (check) => {
    check.needsFixture('conformance-noop')
    const runIds = await Promise.all(ten.map(() => check.createRun({ workflowId: 'conformance-noop' })))
    for (const runId of runIds) check.equal((await check.waitFor(runId)).status, 'completed', 'a run of ten')
  }),
]
