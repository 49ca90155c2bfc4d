import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT_CONTEXT } from '@opentelemetry/api'
import { timedStore } from './timed-store.ts'
import { inTraceScope, newTraceScope } from './trace-scope.ts'

const store = {
  name: 'plain',
  traits: { durable: true },
  jobs: {
    async claim(ms: number, answer: string) {
      const began = performance.now()
      // By the clock that is read there: a timer may be early by it.
      while (performance.now() < began + ms) await new Promise((resolve) => setImmediate(resolve))
      if (answer === '') throw new Error('nothing')
      return answer
    },
  },
  pressure: () => 7,
}

test('a call adds its time to the current scope, also when it fails', async () => {
  const timed = timedStore(store)
  const scope = newTraceScope(ROOT_CONTEXT)
  assert.equal(await inTraceScope(scope, () => timed.jobs.claim(5, 'a')), 'a')
  const { storageMs } = scope
  assert.ok(storageMs >= 5, String(storageMs))
  await assert.rejects(
    inTraceScope(scope, () => timed.jobs.claim(5, '')),
    /nothing/,
  )
  assert.ok(scope.storageMs >= storageMs + 5)
})

test('outside of a scope nothing is added, and members that are no methods are not changed', async () => {
  const timed = timedStore(store)
  assert.equal(await timed.jobs.claim(0, 'b'), 'b')
  assert.deepEqual([timed.name, timed.traits, timed.pressure()], ['plain', { durable: true }, 7])
})
