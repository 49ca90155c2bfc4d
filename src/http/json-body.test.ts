import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { limits } from '../core/limits.ts'
import { countValues, limitJsonValues } from './json-body.ts'
import type { App } from './route-context.ts'

test('values are counted outside of strings', () => {
  assert.equal(countValues('"a, [b]: {c}"'), 1)
  assert.equal(countValues('"a \\", [\\\\"'), 1)
  assert.ok(countValues(JSON.stringify({ a: [1, 2, 3], b: { c: 'x,y' } })) >= 6)
  assert.ok(countValues('['.repeat(100)) >= 100)
})

test('a body with too many values is refused before it is parsed, and one with much text is not', async () => {
  const app = Fastify({ bodyLimit: 8_388_608 })
  limitJsonValues(app as unknown as App)
  app.post('/', async (request) => ({ got: (request.body as { content: unknown }).content?.toString().length }))
  const send = (payload: string) =>
    app.inject({ method: 'POST', url: '/', payload, headers: { 'content-type': 'application/json' } })
  const text = await send(JSON.stringify({ content: 'a, b: [c] '.repeat(500_000) }))
  assert.deepEqual(text.json(), { got: 5_000_000 })
  const values = '[],'.repeat(limits.jsonValuesMax)
  const refused = await send(`{"content":[${values}1]}`)
  assert.match(refused.json().message, /must not have more than/)
  const deep = await send(`{"content":${'['.repeat(limits.jsonValuesMax)}`)
  assert.match(deep.json().message, /must not have more than/)
  await app.close()
})
