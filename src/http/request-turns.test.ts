import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Principal } from '../app/access/authenticate.ts'
import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { createRequestTurns } from './request-turns.ts'

const principal = (tenantId: string): Principal => ({ tenantId, keyId: 'k', scopes: [], endsAt: null, actor: 'key:k' })
const asking = (key: string) => ({ headers: { authorization: `Bearer ${key}` }, scope: null })

/** Two tenants that have asked; the look-ups of `busy` end when the test says so. */
async function doorway() {
  const turns = createRequestTurns({ share: 1, holdMs: 60_000, now: () => 0 })
  const ends: (() => void)[] = []
  const lookUp = (tenantId: string) => () =>
    new Promise<Principal>((resolve) => ends.push(() => resolve(principal(tenantId))))
  const open = (key: string, tenantId: string) => turns.knock(asking(key), async () => principal(tenantId))
  await open('key-of-quiet', 'quiet')
  await open('key-of-quiet', 'quiet')
  await open('key-of-busy', 'busy')
  return { turns, ends, lookUp, open }
}

test('a key that opened the door waits in the line of its tenant; one that nobody knows does not', async () => {
  const { turns, ends, lookUp, open } = await doorway()
  const first = turns.knock(asking('key-of-busy'), lookUp('busy'))
  const second = turns.knock(asking('key-of-busy'), lookUp('busy'))
  assert.deepEqual([ends.length, turns.waiting()], [1, 1])
  await open('another-key-of-busy', 'busy')
  await open('key-of-quiet', 'quiet')
  assert.equal(turns.waiting(), 1)
  ends.shift()?.()
  await first
  await new Promise((resolve) => setImmediate(resolve))
  ends.shift()?.()
  await second
})

test('a key that opens nothing any more has lost its place in the line; one that met an overload has not', async () => {
  const { turns, ends, lookUp } = await doorway()
  const refuse = (code: 'overloaded' | 'key_revoked') => async () => Promise.reject(new ColophonError(code, 'no'))
  await assert.rejects(turns.knock(asking('key-of-busy'), refuse('overloaded')))
  await new Promise((resolve) => setImmediate(resolve))
  const first = turns.knock(asking('key-of-busy'), lookUp('busy'))
  const revoked = turns.knock(asking('key-of-busy'), refuse('key_revoked'))
  assert.equal(turns.waiting(), 1)
  ends.shift()?.()
  await first
  await assert.rejects(revoked)
  void turns.knock(asking('key-of-busy'), lookUp('busy'))
  void turns.knock(asking('key-of-busy'), lookUp('busy'))
  assert.deepEqual([ends.length, turns.waiting()], [2, 0])
})

test('of so many keys the oldest are forgotten', async () => {
  const { turns, ends, lookUp, open } = await doorway()
  for (let n = 0; n < limits.requestKeysMax; n++) await open(`key-${n}`, 'busy')
  void turns.knock(asking('key-of-busy'), lookUp('busy'))
  void turns.knock(asking('key-of-busy'), lookUp('busy'))
  assert.deepEqual([ends.length, turns.waiting()], [2, 0])
})
