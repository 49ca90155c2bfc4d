import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectGarbage } from './collect-after-start.ts'

test('what has no holder is collected', async () => {
  const held = { held: true }
  const refs = [new WeakRef({ held: false }), new WeakRef(held)]
  // A weak reference keeps its object until the task that made it ends.
  await new Promise(setImmediate)
  collectGarbage()
  assert.deepEqual(
    refs.map((ref) => ref.deref()),
    [undefined, held],
  )
  assert.equal('gc' in globalThis, false)
})
