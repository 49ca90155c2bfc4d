import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCaller } from './caller.ts'
import { begin, endOf } from './phase.ts'
import { randomOf } from './random.ts'
import { createTally } from './tally.ts'

test('a phase that does not end in time says what it waited for, and how its last attempt ended', async () => {
  const tally = createTally()
  const over = new AbortController()
  const parts = { pick: () => ({ url: 'http://any', key: 'k' }), random: randomOf('any'), isLossy: false }
  const wire = async () => ({ status: 503, body: { error: 'storage_busy', message: 'Not now.' } })
  const caller = createCaller({ ...parts, wire, tally, over: over.signal })
  using _fault = begin(tally, 'the fault terminate')
  {
    using _ended = begin(tally, 'the fault kill')
  }
  const calling = caller.callUntilAnswered({ method: 'GET', path: '/healthz' })
  await assert.rejects(endOf(tally, 'The load', 0.1, calling), {
    message:
      'The load did not end within 0.1 s. It waited for: the fault terminate (for 0 s); GET /healthz (for 0 s, last: 503 storage_busy)',
  })
  over.abort()
  assert.equal(await calling, null)
  assert.equal(tally.underWay.size, 1)
  assert.match(
    tally.problems.get('every call is answered')?.join() ?? '',
    /GET \/healthz was not answered .*storage_busy/,
  )
})
