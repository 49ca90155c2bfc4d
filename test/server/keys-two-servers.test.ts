import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { limits } from '../../src/core/limits.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, randomKey } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { host } from './memories-calls.ts'

after(releaseServer)

test('a revoked key and a disabled tenant are refused at once by their server, and by another one within 250 ms', async () => {
  assert.ok(limits.credentialCacheMs <= 250)
  await using home = await createHome('postgres')
  const operatorKey = randomKey()
  const env = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_OPERATOR_KEY: operatorKey }
  await using left = await startServerProcess({ home, env })
  await using right = await startServerProcess({ home, env })
  const { id: tenantId, key, call } = await left.tenant()
  const reader = (await call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] })).body
  const read = (server: typeof left, apiKey: string) => server.as(apiKey)('GET', `${host}/memory`)
  for (const server of [left, right]) assert.equal((await read(server, reader.key)).status, 200)

  assert.equal((await call('DELETE', `${host}/keys/${reader.id}`)).status, 200)
  const here = await read(left, reader.key)
  assert.deepEqual([here.status, here.body.error], [401, 'key_revoked'])
  await wait(limits.credentialCacheMs)
  const there = await read(right, reader.key)
  assert.deepEqual([there.status, there.body.error], [401, 'key_revoked'])

  for (const server of [left, right]) assert.equal((await read(server, key)).status, 200)
  await left.as(operatorKey)('POST', `${host}/tenants/${tenantId}:disable`)
  assert.equal((await read(left, key)).status, 401)
  await wait(limits.credentialCacheMs)
  assert.equal((await read(right, key)).status, 401)
})
