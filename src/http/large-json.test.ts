import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../test/support/count-turns.ts'
import { isLargeBody, renderLargeBody } from './large-json.ts'

const entry = (content: string) => ({ id: 'mem_1', content, tags: ['a'], createdAt: '2026-01-01T00:00:00.000Z' })

test('a body is large if it has much text or many values, wherever they are', () => {
  const long = Array.from({ length: 100 }, () => entry('é"\n'.repeat(5_000)))
  assert.equal(isLargeBody({ entries: long }), true)
  assert.equal(isLargeBody(long), true)
  assert.equal(isLargeBody({ claims: [{ contents: long }] }), true)
  assert.equal(isLargeBody({ results: long.map((item) => ({ entry: item, score: 1 })) }), true)
  assert.equal(isLargeBody({ run: { inputs: { x: Array.from({ length: 200_000 }, () => []) } } }), true)
  assert.equal(isLargeBody({ entries: long.slice(0, 10) }), false)
  assert.equal(isLargeBody({ entries: long.map(() => entry('short')) }), false)
  assert.equal(isLargeBody(entry('x'.repeat(60_000))), false)
  for (const other of [null, undefined, 'text', 1, Buffer.alloc(2_000_000), new Date()])
    assert.equal(isLargeBody(other), false)
})

test('a large body is rendered as JSON.stringify renders it, and other work has turns meanwhile', async () => {
  const entries = Array.from({ length: 500 }, (_, n) => entry(`${n} é"\n😀`.repeat(2_000)))
  const body = { entries, none: undefined, empty: [], cursor: null, position: 7, nested: { at: [1, { b: 'c' }] } }
  const withoutJson = { ...body, unset: () => {}, list: [undefined, () => {}, Number.NaN] }
  const { result: rendered, turns } = await countTurns(() => renderLargeBody(body))
  assert.ok(rendered.equals(Buffer.from(JSON.stringify(body))))
  assert.ok(turns >= 2, `${turns} turns`)
  assert.ok((await renderLargeBody(withoutJson)).equals(Buffer.from(JSON.stringify(withoutJson))))
  assert.equal((await renderLargeBody({})).toString(), '{}')
})

test('other work has turns while a value deep in a large body is rendered', async () => {
  const contents = Array.from({ length: 200 }, (_, n) => ({ content: `${n} é"\n😀`.repeat(5_000), at: new Date(0) }))
  for (const body of [[contents, [], [[]]], { claims: [{ contents, of: { x: contents } }], cursor: 'c' }]) {
    const { result: rendered, turns } = await countTurns(() => renderLargeBody(body))
    assert.ok(rendered.equals(Buffer.from(JSON.stringify(body))))
    assert.ok(turns >= 2, `${turns} turns`)
  }
})
