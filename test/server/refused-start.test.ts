import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { runCli } from '../support/cli.ts'
import { createHome, type Env, randomKey } from '../support/server.ts'
import { failToStart, launchServer, startServerProcess } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'

const healthOf = async (url: string) => (await fetch(`${url}/healthz`)).status

describe('an invalid configuration ends the start with exit code 2 and names the variable', { concurrency: 2 }, () => {
  const secret = randomKey()
  let isFirst = true
  /** A process of its own shows that the code is the process's: once in `npm test`, and each time in `npm run test:all`. */
  const refuse = async (env: Env) => {
    if (isFirst) {
      isFirst = false
      return failToStart(env)
    }
    const { code, stdout, stderr } = await runCli(['serve'], { env })
    return { code, logs: stdout + stderr }
  }
  for (const [variable, value] of [
    ['COLOPHON_PROT', '4242'],
    ['COLOPHON_PORT', 'none'],
    ['COLOPHON_STORAGE', 'mysql'],
    ['COLOPHON_DATABASE_URL', `mysql://root:${secret}@127.0.0.1/memory`],
    ['COLOPHON_BOOTSTRAP_KEY', secret.slice(0, 23)],
    ['COLOPHON_OPERATOR_KEY', `${secret} `],
    ['COLOPHON_VAULT_KEY', secret],
    ['COLOPHON_LOG_LEVEL', 'loud'],
    ['COLOPHON_CORS_ORIGINS', 'app.example.com'],
    ['COLOPHON_BODY_LIMIT_BYTES', '-1'],
    ['COLOPHON_RATE_LIMIT_PER_MIN', '1.5'],
    ['COLOPHON_BOOTSTRAP_KEY_B', secret],
  ] as const) {
    test(variable, async () => {
      await using home = await createHome('sqlite')
      const { code, logs } = await refuse({ ...home.env, [variable]: value })
      assert.equal(code, 2, logs)
      assert.match(logs, new RegExp(`\\b${variable}\\b`))
      assert.ok(!logs.includes(secret.slice(0, 23)), 'the message repeats a secret')
      assert.throws(() => readdirSync(home.dataDir), 'nothing is made before the configuration is right')
    })
  }

  test('test seams on an address that other hosts can reach', async () => {
    await using home = await createHome('sqlite')
    const env = { ...home.env, COLOPHON_TEST_SEAMS: '1', COLOPHON_HOST: '0.0.0.0' }
    const { code, logs } = await failToStart(env)
    assert.equal(code, 2, logs)
    assert.match(logs, /COLOPHON_TEST_SEAMS/)
  })
})

test('a port in use ends the start with an error message', async () => {
  await using other = await startServerProcess()
  await using home = await createHome('sqlite')
  const { code, signal, logs } = await failToStart({ ...home.env, COLOPHON_PORT: new URL(other.url).port })
  assert.match(logs, /port is in use.*COLOPHON_PORT/)
  assert.equal(signal, null, 'the process said so, and then went on for ever')
  assert.notEqual(code, 0)
  assert.equal(await healthOf(other.url), 200)
})

test('a database that does not answer ends the start with an error message', async () => {
  await using home = await createHome('sqlite')
  const { code, logs } = await failToStart({ ...home.env, COLOPHON_DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  assert.equal(code, 6, logs)
  assert.match(logs, /^colophon: \w+: .*database/m)
})

test('a second server refuses a data folder in use, and names the address of the first one', async () => {
  await using home = await createHome('sqlite')
  await using first = await startServerProcess({ home })
  const { code, logs } = await failToStart(home.env)
  assert.equal(code, 6, logs)
  assert.ok(logs.includes(first.url), logs)
  assert.equal((await first.call('GET', '/v1/host/colophon/memory')).status, 200)
})

test('of two servers that start at once on one data folder only one listens', async () => {
  for (const _round of [1, 2, 3]) {
    await using home = await createHome('sqlite')
    const children = [1, 2].map(() => launchServer({ ...home.env, COLOPHON_PORT: '0' }))
    const urls = await Promise.all(children.map((child) => child.listening))
    await Promise.all(children.map((child) => child.signal('SIGKILL')))
    assert.equal(urls.filter((url) => url !== null).length, 1, `both listen: ${urls.join(' and ')}`)
  }
})

test('the lock of a killed server does not stop the next one', async () => {
  await using home = await createHome('sqlite')
  await using killed = await startServerProcess({ home })
  await killed.kill()
  // Process ids are reused: by now another program may have the id of the killed server.
  for (const name of readdirSync(home.dataDir).filter((file) => file.endsWith('.json'))) {
    const file = join(home.dataDir, name)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(String(killed.pid), String(process.pid)))
  }
  await using next = await startServerProcess({ home })
  assert.equal(await healthOf(next.url), 200)
})

test('a server in a container starts beside service links, with its secrets from files, and warns once of each', async () => {
  await using home = await createHome('sqlite')
  const key = randomKey()
  const keyFile = createFolder().file('operator-key')
  writeFileSync(keyFile, `${key}\n`, { mode: 0o644 })
  await using server = await startServerProcess({
    env: {
      ...home.env,
      COLOPHON_HOST: '0.0.0.0',
      COLOPHON_SERVICE_HOST: '10.0.0.7',
      COLOPHON_PORT_4242_TCP: 'tcp://10.0.0.7:4242',
      COLOPHON_OPERATOR_KEY: '',
      COLOPHON_OPERATOR_KEY_FILE: keyFile,
    },
  })
  const { port } = new URL(server.url)
  const headers = { authorization: `Bearer ${key}` }
  const tenants = await fetch(`http://127.0.0.1:${port}/v1/host/colophon/tenants`, { headers })
  assert.equal(tenants.status, 200)
  const warnings = server.logs().match(/^\{"level":40.*$/gm) ?? []
  assert.equal(warnings.length, 3, server.logs())
  for (const expected of [/COLOPHON_SERVICE_HOST/, /0\.0\.0\.0 with plain HTTP/, /COLOPHON_OPERATOR_KEY_FILE/])
    assert.equal(warnings.filter((line) => expected.test(line)).length, 1, String(expected))
})
