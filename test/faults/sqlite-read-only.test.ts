import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { composeColophon, openColophon } from '../../src/open.ts'
import { endChildren, startChild } from '../support/child.ts'
import { createFolder } from '../support/temporary-folder.ts'
import type { Outcome } from './open-and-put-program.ts'

const folder = createFolder()
const homes: string[] = []
before(() => chmodSync(folder.path, 0o755))
after(() => {
  endChildren()
  // A user other than root could not empty them otherwise.
  for (const home of homes) chmodSync(home, 0o755)
  folder.remove()
})

const nobody = 65_534

function createHome(name: string): string {
  const home = folder.file(name)
  mkdirSync(home)
  homes.push(home)
  return home
}

/** A sound database with one entry, alone in a folder of its own. */
async function createStore(name: string): Promise<{ home: string; path: string; bytes: Buffer }> {
  const home = createHome(name)
  const path = `${home}/memory.db`
  await using colophon = await openColophon({ path })
  await colophon.memory('acme').put('log', { content: 'first' })
  await colophon.close()
  return { home, path, bytes: readFileSync(path) }
}

async function openAsNobody(path: string): Promise<Outcome> {
  const child = startChild<Outcome>(new URL('./open-and-put-program.ts', import.meta.url), { path })
  const { code, stderr } = await child.ended
  assert.equal(code, 0, stderr)
  const [outcome] = child.messages
  assert.ok(outcome)
  return outcome
}

function checkRefused(outcome: Outcome, codes: readonly string[]): void {
  assert.equal(outcome.name, 'ColophonError', JSON.stringify(outcome))
  assert.ok(codes.includes(outcome.code ?? ''), JSON.stringify(outcome))
  assert.match(outcome.message ?? '', /database|folder|file/i)
}

test('a file and folder without write permission are refused and not changed', async () => {
  const { home, path, bytes } = await createStore('closed')
  chmodSync(path, 0o444)
  chmodSync(home, 0o555)
  checkRefused(await openAsNobody(path), ['storage_read_only', 'storage_unavailable'])
  assert.deepEqual(readFileSync(path), bytes)
})

test('a read-only file in a writable folder is refused as read-only and not changed', async () => {
  const { home, path, bytes } = await createStore('file-closed')
  chmodSync(path, 0o444)
  if (process.getuid?.() === 0) chownSync(home, nobody, nobody)
  checkRefused(await openAsNobody(path), ['storage_read_only'])
  assert.deepEqual(readFileSync(path), bytes)
})

test('a file without read permission is refused and stays unchanged', async () => {
  const { path, bytes } = await createStore('secret')
  chmodSync(path, 0o000)
  checkRefused(await openAsNobody(path), ['storage_read_only', 'storage_unavailable'])
  chmodSync(path, 0o600)
  assert.deepEqual(readFileSync(path), bytes)
})

test('a new file in a folder without write permission is refused', async () => {
  const home = createHome('no-entry')
  chmodSync(home, 0o555)
  checkRefused(await openAsNobody(`${home}/memory.db`), ['storage_read_only', 'storage_unavailable'])
})

test('a folder that cannot be created is refused', async () => {
  const home = createHome('no-entry-below')
  chmodSync(home, 0o555)
  checkRefused(await openAsNobody(`${home}/new/memory.db`), ['storage_read_only', 'storage_unavailable'])
})

test('a folder that cannot be created because a file has its path is refused', async () => {
  writeFileSync(folder.file('in-the-way'), '')
  await assert.rejects(openColophon({ path: folder.file('in-the-way/below/memory.db') }), {
    name: 'ColophonError',
    code: 'storage_unavailable',
  })
})

test('a path to a folder is refused', async () => {
  await assert.rejects(openColophon({ path: folder.path }), { name: 'ColophonError', code: 'storage_unavailable' })
})

test('a file that is not a database is refused as corrupt and not changed', async () => {
  const path = folder.file('letter.txt')
  const text = 'Dear database, this is a letter. '.repeat(100)
  writeFileSync(path, text)
  await assert.rejects(openColophon({ path }), { name: 'ColophonError', code: 'storage_corrupt' })
  assert.equal(readFileSync(path, 'utf8'), text)
})

test('an open store that becomes read-only reports it, refuses writes and still reads', async () => {
  const { path } = await createStore('turned')
  const storage = openSqlite({ path, now: Date.now, isReadOnly: true })
  await using colophon = composeColophon(storage, nodeSystem(), 'test')
  assert.equal(await storage.isWritable(), false)
  await assert.rejects(colophon.memory('acme').put('log', { content: 'second' }), { code: 'storage_read_only' })
  assert.equal((await colophon.memory('acme').list('log')).entries.length, 1)
})
