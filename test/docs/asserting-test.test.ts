import assert from 'node:assert/strict'
import test from 'node:test'
import { findTest } from './asserting-test.ts'

/** Imports nothing. */
const alone = () => null

const bodies: Readonly<Record<string, number>> = {
  'assert.equal(eight.length, 8)': 0,
  "assert.deepEqual(['a'], ['a'])": 0,
  "const trigger = 'host-managed'\n  assert.equal(trigger, 'host-managed')": 0,
  'assert.equal(await read(), 8)': 1,
  'const found = await read()\n  assert.equal(found, 8)': 1,
  "for (const one of list()) assert.ok(one, 'one')": 1,
  'let last\n  last = 3\n  assert.equal(last, 3)': 1,
  'helper(3)': 1,
  'nothing(3)': 0,
}

test('only assertions about computed values are counted', () => {
  for (const [body, expected] of Object.entries(bodies)) {
    const source = [
      'function helper(value: number) {\n  assert.equal(value(), 3)\n}\n',
      `test('it is so', async () => {\n  ${body}\n})\n`,
      "test('another', async () => {\n  assert.equal(await read(), 1)\n})\n",
    ].join('\n')
    assert.deepEqual(findTest(source, 'it is so', alone), { isSkipped: false, assertions: expected }, body)
  }
})

test('a missing test is not found, and a skipped one is reported as skipped', () => {
  const source =
    "test('a', { skip: true }, () => {\n  assert.ok(f())\n})\n\nit.todo('b', () => {\n  assert.ok(f())\n})\n"
  assert.equal(findTest(source, 'c', alone), null)
  assert.deepEqual([findTest(source, 'a', alone)?.isSkipped, findTest(source, 'b', alone)?.isSkipped], [true, true])
  assert.equal(
    findTest("describe('x', () => {\n  it('a (b)', () => {\n    assert.ok(f())\n  })\n})\n", 'a (b)', alone)
      ?.assertions,
    1,
  )
})

test('assertions in helpers of other files count, also when helpers call them', () => {
  const source = "import { judge } from './judge.ts'\n\ntest('a', () => {\n  judge(3)\n})\n"
  const judge = 'export function judge(n) {\n  deeper(n)\n}\n\nconst deeper = (n) => {\n  assert.ok(n())\n}\n'
  assert.equal(findTest(source, 'a', alone)?.assertions, 0)
  assert.equal(findTest(source, 'a', () => judge)?.assertions, 1)
})
