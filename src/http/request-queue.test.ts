import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Principal } from '../app/access/authenticate.ts'
import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { createRequestQueue } from './request-queue.ts'

const principal = (tenantId: string): Principal => ({ tenantId, keyId: 'k', scopes: [], endsAt: null, actor: 'key:k' })
const requestWith = (key: string) => ({ headers: { authorization: `Bearer ${key}` }, traceScope: null })

/** Two active tenants; the key look-ups of `busy` end when the test ends them. */
async function twoTenants() {
  const queue = createRequestQueue({ share: 1, holdMs: 60_000, now: () => 0 })
  const ends: (() => void)[] = []
  const lookUp = (tenantId: string) => () =>
    new Promise<Principal>((resolve) => ends.push(() => resolve(principal(tenantId))))
  const authenticate = (key: string, tenantId: string) =>
    queue.authenticate(requestWith(key), async () => principal(tenantId))
  await authenticate('key-of-quiet', 'quiet')
  await authenticate('key-of-quiet', 'quiet')
  await authenticate('key-of-busy', 'busy')
  return { queue, ends, lookUp, authenticate }
}

test('a request with a known key waits in the queue of its tenant; one with an unknown key does not', async () => {
  const { queue, ends, lookUp, authenticate } = await twoTenants()
  const first = queue.authenticate(requestWith('key-of-busy'), lookUp('busy'))
  const second = queue.authenticate(requestWith('key-of-busy'), lookUp('busy'))
  assert.deepEqual([ends.length, queue.waiting()], [1, 1])
  await authenticate('another-key-of-busy', 'busy')
  await authenticate('key-of-quiet', 'quiet')
  assert.equal(queue.waiting(), 1)
  ends.shift()?.()
  await first
  await new Promise((resolve) => setImmediate(resolve))
  ends.shift()?.()
  await second
})

test('a key that was refused no longer uses the queue of its tenant; a key whose look-up was overloaded still does', async () => {
  const { queue, ends, lookUp } = await twoTenants()
  const refuse = (code: 'overloaded' | 'key_revoked') => async () => Promise.reject(new ColophonError(code, 'no'))
  await assert.rejects(queue.authenticate(requestWith('key-of-busy'), refuse('overloaded')))
  await new Promise((resolve) => setImmediate(resolve))
  const first = queue.authenticate(requestWith('key-of-busy'), lookUp('busy'))
  const revoked = queue.authenticate(requestWith('key-of-busy'), refuse('key_revoked'))
  assert.equal(queue.waiting(), 1)
  ends.shift()?.()
  await first
  await assert.rejects(revoked)
  void queue.authenticate(requestWith('key-of-busy'), lookUp('busy'))
  void queue.authenticate(requestWith('key-of-busy'), lookUp('busy'))
  assert.deepEqual([ends.length, queue.waiting()], [2, 0])
})

test('beyond the limit the oldest known keys are dropped', async () => {
  const { queue, ends, lookUp, authenticate } = await twoTenants()
  for (let n = 0; n < limits.requestKeysMax; n++) await authenticate(`key-${n}`, 'busy')
  void queue.authenticate(requestWith('key-of-busy'), lookUp('busy'))
  void queue.authenticate(requestWith('key-of-busy'), lookUp('busy'))
  assert.deepEqual([ends.length, queue.waiting()], [2, 0])
})
