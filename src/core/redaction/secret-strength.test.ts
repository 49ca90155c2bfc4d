import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidateBits, checkSecretStrength } from './secret-strength.ts'

const isRefused = (value: string) => {
  try {
    checkSecretStrength(value)
    return false
  } catch (error) {
    assert.equal((error as { code: string }).code, 'secret_too_weak')
    assert.ok(!(error as Error).message.includes(value))
    return true
  }
}

test('values that could be guessed by writing guesses are refused', () => {
  for (const value of ['12345678', '48123456789', 'deadbeef', 'DEADBEEF1', 'password', 'ABCDEFGH']) {
    assert.ok(isRefused(value), value)
  }
})

test('values with enough candidates pass', () => {
  for (const value of [
    '481234567890',
    'deadbeef01',
    'passwords',
    'hunter22',
    'Abcdefgh',
    'p@ssword',
    'ключключ',
    'a b c d e f',
  ]) {
    assert.ok(!isRefused(value), value)
  }
})

test('candidates are counted by alphabet and length, in characters and not in units', () => {
  assert.equal(Math.round(candidateBits('481234567890') * 100), 3986)
  assert.equal(candidateBits('0f'), 8)
  assert.equal(candidateBits('\u{1f511}'), Math.log2(100))
})
