import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../core/limits.ts'
import { WebhookCircuitBreaker } from './circuit-breaker.ts'

const { webhookFailuresMax: failuresMax, webhookPauseMs: pauseMs } = limits

function brokenAt(now: number): WebhookCircuitBreaker {
  const breaker = new WebhookCircuitBreaker()
  for (let failure = 0; failure < failuresMax; failure++) breaker.note('wh_1', false, now)
  return breaker
}

test('deliveries to a receiver are paused after so many failures in a row, and no earlier', () => {
  const breaker = new WebhookCircuitBreaker()
  for (let failure = 1; failure < failuresMax; failure++) {
    breaker.note('wh_1', false, 1_000)
    assert.equal(breaker.openUntil('wh_1', 1_000), null)
  }
  breaker.note('wh_1', false, 1_000)
  assert.equal(breaker.openUntil('wh_1', 1_000), 1_000 + pauseMs)
})

test('a success between two failures begins the count again', () => {
  const breaker = new WebhookCircuitBreaker()
  for (let failure = 1; failure < failuresMax; failure++) breaker.note('wh_1', false, 0)
  breaker.note('wh_1', true, 0)
  for (let failure = 1; failure < failuresMax; failure++) breaker.note('wh_1', false, 0)
  assert.equal(breaker.openUntil('wh_1', 0), null)
})

test('after the pause one delivery is tried, and one more failure begins the next pause', () => {
  const breaker = brokenAt(0)
  assert.equal(breaker.openUntil('wh_1', pauseMs - 1), pauseMs)
  assert.equal(breaker.openUntil('wh_1', pauseMs), null)
  breaker.note('wh_1', false, pauseMs)
  assert.equal(breaker.openUntil('wh_1', pauseMs), 2 * pauseMs)
  breaker.note('wh_1', true, 2 * pauseMs)
  assert.equal(breaker.openUntil('wh_1', 2 * pauseMs), null)
})

test('each receiver has a circuit breaker of its own', () => {
  const breaker = brokenAt(0)
  breaker.note('wh_2', false, 0)
  assert.equal(breaker.openUntil('wh_2', 0), null)
  breaker.note('wh_2', true, 0)
  assert.equal(breaker.openUntil('wh_1', 0), pauseMs)
})

test('the number of receivers that are remembered is bounded', () => {
  const breaker = brokenAt(0)
  for (let n = 0; n < limits.webhookFailuresKept; n++) breaker.note(`other_${n}`, false, 0)
  assert.equal(breaker.openUntil('wh_1', 0), null)
})
