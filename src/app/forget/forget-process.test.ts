import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tenant } from '../tenant.ts'
import { ForgetProcess } from './forget-process.ts'

test('a stop does not wait for a long read of a forget, and a read that ends in time is returned', async () => {
  const stop = new AbortController()
  const options = { fences: [], cascade: false, record: null, signal: stop.signal }
  const erasure = new ForgetProcess({} as Tenant, options)
  assert.equal(await erasure.untilStopped(Promise.resolve(7)), 7)
  const endless = erasure.untilStopped(new Promise(() => {}))
  const failing = Promise.reject(new Error('The connection was closed.'))
  stop.abort(new Error('stopping'))
  await assert.rejects(endless, /stopping/)
  assert.throws(() => stop.signal.throwIfAborted(), /stopping/)
  await assert.rejects(erasure.untilStopped(failing), /stopping/)
  await failing.catch(() => {})
})
