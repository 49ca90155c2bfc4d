import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { composeColophon } from '../../src/open.ts'
import { batchOf } from '../contract/suite/batch.ts'
import { createFolder } from '../support/temporary-folder.ts'

const [tenantId, memoryRef] = ['acme', 'notes']
const count = 300

function open(path: string) {
  const storage = openSqlite({ path, now: Date.now })
  const colophon = composeColophon(storage, nodeSystem(Date.now), 'test')
  const indexAll = async () => {
    while ((await storage.search.index(tenantId, memoryRef, 100)) > 0);
  }
  const search = async (query: string, options = {}) =>
    (await colophon.memory(tenantId).search(memoryRef, query, { limit: 20, ...options })).results.map(
      ({ entry, score }) => [entry.content, score],
    )
  const unindexed = async () =>
    (await storage.search.unindexed({ after: null, rowsMax: 1_000, limit: 1 }))[0]?.rows ?? 0
  return { storage, colophon, indexAll, search, unindexed }
}

function execute(path: string, sql: string): void {
  const db = new Database(path)
  db.exec(sql)
  db.pragma('wal_checkpoint(truncate)')
  db.close()
}

test('an index of other rules is built again from the entries, and erasing still leaves no byte', async () => {
  const folder = createFolder()
  const path = folder.file('colophon.db')
  const first = open(path)
  const memory = first.colophon.memory(tenantId)
  for (let n = 0; n < count; n++)
    await memory.put(memoryRef, { content: `Tea quizzac${n}q of day ${n % 7}`, tags: [`t${n % 5}`] })
  const answers = async ({ search }: typeof first) => [
    await search('quizzac7q'),
    await search('tea day 3'),
    await search('"of day 5"', { tag: 't2' }),
  ]
  await first.indexAll()
  const before = await answers(first)
  assert.ok(before.every((found) => found.length > 0))
  await first.colophon.close()

  // The same rules: nothing is indexed again.
  const same = open(path)
  assert.equal(await same.unindexed(), 0)
  await same.colophon.close()

  // As an earlier program would have left it. Keys of an unknown rule are in the index.
  execute(
    path,
    `update search_rules set rules = 'earlier';
     insert into search_key (rowid, keys) select row_id, scope_id || 'xquizzacold' from entry_version, search_scope limit 10`,
  )
  const { storage, colophon, indexAll, ...again } = open(path)
  assert.equal(await again.unindexed(), count)
  assert.deepEqual(await answers({ storage, colophon, indexAll, ...again }), before)
  await indexAll()
  assert.equal(await again.unindexed(), 0)
  assert.deepEqual(await answers({ storage, colophon, indexAll, ...again }), before)
  const versions = await storage.scanVersions({ tenantId, after: null, limit: 1_000 })
  const erasures = versions.slice(0, 200).map(({ entryId, version }) => ({ memoryRef, entryId, version }))
  await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures }))
  await colophon.close()
  execute(path, 'select 1')
  const bytes = readdirSync(folder.path)
    .map((name) => readFileSync(join(folder.path, name), 'latin1'))
    .join('')
  const words = versions.map(({ content }) => /quizzac\d+q/.exec(content)?.[0] ?? '')
  assert.deepEqual(
    words.filter((word) => bytes.includes(word)),
    words.slice(200),
  )
  assert.ok(!bytes.includes('quizzacold'))
  folder.remove()
})
