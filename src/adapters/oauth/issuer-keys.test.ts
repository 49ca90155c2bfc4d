import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { tokenLimits } from '../../core/access/token-limits.ts'
import { createIssuerKeys } from './issuer-keys.ts'

/** An issuer whose answer the test sets, and keys of it with a clock that the test moves. */
async function issuer() {
  const state = { now: 0, asked: 0, status: 200, body: '{"keys": [{"kid": "a"}]}', location: '', isSilent: false }
  const server = createServer((_request, response) => {
    state.asked += 1
    if (state.isSilent) return
    response.writeHead(state.status, state.location === '' ? {} : { location: state.location }).end(state.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { state, url, keys: createIssuerKeys(url, () => state.now), [Symbol.dispose]: close }
}

const unavailable = { code: 'token_issuer_unavailable' }

test('keys are read once, again for an unknown id after a while, and after their time', async () => {
  using source = await issuer()
  const { state, keys } = source
  await Promise.all([keys.find('a'), keys.find('a')])
  assert.deepEqual([await keys.find('a'), state.asked], [[{ kid: 'a' }], 1])
  state.body = '{"keys": [{"kid": "b"}]}'
  assert.deepEqual([await keys.find('b'), state.asked], [[], 1])
  state.now = tokenLimits.issuerKeysRetryMs
  assert.deepEqual([await keys.find('b'), state.asked], [[{ kid: 'b' }], 2])
  state.now += tokenLimits.issuerKeysCacheMs
  assert.deepEqual([await keys.find('b'), state.asked], [[{ kid: 'b' }], 3])
})

test('a token with a known key does not wait for the keys of an invented id', async () => {
  using source = await issuer()
  const { state, keys } = source
  await keys.find('a')
  state.isSilent = true
  state.now = tokenLimits.issuerKeysRetryMs
  let isRead = false
  const invented = keys.find('invented').finally(() => {
    isRead = true
  })
  assert.deepEqual([(await keys.find('a')).length, isRead], [1, false])
  source[Symbol.dispose]()
  assert.deepEqual(await invented, [])
})

test('an issuer that does not answer keeps its keys for a while', async () => {
  using source = await issuer()
  const { state, keys } = source
  await keys.find('a')
  state.status = 500
  state.now = tokenLimits.issuerKeysStaleMs - 1
  assert.equal((await keys.find('a')).length, 1)
  state.now = tokenLimits.issuerKeysStaleMs + tokenLimits.issuerKeysRetryMs
  await assert.rejects(keys.find('a'), unavailable)
  await assert.rejects(keys.find('a'), unavailable)
  assert.equal(state.asked, 3)
})

test('a redirect, a large answer and an answer without keys are refused', async () => {
  for (const change of [
    { status: 302, location: 'http://127.0.0.1:1/' },
    { body: `{"keys": ["${'x'.repeat(tokenLimits.issuerKeysBytesMax)}"]}` },
    { body: '{}' },
    { body: 'not JSON' },
  ]) {
    using source = await issuer()
    Object.assign(source.state, change)
    await assert.rejects(source.keys.find('a'), unavailable)
  }
})
