import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLargeBody, renderLargeBody } from './large-json.ts'

const entry = (content: string) => ({ id: 'mem_1', content, tags: ['a'], createdAt: '2026-01-01T00:00:00.000Z' })

test('a body with much text in a long list is large', () => {
  const long = Array.from({ length: 100 }, () => entry('é"\n'.repeat(5_000)))
  assert.equal(isLargeBody({ entries: long }), true)
  assert.equal(isLargeBody({ results: long.map((item) => ({ entry: item, score: 1 })) }), true)
  assert.equal(isLargeBody({ entries: long.slice(0, 10) }), false)
  assert.equal(isLargeBody({ entries: long.map(() => entry('short')) }), false)
  assert.equal(isLargeBody(entry('x'.repeat(60_000))), false)
  for (const other of [null, undefined, 'text', 1, long]) assert.equal(isLargeBody(other), false)
})

test('a large body is rendered as JSON.stringify renders it, and other work has turns meanwhile', async () => {
  const entries = Array.from({ length: 500 }, (_, n) => entry(`${n} é"\n😀`.repeat(2_000)))
  const body = { entries, none: undefined, empty: [], cursor: null, position: 7, nested: { at: [1, { b: 'c' }] } }
  const withoutJson = { ...body, unset: () => {}, list: [undefined, () => {}, Number.NaN] }
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const rendered = await renderLargeBody(body)
  isDone = true
  assert.ok(rendered.equals(Buffer.from(JSON.stringify(body))))
  assert.ok(turns >= 2, `${turns} turns`)
  assert.ok((await renderLargeBody(withoutJson)).equals(Buffer.from(JSON.stringify(withoutJson))))
  assert.equal((await renderLargeBody({})).toString(), '{}')
})
