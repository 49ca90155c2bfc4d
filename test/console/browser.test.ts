import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fontFolder, unpackBrowser } from './browser.ts'

test('the browser uses the fonts of its package, in its own folder', async () => {
  await unpackBrowser()
  const configuration = readFileSync(join(fontFolder, 'fonts.conf'), 'utf8')
  const folders = [...configuration.matchAll(/<dir prefix="relative">([^<]+)<\/dir>/g)].map(([, name]) => name ?? '')
  assert.equal(folders.length, [...configuration.matchAll(/<dir\b/g)].length, 'a folder outside is named')
  assert.ok(folders.length > 0)
  for (const folder of folders) assert.ok(existsSync(join(fontFolder, folder)), folder)
  assert.match(fontFolder, /node_modules/)
})

const suite = fileURLToPath(new URL('./dying-browser.ts', import.meta.url))
/** Not needed by a suite that ends by itself; one that hangs is killed then. */
const endMsMax = 120_000

for (const [how, env] of Object.entries({
  'does not start': { COLOPHON_TEST_BROWSER: process.execPath },
  crashes: {},
})) {
  test(`a suite whose browser ${how} fails, and stops the server it started`, async () => {
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
    const ended = spawnSync(process.execPath, ['--test-reporter=tap', suite], {
      env: { ...inherited, ...env },
      encoding: 'utf8',
      timeout: endMsMax,
      killSignal: 'SIGKILL',
    })
    assert.deepEqual([ended.status, ended.signal], [1, null], ended.stdout + ended.stderr)
    assert.match(ended.stdout, /^# fail 2$/m, ended.stdout)
    const url = /server at (\S+)/.exec(ended.stdout)?.[1] ?? ''
    await assert.rejects(fetch(`${url}/healthz`), 'the server still answers')
  })
}
