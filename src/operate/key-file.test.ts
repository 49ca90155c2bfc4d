import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createFolder } from '../../test/support/temporary-folder.ts'

const program = `
  import { makeKeyFile, readKeyFile } from '${new URL('./key-file.ts', import.meta.url).href}'
  import { randomBytes } from 'node:crypto'
  const [, folder] = process.argv
  for (let n = 0; n < 200; n++) {
    makeKeyFile(folder + '/key-' + n, randomBytes(32))
    console.log(readKeyFile(folder + '/key-' + n).toString('hex'))
  }`

test('processes that start together create one key, and none reads an incomplete one', async () => {
  const { path: folder, remove } = createFolder()
  try {
    const started = Array.from({ length: 3 }, () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, folder]),
    )
    const outputs = (await Promise.all(started)).map(({ stdout }) => stdout)
    assert.equal(new Set(outputs).size, 1)
    assert.match(outputs[0] ?? '', /^(?:[0-9a-f]{64}\n){200}$/)
    assert.equal(readdirSync(folder).length, 200, 'nothing else is left')
    assert.equal(statSync(join(folder, 'key-0')).mode & 0o777, 0o600)
  } finally {
    remove()
  }
})
