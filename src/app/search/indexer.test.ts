import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { openSqlite } from '../../adapters/sqlite/open.ts'
import { limits } from '../../core/limits.ts'
import { openColophon } from '../../open.ts'
import type { Storage } from '../../ports/storage.ts'
import { SearchIndexer } from './indexer.ts'

/** Counts the steps that were asked for; each finds nothing left to do. */
function storageThatCounts() {
  const indexed: string[] = []
  const index = async (tenantId: string, memoryRef: string) => {
    indexed.push(`${tenantId} ${memoryRef}`)
    return 0
  }
  return { indexed, storage: { search: { index } } as unknown as Storage }
}

test('a few written rows stay unindexed until a search scans them', async () => {
  const { indexed, storage } = storageThatCounts()
  const indexer = new SearchIndexer(storage)
  indexer.noteWrittenRows('acme', 'agents/a', limits.searchUnindexedRows - 1)
  indexer.noteUnindexedScan('acme', 'agents/a', limits.searchScannedRows - 1)
  await indexer.idle()
  assert.deepEqual(indexed, [])
  indexer.noteUnindexedScan('acme', 'agents/a', limits.searchScannedRows)
  await indexer.idle()
  assert.deepEqual(indexed, ['acme agents/a'])
})

test('rows that are written while others are indexed wait until there are enough of them', async () => {
  const batches: number[] = []
  let unindexed: number = limits.searchUnindexedRows
  const index = async (_tenantId: string, _memoryRef: string, rowsMax: number) => {
    const done = Math.min(unindexed, rowsMax)
    batches.push(done)
    unindexed += 1 - done
    indexer.noteWrittenRows('acme', 'agents/a', 1)
    return done
  }
  const indexer = new SearchIndexer({ search: { index } } as unknown as Storage)
  indexer.noteWrittenRows('acme', 'agents/a', unindexed)
  await indexer.idle()
  assert.deepEqual(batches, [limits.searchUnindexedRows])
  indexer.noteWrittenRows('acme', 'agents/a', limits.searchUnindexedRows - 1)
  unindexed += limits.searchUnindexedRows - 1
  await indexer.idle()
  assert.deepEqual(batches, [limits.searchUnindexedRows, limits.searchUnindexedRows])
})

test('rows that concurrent searches scan are counted once, so no writer waits for them', async () => {
  const { indexed, storage } = storageThatCounts()
  const indexer = new SearchIndexer(storage)
  for (let search = 0; search < 100; search++)
    indexer.noteUnindexedScan('acme', 'agents/a', limits.searchUnindexedRowsMax)
  await indexer.waitForCapacity()
  assert.deepEqual(indexed, [])
  await indexer.idle()
  assert.ok(indexed.length > 0)
})

test('a search makes the unindexed rows of a small ref be indexed', async () => {
  const path = createFolder().file('colophon.db')
  const storage = await openSqlite({ path, now: Date.now })
  await using colophon = await openColophon({ storage })
  const memory = colophon.memory('acme')
  const drafts = Array.from({ length: limits.searchScannedRows }, (_, n) => ({ content: `Harbour number ${n}` }))
  await memory.putMany('agents/a', drafts)
  const waiting = () => storage.search.unindexed({ after: null, rowsMax: limits.searchScannedRows, limit: 10 })
  assert.equal((await waiting())[0]?.rows, limits.searchScannedRows)
  assert.equal((await memory.search('agents/a', 'number 7')).results[0]?.entry.content, 'Harbour number 7')
  while ((await waiting()).length > 0) await delay(1)
  assert.equal((await memory.search('agents/a', 'number 7')).results[0]?.entry.content, 'Harbour number 7')
})
