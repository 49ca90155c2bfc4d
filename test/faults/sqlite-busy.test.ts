import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { isColophonError } from '../../src/core/errors.ts'
import { openColophon } from '../../src/open.ts'
import { createFolder } from '../support/temporary-folder.ts'

const folder = createFolder()
after(() => folder.remove())

// SQLite waits on this thread. Once it has waited for the lock in vain, waiting again for each write of the group would
// stop the whole process for as many timeouts as there are writers.
test('concurrent writes fail as busy after one shared wait for a held lock, and succeed once it is free', async () => {
  const path = folder.file('busy.db')
  await using colophon = await openColophon({ path })
  const memory = colophon.memory('acme')
  await memory.put('log', { content: 'first' })
  const holder = new Database(path)
  holder.prepare('begin immediate').run()
  const failTogether = async (writes: number) => {
    const started = Date.now()
    const put = (_: unknown, number: number) => memory.put('log', { content: `${number}` }).catch((error) => error)
    for (const error of await Promise.all(Array.from({ length: writes }, put))) {
      assert.ok(isColophonError(error, 'storage_busy'), String(error))
    }
    return Date.now() - started
  }
  const aloneMs = await failTogether(1)
  const togetherMs = await failTogether(8)
  assert.equal((await memory.list('log')).entries.length, 1)
  holder.prepare('rollback').run()
  holder.close()
  await memory.put('log', { content: 'second' })
  assert.equal((await memory.verify({ contents: true })).ok, true)
  // One after the other they would take nine times as long.
  assert.ok(togetherMs < aloneMs * 4, `one write waited ${aloneMs} ms, eight stopped the process for ${togetherMs} ms`)
})
