import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { readinessWarning, unreadiness } from '../../src/app/capabilities.ts'
import { search } from '../../src/app/search/search-memory.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { type Colophon, composeColophon, composeEngine, openColophon } from '../../src/open.ts'
import { endChildren, startChildInShell } from '../support/child.ts'
import { createFolder } from '../support/temporary-folder.ts'

const folder = createFolder()
after(endChildren)
after(() => folder.remove())

const tenant = 'acme'
const memoryRef = 'log'

test('a full database refuses writes, keeps its rows, and accepts writes again once there is space', async () => {
  const path = folder.file('full.db')
  await using small = composeColophon(openSqlite({ path, now: Date.now, pagesMax: 150 }), nodeSystem(), 'test')
  const acknowledged = new Set<string>()
  const failures = new Set<string>()
  // Side by side, so that they share transactions: the one that does not fit must not take others with it.
  const write = async () => {
    for (let number = 0; number < 20; number++) {
      try {
        acknowledged.add((await small.memory(tenant).put(memoryRef, { content: 'x'.repeat(8_000) })).id)
      } catch (error) {
        failures.add(codeOf(error))
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, write))
  assert.ok(acknowledged.size > 10, 'nothing fitted')
  assert.deepEqual(failures, new Set(['storage_full']))

  // Full is not broken: it reads, and what is small enough may still fit.
  assert.deepEqual(await storedIds(small), acknowledged)
  await small
    .memory(tenant)
    .put(memoryRef, { content: 'small' })
    .then(({ id }) => acknowledged.add(id))
    .catch((error) => assert.equal(codeOf(error), 'storage_full'))
  await checkSound(small, acknowledged)
  await small.close()

  await using roomy = await openColophon({ path })
  await checkSound(roomy, acknowledged)
  for (let number = 0; number < 50; number++) {
    acknowledged.add((await roomy.memory(tenant).put(memoryRef, { content: 'y'.repeat(8_000) })).id)
  }
  await checkSound(roomy, acknowledged)
  await roomy.close()
  assert.equal(integrityOf(path), 'ok')
})

test('on a full disk a search answers from what is indexed, and readiness says so until there is space', async () => {
  const path = folder.file('index.db')
  const stored = openSqlite({ path, now: Date.now })
  const notIndexing = { ...stored, search: { ...stored.search, index: async () => 0 } }
  await using filling = composeColophon(notIndexing, nodeSystem(), 'test')
  await filling.memory(tenant).put(memoryRef, { content: 'green tea' })
  await stored.search.index(tenant, memoryRef, 10)
  const words = (nth: number) => Array.from({ length: 60 }, (_, at) => `w${nth}x${at}`).join(' ')
  const waiting = Array.from({ length: 3 }, (_, page) =>
    Array.from({ length: 500 }, (_, nth) => ({ content: `coffee ${words(500 * page + nth)}` })),
  )
  for (const drafts of waiting) await filling.memory(tenant).putMany(memoryRef, drafts)
  await filling.close()

  const counted = new Database(path)
  const pagesMax = counted.pragma('page_count', { simple: true }) as number
  counted.close()
  const full = openSqlite({ path, now: Date.now, pagesMax })
  const { engine, close } = composeEngine(full, nodeSystem(), 'test', null)
  const find = async (text: string) =>
    (await search(engine.tenant(tenant), memoryRef, text)).results.map(({ entry }) => entry.content.slice(0, 9))
  assert.deepEqual(await find('tea'), ['green tea'])
  assert.deepEqual(await find('coffee'), [])
  assert.equal(await unreadiness(engine), null)
  assert.equal(readinessWarning(engine), 'storage_full')
  await close()

  const roomy = composeEngine(openSqlite({ path, now: Date.now }), nodeSystem(), 'test', null)
  const found = await search(roomy.engine.tenant(tenant), memoryRef, 'coffee', { limit: 3 })
  assert.equal(found.results.length, 3)
  assert.equal(readinessWarning(roomy.engine), null)
  await roomy.close()
})

test('a batch that does not fit is not stored in part', async () => {
  const path = folder.file('batch.db')
  await using small = composeColophon(openSqlite({ path, now: Date.now, pagesMax: 150 }), nodeSystem(), 'test')
  const { id } = await small.memory(tenant).put(memoryRef, { content: 'first' })
  const drafts = Array.from({ length: 200 }, () => ({ content: 'x'.repeat(8_000) }))
  await assert.rejects(small.memory(tenant).putMany(memoryRef, drafts), { code: 'storage_full' })
  await checkSound(small, new Set([id]))
  await small.close()
})

// Here the operating system refuses, as it does for a quota or a full disk: in the middle of a write to the log.
test('a file size limit of the operating system causes no data loss', { timeout: 60_000 }, async () => {
  const path = folder.file('limited.db')
  const program = new URL('./fill-program.ts', import.meta.url)
  // 2 MB in blocks of 512 bytes: less than what the log may hold before it is copied into the database.
  const child = startChildInShell<FillMessage>("trap '' XFSZ; ulimit -f 4096", program, { path, failures: 10 })
  const { code, stderr } = await child.ended
  assert.equal(code, 0, stderr)
  const acknowledged = new Set(child.messages.flatMap(({ stored }) => (stored === undefined ? [] : [stored])))
  const failures = child.messages.flatMap(({ failed }) => (failed === undefined ? [] : [failed]))
  assert.ok(acknowledged.size > 10, 'nothing fitted')
  for (const failure of failures) assert.match(failure, /^storage_(full|unavailable)$/)
  assert.equal(child.messages.at(-1)?.readable, Math.min(acknowledged.size, 100))

  assert.equal(integrityOf(path), 'ok')
  await using colophon = await openColophon({ path })
  await checkSound(colophon, acknowledged)
  acknowledged.add((await colophon.memory(tenant).put(memoryRef, { content: 'z'.repeat(20_000) })).id)
  await checkSound(colophon, acknowledged)
})

type FillMessage = { readonly stored?: string; readonly failed?: string; readonly readable?: number }

async function checkSound(colophon: Colophon, acknowledged: ReadonlySet<string>): Promise<void> {
  assert.deepEqual(await storedIds(colophon), acknowledged)
  const verdict = await colophon.memory(tenant).verify({ contents: true })
  assert.equal(verdict.ok, true, JSON.stringify(verdict.fault))
}

async function storedIds(colophon: Colophon): Promise<Set<string>> {
  const { entries, cursor } = await colophon.memory(tenant).list(memoryRef, { limit: 500 })
  assert.equal(cursor, undefined)
  return new Set(entries.map(({ id }) => id))
}

function codeOf(error: unknown): string {
  return isColophonError(error) ? error.code : String(error)
}

function integrityOf(path: string): unknown {
  const db = new Database(path, { readonly: true })
  try {
    return db.pragma('integrity_check', { simple: true })
  } finally {
    db.close()
  }
}
