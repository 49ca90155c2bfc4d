import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../errors.ts'
import { compilePattern } from './compile-pattern.ts'

const refusals = [
  ['(a{1,100}b){1,80}', 'counts up to 1,000, nested ones multiplied'],
  ['(sk-live-1234', 'no look-around, no back-references; missing closing )'],
  ['(?=sk-live-1234)', 'no look-around, no back-references; invalid or unsupported Perl syntax'],
] as const

test('a pattern that does not compile is refused with the reason, and the error does not quote the pattern', () => {
  for (const [pattern, reason] of refusals) {
    assert.throws(
      () => compilePattern('pattern', pattern),
      (error: unknown) =>
        isColophonError(error, 'validation_error') &&
        error.message === `pattern must be a regular expression in RE2 syntax (${reason}).`,
    )
  }
  assert.ok(compilePattern('pattern', 'a+').matcher('caat').find())
})
