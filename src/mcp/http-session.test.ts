import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSession, readSession, sessionHeader } from './http-session.ts'

const begin = (clientInfo: unknown) =>
  newSession({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { clientInfo } })
const read = (value: string) => readSession(new Headers({ [sessionHeader]: value }))

test('the id of a session says who the client is, on any server', () => {
  for (const client of [
    { name: 'desk', version: '1.0.0' },
    { name: 'Größe 🍵', version: '' },
  ]) {
    const id = begin(client) ?? ''
    assert.match(id, /^[\x21-\x7e]+$/)
    assert.deepEqual(read(id)?.client, client)
    assert.notEqual(read(id)?.id, read(begin(client) ?? '')?.id)
  }
})

test('names of clients are cut, and only the first request begins a session', () => {
  const long = read(begin({ name: 'x'.repeat(10_000), version: 'y'.repeat(10_000) }) ?? '')
  assert.deepEqual([long?.client?.name.length, long?.client?.version.length], [128, 128])
  for (const character of ['🍵', '茶', '\u0001', '"']) {
    const text = character.repeat(5_000)
    assert.ok(read(begin({ name: text, version: text }) ?? ''), `also of many bytes: ${JSON.stringify(character)}`)
  }
  for (const client of [undefined, null, 'x', {}, { name: 1, version: '1' }, { name: 'x' }])
    assert.equal(begin(client), null)
  for (const body of [null, undefined, 1, [], {}, { method: 'tools/call' }]) assert.equal(newSession(body), null)
})

test('an id that is not ours is no session', () => {
  const id = begin({ name: 'desk', version: '1' }) ?? ''
  const [uuid] = id.split('.')
  for (const wrong of [
    '',
    'x',
    '.',
    uuid,
    `${uuid}.`,
    `${uuid}.e30`,
    `${uuid}.bnVsbA`,
    `x${id}`,
    `${id}.x`,
    id.slice(5),
    'x'.repeat(10_000),
  ])
    assert.equal(read(String(wrong)), null, wrong)
  assert.equal(readSession(new Headers()), null)
})
