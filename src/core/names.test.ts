import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkTenantId, isMemoryRef } from './names.ts'

test('a memoryRef is well-formed, of limited length, without control characters and without a ".." segment', () => {
  for (const good of ['a', 'a/b', 'mem://x/y', 'a:b', '...', 'a..b', '.', './a', 'ä🦊', ' ', 'x'.repeat(256)])
    assert.ok(isMemoryRef(good), good)
  for (const bad of [
    '',
    '..',
    '../a',
    'a/..',
    'a/../b',
    'a\\..\\b',
    '\u0000',
    'a\u001fb',
    '\u0085',
    '\udfff',
    'x'.repeat(257),
    null,
    1,
  ]) {
    assert.ok(!isMemoryRef(bad), String(bad))
  }
})

test('no accepted memoryRef has a ".." segment, a control character or a lone surrogate', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      if (!isMemoryRef(text)) return
      assert.ok(text.isWellFormed() && text.length <= 256 && !text.split(/[/\\]/).includes('..'))
      for (const character of text) assert.ok(character >= ' ' && !/[\u007f-\u009f]/.test(character))
    }),
  )
})

test('a tenant id has letters, digits, dot, dash and underscore only', () => {
  for (const good of ['a', 'default', 'tenant-b', 'A.b_c-9', 'x'.repeat(64)]) checkTenantId(good)
  for (const bad of ['', '-a', '.a', 'a/b', 'a b', 'é', 'x'.repeat(65), undefined, {}]) {
    assert.throws(() => checkTenantId(bad), { code: 'validation_error' })
  }
})
