import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { limits } from '../limits.ts'
import { clampInterval, eventsOfTick, nextTick, tickNote } from './heartbeat.ts'

test('a short interval is raised to the minimum, and an invalid one refused', () => {
  assert.equal(clampInterval(1), limits.heartbeatIntervalSecMin)
  assert.equal(clampInterval(3_600), 3_600)
  for (const wrong of [0, -1, 1.5, limits.heartbeatIntervalSecMax + 1])
    assert.throws(() => clampInterval(wrong), { code: 'validation_error' })
})

test('the next tick is the first whole interval after now, so that ticks which passed are skipped', () => {
  const parts = [fc.nat(1e9), fc.integer({ min: 1, max: 90_000 }), fc.nat(1e9)] as const
  fc.assert(
    fc.property(...parts, (createdAt, intervalSec, later) => {
      const now = createdAt + later
      const next = nextTick(createdAt, intervalSec, now)
      assert.ok(next > now && next - now <= intervalSec * 1_000)
      assert.equal((next - createdAt) % (intervalSec * 1_000), 0)
    }),
  )
})

test('a tick has one event, and a second one after a change', () => {
  const evaluated = (changed: boolean, status = 'ok') => ({
    kind: 'heartbeat.evaluated',
    payload: { heartbeatId: 'h', status, changed },
  })
  assert.deepEqual(eventsOfTick(tickNote('h', 'ok', {}, { count: 0 })), [
    evaluated(true),
    { kind: 'heartbeat.stateChanged', payload: { heartbeatId: 'h', from: {}, to: { count: 0 } } },
  ])
  assert.deepEqual(eventsOfTick(tickNote('h', 'ok', { a: 1, b: 2 }, { b: 2, a: 1 })), [evaluated(false)])
  assert.deepEqual(eventsOfTick(tickNote('h', 'timeout', {}, null)), [evaluated(false, 'timeout')])
})
