import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { limits } from '../limits.ts'
import { type ConsoleSession, endedByOneMore } from './session.ts'

const now = 1_000

function sessionsOf(keyIds: readonly string[], expiresAt = now + 1): ConsoleSession[] {
  return keyIds.map((keyId, nth) => ({
    sessionId: `ses_${nth}`,
    ...{ keyId, keyHash: '', hash: '', createdAt: nth, expiresAt },
  }))
}

const repeated = (keyId: string, count: number): string[] => Array.from({ length: count }, () => keyId)

test('a key that opens many sessions ends its own oldest ones', () => {
  const sessions = sessionsOf(['admin', ...repeated('reader', limits.sessionsPerKeyMax + 2)])
  const ended = endedByOneMore(sessions, { keyId: 'reader', now })
  assert.deepEqual(ended, sessions.slice(1, 4))
  assert.deepEqual(endedByOneMore(sessions, { keyId: 'admin', now }), [])
})

test('in a full tenant the key with the most sessions gives one up, and an expired one goes first', () => {
  const keys = Array.from({ length: limits.sessionsPerTenantMax / limits.sessionsPerKeyMax - 1 }, (_, nth) => `k${nth}`)
  const others = keys.flatMap((key) => repeated(key, limits.sessionsPerKeyMax - 1))
  const most = repeated('most', limits.sessionsPerTenantMax - others.length)
  const sessions = sessionsOf([...others, ...most])
  const [ended, ...more] = endedByOneMore(sessions, { keyId: 'new', now })
  assert.deepEqual([ended?.keyId, ended?.createdAt, more], ['most', others.length, []])
  const [expired] = sessionsOf(['k0'], now)
  assert.ok(expired)
  assert.deepEqual(endedByOneMore([expired, ...sessions.slice(1)], { keyId: 'new', now }), [expired])
})

test('after one more, neither limit is exceeded', () => {
  const property = fc.property(
    fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: limits.sessionsPerTenantMax + 5, size: 'max' }),
    (keyIds) => {
      const sessions = sessionsOf(keyIds)
      const ended = new Set(endedByOneMore(sessions, { keyId: 'a', now }))
      const left = sessions.filter((session) => !ended.has(session))
      assert.ok(left.length < limits.sessionsPerTenantMax)
      assert.ok(left.filter(({ keyId }) => keyId === 'a').length < limits.sessionsPerKeyMax)
    },
  )
  fc.assert(property, { numRuns: 20 })
})
