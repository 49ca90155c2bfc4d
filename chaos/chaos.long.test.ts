import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storagesOfBehaviour } from '../test/support/server.ts'
import { roundOf } from './plan.ts'
import { reportText } from './report.ts'
import { runChaos } from './run.ts'
import type { Wire } from './wire.ts'

// A test of a few seconds finds little; it shows that the harness works. npm run chaos runs longer.
// The limits of the tests are above those of the phases, whose errors say what a phase waited for.
const short = { seconds: 59, rounds: 1 }

describe('under every fault, no acknowledged write is lost, none takes effect twice, and every failure has a code', () => {
  for (const database of storagesOfBehaviour) {
    test(`on ${database}`, { timeout: 600_000 }, async (t) => {
      const report = await runChaos({ seed: 'short', database, ...short })
      assert.ok(report.ok, reportText(report))
      assert.deepEqual(Object.keys(report.faults).sort(), [...roundOf(database, short.seconds)].sort())
      assert.ok(report.retries > 0, 'no client noticed a fault, so this proved nothing')
      for (const { name, checked } of report.checks) assert.ok(checked > 0, `${name} checked nothing`)
      t.diagnostic(reportText(report).split('\n')[0] ?? '')
    })
  }
})

test('a server that loses or repeats writes is detected', { timeout: 600_000 }, async () => {
  const done = { forgotten: 0, doubled: 0, unnamed: 0 }
  /** Acknowledges one write and drops it, applies another one twice, and refuses a call without a code. */
  const meddle = (wire: Wire): Wire => {
    let writes = 0
    return async (target, call, hangUp) => {
      const isWrite = call.method === 'POST' && call.path.endsWith('/entries')
      // Each has its own number: while one of them waits, others arrive.
      const nth = isWrite ? ++writes : 0
      if (nth === 3) {
        done.forgotten += 1
        return { status: 201, body: { id: 'mem_forgotten', ...(call.body as object) } }
      }
      if (nth === 5) {
        done.doubled += 1
        await wire(target, { ...call, idempotencyKey: 'another' })
      }
      if (nth === 7) {
        done.unnamed += 1
        return { status: 503, body: { message: 'not now' } }
      }
      return wire(target, call, hangUp)
    }
  }
  // Without faults: every problem found comes from this meddling.
  const report = await runChaos({ seed: 'control', database: 'sqlite', seconds: 59, rounds: 0, meddle })
  assert.deepEqual(done, { forgotten: 1, doubled: 1, unnamed: 1 })
  assert.equal(report.ok, false)
  const problems = (name: string) => report.checks.find((check) => check.name === name)?.problems.length
  assert.equal(problems('every failure has a code'), 1)
  assert.equal(problems('entries: acknowledged once, there once'), 2)
  const text = reportText(report)
  assert.match(text, /the entry is lost: mem_forgotten/)
  assert.match(text, /the entry is there though no call made it/)
  assert.match(text, /FAILED\. To repeat it: npm run chaos -- --seed control --database sqlite/)
})

test('clients without idempotency keys apply writes twice, which shows that responses do get lost', {
  timeout: 600_000,
}, async () => {
  const meddle =
    (wire: Wire): Wire =>
    (target, { idempotencyKey: _key, ...call }, hangUp) =>
      wire(target, call, hangUp)
  const report = await runChaos({ seed: 'keyless', database: 'sqlite', seconds: 10, meddle })
  assert.match(reportText(report), /the entry is there though no call made it/)
})
