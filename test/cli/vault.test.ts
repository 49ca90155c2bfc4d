import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { runCli } from '../support/cli.ts'
import { releaseServer } from '../support/databases.ts'
import { plainSecretValue } from '../support/secret-forms.ts'
import { createHome, type Env, type Home, randomKey, storagesOfBehaviour } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const newVaultKey = () => randomBytes(32).toString('base64')

/** A server that knows a secret of two tenants, stopped again. */
async function keepSecrets(home: Home, env: Env, value: string): Promise<string[]> {
  await using server = await startServerProcess({ home, env })
  const keys = [(await server.tenant()).key, (await server.tenant()).key]
  for (const key of keys) assert.equal((await server.as(key)('PUT', `${host}/secrets/crm`, { value })).status, 204)
  await server.stop()
  return keys
}

async function assertRedacts(home: Home, env: Env, keys: readonly string[], value: string): Promise<void> {
  await using server = await startServerProcess({ home, env })
  for (const key of keys) {
    const { body, text } = await server.as(key)('POST', `${host}/memory/notes/entries`, { content: value })
    assert.equal(body.content, '[REDACTED:crm]', text)
  }
}

test('the key file is replaced, and every tenant’s secrets open with the new one', async () => {
  await using home = await createHome('sqlite')
  const value = plainSecretValue()
  const keys = await keepSecrets(home, {}, value)
  const { code, stdout, stderr } = await runCli(['vault', 'rotate'], { env: home.env })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^2 data keys/)
  await assertRedacts(home, {}, keys, value)
})

for (const storage of storagesOfBehaviour) {
  test(`a given key is replaced by the one on standard input on ${storage}, and the old one opens nothing any more`, async () => {
    await using home = await createHome(storage)
    const [old, next] = [newVaultKey(), newVaultKey()]
    const bootstrap = { COLOPHON_BOOTSTRAP_KEY: randomKey() }
    const value = plainSecretValue()
    const keys = await keepSecrets(home, { ...bootstrap, COLOPHON_VAULT_KEY: old }, value)
    const env = { ...home.env, COLOPHON_VAULT_KEY: old }
    assert.equal((await runCli(['vault', 'rotate'], { env, input: 'short' })).code, 2)
    const { code, stdout, stderr } = await runCli(['vault', 'rotate'], { env, input: `${next}\n` })
    assert.equal(code, 0, stderr)
    assert.ok(!`${stdout}${stderr}`.includes(next.slice(0, 20)))
    await assertRedacts(home, { ...bootstrap, COLOPHON_VAULT_KEY: next }, keys, value)
    await using server = await startServerProcess({ home, env: { ...bootstrap, COLOPHON_VAULT_KEY: old } })
    assert.equal((await server.as(keys[0] ?? '')('POST', `${host}/memory/notes/entries`, { content: 'x' })).status, 503)
  })
}

test('a running server keeps its key: rotation is refused', async () => {
  await using home = await createHome('sqlite')
  await using server = await startServerProcess({ home })
  await server.call('PUT', `${host}/secrets/crm`, { value: plainSecretValue() })
  const { code, stderr } = await runCli(['vault', 'rotate'], { env: home.env })
  assert.equal(code, 6, stderr)
  assert.match(stderr, /Stop it first/)
})
