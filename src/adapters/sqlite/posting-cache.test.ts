import assert from 'node:assert/strict'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { batchOf } from '../../../test/contract/suite/batch.ts'
import { figures, find, memoryRef, tenantId, texts } from '../../../test/contract/suite/search-calls.ts'
import { createRandom } from '../../../test/support/random.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { composeColophon } from '../../open.ts'
import { nodeSystem } from '../system/node-system.ts'
import { openSqlite } from './open.ts'
import { createPostingCache, type ReadRows } from './posting-cache.ts'

/** An index in memory: the numbers of its rows, ascending. */
function createIndex() {
  const rows: number[] = []
  let reads = 0
  const read: ReadRows = ({ after, upTo, limit }) => {
    reads += 1
    return rows
      .filter((row) => row > after && row <= upTo)
      .reverse()
      .slice(0, limit)
  }
  return { rows, read, reads: () => reads }
}

const newWriter = () => new Database(`${createFolder().path}/cache.db`)

test('a cached list has the same rows as one that is read again, while rows are indexed and whatever the limit is', () => {
  const random = createRandom(3)
  const cache = createPostingCache(newWriter())
  const { rows, read } = createIndex()
  let newest = 0
  for (let round = 0; round < 400; round++) {
    for (let more = Math.floor(random() * 4); more > 0; more--)
      if (random() < 0.6) rows.push(++newest)
      else newest += 1
    const limit = 1 + Math.floor(random() * 30)
    const upTo = random() < 0.2 ? Math.floor(random() * newest) : newest
    const list = cache.list(1, 'tea', upTo, limit, read)
    const all = read({ after: 0, upTo, limit: limit + 1 })
    assert.deepEqual(
      { rows: [...list.rows], isCut: list.isCut },
      { rows: all.slice(0, limit), isCut: all.length > limit },
    )
  }
})

test('a list is read once, and afterwards only what was indexed since', () => {
  const cache = createPostingCache(newWriter())
  const { rows, read, reads } = createIndex()
  rows.push(1, 2, 3)
  cache.list(1, 'tea', 3, 10, read)
  cache.list(1, 'tea', 3, 10, read)
  assert.equal(reads(), 1)
  rows.push(4)
  const ranges: number[] = []
  cache.list(1, 'tea', 4, 10, (range) => {
    ranges.push(range.after)
    return read(range)
  })
  assert.deepEqual(ranges, [3])
})

test('a scope that is dropped is read again, and other scopes are not', () => {
  const cache = createPostingCache(newWriter())
  const [one, other] = [createIndex(), createIndex()]
  one.rows.push(1, 2)
  other.rows.push(1)
  const look = () => [cache.list(1, 'tea', 2, 10, one.read), cache.list(2, 'tea', 2, 10, other.read)] as const
  look()
  one.rows.shift()
  cache.dropScope(1)
  assert.deepEqual([...look()[0].rows], [2])
  assert.equal(other.reads(), 1)
})

test('the lists that were used longest ago make room', () => {
  const cache = createPostingCache(newWriter(), 1_000)
  const { rows, read, reads } = createIndex()
  for (let row = 1; row <= 50; row++) rows.push(row)
  const look = (term: string) => cache.list(1, term, 50, 100, read)
  for (const term of ['tea', 'milk', 'tea', 'rice']) look(term)
  assert.ok(cache.bytes <= 1_000)
  const before = reads()
  look('tea')
  assert.equal(reads(), before)
  look('milk')
  assert.equal(reads(), before + 1)
  cache.clear()
  assert.equal(cache.bytes, 0)
})

test('a search after another connection has written takes nothing from before', () => {
  const path = `${createFolder().path}/cache.db`
  const [writer, other] = [new Database(path), new Database(path)]
  writer.pragma('journal_mode = wal')
  writer.exec('create table t (x)')
  const cache = createPostingCache(writer)
  const { rows, read } = createIndex()
  rows.push(1)
  assert.equal(cache.isUsable(), true)
  cache.list(1, 'tea', 1, 10, read)
  writer.exec('insert into t values (1)')
  assert.equal(cache.isUsable(), true)
  other.exec('insert into t values (2)')
  assert.equal(cache.isUsable(), false)
  assert.equal(cache.bytes, 0)
  assert.equal(cache.isUsable(), true)
})

test('a search after an entry was erased or rewritten counts and finds what is stored now', async () => {
  const storage = openSqlite({ path: `${createFolder().path}/colophon.db`, now: Date.now })
  try {
    const memory = composeColophon(storage, nodeSystem(), 'test').memory(tenantId)
    await memory.putMany(memoryRef, [{ content: 'green tea' }, { content: 'black tea' }, { content: 'red tea' }])
    await storage.search.index(tenantId, memoryRef, 100)
    const look = async () => {
      const found = await find(storage, 'tea', {})
      return { ...figures(found), texts: texts(found) }
    }
    assert.deepEqual(await look(), { entries: 3, frequencies: [3], texts: ['red tea', 'black tea', 'green tea'] })
    const [green, black] = (await storage.scanVersions({ tenantId, after: null, limit: 10 })).toSorted(
      (a, b) => a.ordinal - b.ordinal,
    ) as [EntryVersion, EntryVersion]
    await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures: [green] }))
    assert.deepEqual(await look(), { entries: 2, frequencies: [2], texts: ['red tea', 'black tea'] })
    const { entryId, version, salt } = black
    const rewritten = { memoryRef, entryId, version, content: 'coffee', tags: [], readSalt: salt, salt: 'new' }
    await storage.commit(batchOf({ tenantId, kind: 'memory.redacted', rewrites: [rewritten] }))
    assert.deepEqual(await look(), { entries: 2, frequencies: [1], texts: ['red tea'] })
  } finally {
    await storage.close()
  }
})
