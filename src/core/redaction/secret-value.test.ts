import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidateBits, checkSecretStrength } from './secret-value.ts'

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

test('values with too small a search space are refused', () => {
  for (const value of ['12345678', '48123456789', 'deadbeef', 'DEADBEEF1', 'DeadBeef1', 'password', 'ABCDEFGH']) {
    assert.ok(isRefused(value), value)
  }
})

test('values with a large enough search space are accepted', () => {
  for (const value of [
    '481234567890',
    'deadbeef01',
    'passwords',
    'hunter22',
    'Abcdefghi',
    'p@ssword',
    'ключключ',
    'a b c d e f',
  ]) {
    assert.ok(!isRefused(value), value)
  }
})

test('what matches in any spelling counts in one: case, blanks, accents and width do not make a value stronger', () => {
  for (const value of [
    'kQzWbXyT',
    'kqzwbxyt',
    'Abcdefgh',
    'a b c d e f g h',
    'ábçdéfgh',
    'ｋＱｚＷｂＸｙＴ',
    '4812-3456'.replace('-', ' '),
  ])
    assert.ok(isRefused(value), value)
  assert.equal(candidateBits('kQzWbXyTr'), candidateBits('kqzwbxytr'))
})

test('the search space is computed from alphabet and length, in characters and not in UTF-16 units', () => {
  assert.equal(Math.round(candidateBits('481234567890') * 100), 3986)
  assert.equal(candidateBits('0f'), 8)
  assert.equal(candidateBits('\u{1f511}'), Math.log2(100))
})
