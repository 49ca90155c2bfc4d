import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError, assertProvenanceError } from '../support/envelope.ts'
import { plainSecretValue } from '../support/secret-forms.ts'
import { createHome, randomKey, startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`
const vaultKey = () => ({ COLOPHON_VAULT_KEY: randomBytes(32).toString('base64') })

const agentThatWrites = {
  agentId: 'local.team.writer',
  persona: 'Writer',
  modelClass: 'general',
  systemPrompt: 'Write.',
  memoryShape: { longTerm: true },
  requiresCapabilities: ['memory', 'memory.writable', 'replay'],
}

async function discovery(server: TestServer) {
  return (await server.as(null)('GET', '/.well-known/openwop')).body
}

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    test('with a wrong vault key writes are refused, reads work, and discovery reports it', async () => {
      await using home = await createHome(storage)
      const [right, wrong] = [vaultKey(), vaultKey()]
      const keys = { COLOPHON_BOOTSTRAP_KEY: randomKey() }
      const value = plainSecretValue()
      await using first = await startServer({ home, env: { ...right, ...keys } })
      assert.deepEqual((await discovery(first)).agents.memoryBackends, ['long-term'])
      await first.call('PUT', `${host}/secrets/crm`, { value })
      const { id } = (await first.call('POST', notes, { content: `key ${value}` })).body
      const installed = await first.call('POST', `${host}/agents`, agentThatWrites)
      assert.ok(!('memoryDegraded' in installed.body) && !('degraded' in installed.body), installed.text)
      await first.stop()

      await using second = await startServer({ home, env: { ...wrong, ...keys } })
      const writes = [
        second.call('POST', notes, { content: value }),
        second.call('POST', `${notes}:batch`, { entries: [{ content: 'x' }] }),
        second.call('PUT', `${host}/secrets/other`, { value: plainSecretValue() }),
      ]
      for (const answer of await Promise.all(writes)) {
        assertError(answer, 503, 'vault_unavailable')
        assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
      }
      assertProvenanceError(await second.call('PATCH', '/v1/tenant/settings', {}), 503, 'vault_unavailable')
      assert.equal((await second.call('GET', `${notes}/${id}`)).body.content, 'key [REDACTED:crm]')
      assert.equal((await second.call('GET', notes)).body.entries.length, 1)
      assert.equal((await second.call('GET', `${host}/secrets`)).body.secrets.length, 1)
      const document = await discovery(second)
      assert.ok(!JSON.stringify(document.agents).includes('long-term'), JSON.stringify(document.agents))
      assert.equal(document.secrets.supported, false)
      const { writable, attribution, retention, supported } = document.memory
      assert.deepEqual([supported, writable, attribution, retention.forget], [true, false, undefined, false])
      assert.deepEqual([document.replay, document.webhooks], [{ supported: false }, { supported: false }])
      const [agent] = (await second.call('GET', '/v1/agents')).body.agents
      assert.deepEqual(agent.degradedMemoryDimensions, ['write', 'long-term-durability'])
      assert.deepEqual(agent.degraded, ['memory.writable', 'replay'])
      await second.stop()
      assert.ok(!second.logs().includes(value))

      await using third = await startServer({ home, env: { ...right, ...keys } })
      assert.equal((await third.call('POST', notes, { content: value })).body.content, '[REDACTED:crm]')
      assert.deepEqual((await discovery(third)).agents.memoryBackends, ['long-term'])
    })
  })
}

test('a vault that cannot be opened is detected whichever tenant has the secrets', async () => {
  await using home = await createHome('sqlite')
  await using first = await startServer({ home, env: vaultKey() })
  const { call, key } = await first.tenant()
  await call('PUT', `${host}/secrets/crm`, { value: plainSecretValue() })
  await first.stop()
  await using second = await startServer({ home, env: vaultKey() })
  assertError(await second.as(key)('POST', notes, { content: 'x' }), 503, 'vault_unavailable')
  const document = await discovery(second)
  assert.ok(!JSON.stringify(document.agents).includes('long-term'), JSON.stringify(document.agents))
})

test('the key file in the data folder opens the vault after a restart', async () => {
  await using home = await createHome('sqlite')
  const value = plainSecretValue()
  await using first = await startServerProcess({ home })
  const { call, key } = await first.tenant()
  await call('PUT', `${host}/secrets/crm`, { value })
  await first.kill()
  await using second = await startServer({ home })
  assert.equal((await second.as(key)('POST', notes, { content: value })).body.content, '[REDACTED:crm]')
})
