/** Runs the contract of the storage port on the adapter, and reads back what an earlier process stored. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openColophon } from 'colophon'
import { describeStorageContract } from 'colophon/testing'
import { openFileStore } from './file-store.ts'

const createFolder = () => mkdtempSync(join(tmpdir(), 'colophon-file-store-'))

describeStorageContract('file store', {
  async open({ now }) {
    const folder = createFolder()
    // The contract is about behaviour. Waiting for the disk would take most of its time.
    const storage = openFileStore({ folder, now, fsync: false })
    return { storage, dispose: async () => rmSync(folder, { recursive: true }) }
  },
  withoutSql: 'the file store has no SQL',
})

test('file store: a second opening reads what the first one stored', async () => {
  const folder = createFolder()
  {
    await using colophon = await openColophon({ storage: openFileStore({ folder }) })
    await colophon.memory('acme').put('ada', { content: 'Ada prefers tea.' })
  }
  await using colophon = await openColophon({ storage: openFileStore({ folder }) })
  const { entries } = await colophon.memory('acme').list('ada')
  assert.deepEqual(
    entries.map(({ content }) => content),
    ['Ada prefers tea.'],
  )
  assert.equal((await colophon.memory('acme').verify()).ok, true)
  rmSync(folder, { recursive: true })
})
