import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitYoungGeneration, youngBytes } from './young-generation.ts'

test('memory for new objects stays within its limit, however many of them are kept', async () => {
  const end = limitYoungGeneration()
  try {
    const before = youngBytes()
    const kept: object[] = []
    // Few in a turn: it hears of a collection two turns later, and before the next, even when the memory is at its smallest.
    for (let turn = 0; turn < 300; turn++) {
      for (let nth = 0; nth < 2_000; nth++) kept.push({ turn, nth, list: [nth] })
      await new Promise(setImmediate)
    }
    assert.equal(kept.length, 600_000)
    assert.ok(youngBytes() <= Math.max(before, 32 * 2 ** 20), `${youngBytes()} bytes`)
  } finally {
    end()
  }
})
