import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '../../core/commit/batch.ts'
import { CachedClocks } from './cached-clocks.ts'

const clockAt = (position: number): Clock => ({
  position,
  lastHash: `hash ${position}`,
  lastCreatedAt: position,
  redactionVersion: 1,
  historyFrom: 0,
})

test('a clock is cached until a commit takes it', () => {
  const clocks = new CachedClocks()
  assert.equal(clocks.take('a'), null)
  clocks.put('a', clockAt(1))
  assert.equal(clocks.take('b'), null)
  assert.deepEqual(clocks.take('a'), clockAt(1))
  assert.equal(clocks.take('a'), null, 'whoever took it has not come back')
})

test('every miss makes the next try come later, up to a limit, until one succeeds', () => {
  const clocks = new CachedClocks()
  const commitsWithoutTry = () => {
    for (let commits = 0; ; commits++) {
      clocks.put('a', clockAt(commits))
      if (clocks.take('a') !== null) return commits
    }
  }
  const waits = Array.from({ length: 9 }, () => {
    clocks.noteMiss('a')
    return commitsWithoutTry()
  })
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 64, 64])
  clocks.noteHit('a')
  assert.equal(commitsWithoutTry(), 0)
  clocks.noteMiss('a')
  assert.equal(commitsWithoutTry(), 1)
})

test('of very many tenants those that wrote last are known', () => {
  const clocks = new CachedClocks()
  for (let tenant = 0; tenant <= 10_000; tenant++) clocks.put(`t${tenant}`, clockAt(tenant))
  assert.equal(clocks.take('t0'), null)
  assert.deepEqual(clocks.take('t1'), clockAt(1))
})
