import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { createHome, type Home, randomKey, storagesOfBehaviour } from '../support/server.ts'
import { failToStart, printedKey, startServerProcess } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'

after(releaseServer)

const refs = '/v1/host/colophon/memory'
const noBootstrapKey = { COLOPHON_BOOTSTRAP_KEY: '' }
const keyLines = (logs: string) => logs.split('\n').filter((line) => line.includes('api key for tenant'))

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    test('the first start prints the key of the tenant default once, and no later start prints it again', async () => {
      await using home = await createHome(storage)
      await using first = await startServerProcess({ home, env: noBootstrapKey })
      const { key } = first
      assert.equal(keyLines(first.logs()).length, 1)
      assert.equal((await first.call('GET', refs)).status, 200)
      assert.deepEqual(await first.stop(), { code: 0, signal: null })
      assert.equal(first.logs().split(key).length, 2, 'the key stands once in everything that was printed')

      await using second = await startServerProcess({ home, env: noBootstrapKey })
      assert.deepEqual(keyLines(second.logs()), [])
      assert.equal((await second.as(key)('GET', refs)).status, 200)
    })

    test('with a configured key no other key is made or printed', async () => {
      await using server = await startServerProcess({ storage })
      assert.deepEqual(keyLines(server.logs()), [])
      assert.deepEqual((await server.call('GET', '/v1/host/colophon/keys')).body, { keys: [] })
      assert.equal((await server.call('PATCH', '/v1/tenant/settings', {})).status, 200)
      assert.equal((await server.call('GET', '/v1/audit/verify')).status, 200)
    })
  })
}

test('a first start that cannot listen does not use up the key', async () => {
  await using home = await createHome('sqlite')
  await using other = await startServerProcess()
  const taken = await failToStart({ ...home.env, COLOPHON_PORT: new URL(other.url).port })
  await using server = await startServerProcess({ home, env: noBootstrapKey })
  assert.notEqual(printedKey(taken.logs) ?? printedKey(server.logs()), null, 'no start printed a key')
})

describe('files', () => {
  // A server must not rely on a careful shell.
  const umask = process.umask()
  before(() => void process.umask(0))
  after(() => void process.umask(umask))

  function modesIn(home: Home): Record<string, string> {
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
    const files = readdirSync(home.dataDir).map((name) => [name, modeOf(join(home.dataDir, name))] as const)
    return Object.fromEntries([['.', modeOf(home.dataDir)], ...files])
  }

  for (const [name, env] of [
    ['with a vault key of its own', {}],
    ['with a given vault key', { COLOPHON_VAULT_KEY: Buffer.alloc(32, 7).toString('base64') }],
  ] as const) {
    test(`a server ${name} makes its folder and every file in it accessible to its owner only`, async () => {
      await using home = await createHome('sqlite')
      await using server = await startServerProcess({ home, env })
      await server.call('POST', `${refs}/notes/entries`, { content: 'tea' })
      await server.call('PUT', '/v1/host/colophon/secrets/one', { value: randomKey() })
      const { '.': folder, ...files } = modesIn(home)
      assert.equal(folder, '700')
      assert.ok(Object.keys(files).length >= 3, 'there are files to look at')
      for (const [file, mode] of Object.entries(files)) assert.equal(mode, '600', file)
      await server.stop()
      for (const [file, mode] of Object.entries(modesIn(home))) assert.equal(mode, file === '.' ? '700' : '600', file)
    })
  }

  test('files are private also in an existing folder that is open to other users', async () => {
    const folder = createFolder()
    mkdirSync(folder.file('data'))
    chmodSync(folder.file('data'), 0o755)
    const home: Home = {
      dataDir: folder.file('data'),
      env: { COLOPHON_DATA_DIR: folder.file('data') },
      [Symbol.asyncDispose]: async () => folder.remove(),
    }
    await using _removed = home
    await using server = await startServerProcess({ home })
    await server.call('POST', `${refs}/notes/entries`, { content: 'tea' })
    const { '.': _folder, ...files } = modesIn(home)
    for (const [file, mode] of Object.entries(files)) assert.equal(mode, '600', file)
  })
})
