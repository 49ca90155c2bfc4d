// Version 2: what an idempotency key promises.
import type { JsonObject } from '../../harness.ts'
import { scenarioV2, segmentOf, two } from '../../v2.ts'

const facts = 'v2 8, 14'
const noop = { workflowId: 'conformance-noop' }
const isMarked = ({ headers }: { readonly headers: Headers }) => headers.get('openwop-idempotent-replay') === 'true'

export const scenarios = [
  scenarioV2(
    'v2-idempotency-in-flight',
    facts,
    'Of concurrent calls with one key, one is processed',
    async (check, v2) => {
      v2.needs('idempotency')
      check.needsFixture('conformance-delay')
      const headers = { ...two, 'Idempotency-Key': `key-${crypto.randomUUID()}` }
      const body = { workflowId: 'conformance-delay', inputs: { delayMs: 100 } }
      const answers = await Promise.all(Array.from({ length: 5 }, () => v2.http('POST', '/runs', { body, headers })))
      const made = answers.filter(({ status }) => status === 201)
      check.equal(new Set(made.map((answer) => answer.body.runId)).size, 1, 'one run is made')
      check.equal(made.filter((answer) => !isMarked(answer)).length, 1, 'every other response is marked as a repeat')
      for (const refused of answers.filter(({ status }) => status !== 201)) {
        v2.refused(refused, 409, 'idempotency_in_flight', 'a call that did not wait')
        const timing = Object.keys((refused.body.details as JsonObject | undefined) ?? {})
        check.equal(timing.filter((name) => /^retryAfter/i.test(name)).length, 0, 'retry timing is in the header only')
      }
    },
  ),

  scenarioV2('v2-idempotency-final-refusal', facts, 'A final refusal is the outcome of its key', async (check, v2) => {
    v2.needs('idempotency')
    const runId = await v2.completedRun(noop)
    const headers = { ...two, 'Idempotency-Key': `key-${crypto.randomUUID()}` }
    const cancel = (body: JsonObject) => v2.http('POST', `/runs/${segmentOf(runId)}/cancel`, { body, headers })
    const first = await cancel({})
    v2.refused(first, 409, 'run_terminal', 'the cancel of a terminal run')
    check.ok(!isMarked(first), 'the first refusal is not marked as a repeat')
    const again = await cancel({})
    check.equal(again.body, first.body, 'the repeated refusal')
    check.ok(isMarked(again), 'it is marked as a repeat')
    v2.refused(await cancel({ reason: 'other' }), 409, 'idempotency_key_mismatch', 'another body with the key')
  }),
]
