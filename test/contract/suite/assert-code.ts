import assert from 'node:assert/strict'
import { type ErrorCode, isColophonError } from '../../../src/core/errors.ts'

/** The call must fail with this code, and its message and details must not hold any of the given texts. */
export async function rejectsWith(
  code: ErrorCode,
  call: Promise<unknown> | (() => Promise<unknown>),
  ...secretTexts: string[]
) {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(isColophonError(error), `expected a ColophonError, got ${String(error)}`)
    assert.equal(error.code, code)
    assert.ok(error.hint.length > 0)
    const shown = `${error.message} ${JSON.stringify(error.details)}`
    for (const text of secretTexts) assert.ok(!shown.includes(text), 'an error must not repeat what it refused')
    return true
  })
}
