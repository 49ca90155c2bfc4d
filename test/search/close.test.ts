import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createFolder } from '../support/temporary-folder.ts'

test('a program that stores much and closes at once exits', () => {
  const folder = createFolder()
  try {
    const program = fileURLToPath(new URL('close-program.ts', import.meta.url))
    const ended = spawnSync(process.execPath, [program, folder.file('memory.db')], { encoding: 'utf8' })
    assert.deepEqual([ended.status, ended.stdout], [0, 'closed\n'], ended.stderr)
  } finally {
    folder.remove()
  }
})
