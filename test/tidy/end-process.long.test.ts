import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { createFolder } from '../support/temporary-folder.ts'

test('a test file that leaves something open ends, with its results and its verdict', async () => {
  const folder = createFolder()
  const open = "import { test } from 'node:test'\nsetInterval(() => {}, 1000)\n"
  writeFileSync(folder.file('passes.test.mjs'), `${open}for (let i = 0; i < 100; i++) test('fine', () => {})`)
  writeFileSync(folder.file('fails.test.mjs'), `${open}test('not fine', () => Promise.reject(new Error('no')))`)
  const preload = new URL('../support/end-process.ts', import.meta.url).href
  const { NODE_TEST_CONTEXT: _ofThisProcess, ...env } = process.env
  const args = [
    '--test',
    '--test-concurrency=2',
    '--import',
    preload,
    folder.file('passes.test.mjs'),
    folder.file('fails.test.mjs'),
  ]
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) =>
    execFile(process.execPath, args, { env, timeout: 120_000 }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    ),
  )
  folder.remove()
  assert.equal(code, 1)
  assert.match(stdout, /tests 101$.*pass 100$.*fail 1$/ms)
  assert.match(stdout, /passes\.test\.mjs: its tests are over, but something was left open/)
})
