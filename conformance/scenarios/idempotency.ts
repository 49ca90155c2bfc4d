// Idempotency-Key on create: replay, mismatch, retries, and many at once.
import { type Answer, type Check, pause } from '../harness.ts'
import { freshKey, scenario } from '../support.ts'

const replayHeader = 'openwop-idempotent-replay'
const isReplay = (answer: Answer): boolean => answer.headers.get(replayHeader)?.toLowerCase() === 'true'

function create(check: Check, key: string, nonce: string): Promise<Answer> {
  const body = { workflowId: 'conformance-idempotent', inputs: { nonce } }
  return check.http('POST', '/v1/runs', { body, headers: { 'Idempotency-Key': key } })
}

export const scenarios = [
  scenario('idempotency.replay', 'core 26.6', 'The same key and body give the same run', async (check) => {
    check.needsFixture('conformance-idempotent')
    const key = freshKey()
    const first = await create(check, key, 'a')
    const second = await create(check, key, 'a')
    check.equal(first.status, 201, 'the first create')
    check.oneOf(second.status, [200, 201], 'the second create')
    check.ok(typeof first.body.runId === 'string', 'the first answer has a runId')
    check.equal(second.body.runId, first.body.runId, 'the runId of the second answer')
    check.ok(isReplay(second), 'the second answer is marked as a replay')
  }),

  scenario(
    'idempotency.mismatch',
    'core 26.6',
    'The same key with another body is 409 without a runId',
    async (check) => {
      check.needsFixture('conformance-idempotent')
      const key = freshKey()
      check.equal((await create(check, key, 'a')).status, 201, 'the first create')
      const other = await create(check, key, 'b')
      check.refused(other, [409], ['idempotency_key_mismatch'], 'the other body')
      check.equal(other.body.runId, undefined, 'runId in the refusal')
    },
  ),

  scenario('idempotency-retry.header', 'core 26.25', 'The replay header is exactly true or false', async (check) => {
    check.needsFixture('conformance-idempotent')
    const key = freshKey()
    const first = await create(check, key, 'a')
    const second = await create(check, key, 'a')
    check.equal(first.status, 201, 'the first create')
    check.oneOf(second.status, [200, 201], 'the second create')
    const marked = first.headers.get(replayHeader)
    if (marked !== null) check.oneOf(marked, ['true', 'false'], 'the header of the first answer')
    check.ok(!isReplay(first), 'the first answer is not a replay')
    check.equal(second.headers.get(replayHeader), 'true', 'the header of the replay')
    const limit = check.family('limits')?.idempotencyAckTimeoutSec
    if (limit !== undefined)
      check.ok(Number.isInteger(limit) && Number(limit) >= 5, 'idempotencyAckTimeoutSec is 5 or more')
  }),

  scenario(
    'idempotency-retry.five',
    'core 26.25',
    'Five retries 100 ms apart all succeed with one run',
    async (check) => {
      check.needsFixture('conformance-idempotent')
      const key = freshKey()
      const runIds = new Set<unknown>()
      for (let attempt = 0; attempt < 6; attempt += 1) {
        const answer = await create(check, key, 'a')
        check.oneOf(answer.status, [200, 201], `attempt ${attempt + 1}`)
        check.ok(typeof answer.body.runId === 'string', `attempt ${attempt + 1} gives a runId`)
        runIds.add(answer.body.runId)
        await pause(100)
      }
      check.equal(runIds.size, 1, 'the number of runs')
    },
  ),

  scenario(
    'idempotency.refusals-not-kept',
    'core 11.1',
    'A validation error is not cached under the key',
    async (check) => {
      check.needsFixture('conformance-noop')
      const headers = { 'Idempotency-Key': freshKey() }
      const bad = await check.http('POST', '/v1/runs', { body: {}, headers })
      check.ok(bad.status >= 400 && bad.status < 500, 'an empty body is refused')
      const good = await check.http('POST', '/v1/runs', { body: { workflowId: 'conformance-noop' }, headers })
      check.equal(good.status, 201, 'the corrected body under the same key')
    },
  ),

  scenario('idempotency-key-determinism', 'core 26.7', 'Keys that packs derive are deterministic', async (check) => {
    check.inapplicable('this checks the node packs bundled with a suite, and this suite bundles none')
  }),
]
