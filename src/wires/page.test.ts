import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../core/limits.ts'
import { page } from './page.ts'

const items = Array.from({ length: 5 }, (_, at) => ({ id: `i${at}` }))

/** A list in order of id, which notes how many items it was asked for. */
function listOf(asked: number[]) {
  return async ({ after, limit }: { after: string | null; limit: number }) => {
    asked.push(limit)
    return items.filter(({ id }) => after === null || id > after).slice(0, limit)
  }
}

test('a page has a cursor exactly when another page follows', async () => {
  const asked: number[] = []
  const first = await page({ limit: 3 }, 'id', listOf(asked))
  assert.deepEqual([first.items.length, first.next], [3, { cursor: 'i2' }])
  const second = await page({ limit: 2, cursor: 'i2' }, 'id', listOf(asked))
  assert.deepEqual([second.items.map(({ id }) => id), second.next], [['i3', 'i4'], {}])
  assert.deepEqual(asked, [4, 3])
})

test('a limit of 0, and none, is the default; a larger one than allowed is the largest', async () => {
  const asked: number[] = []
  await page({}, 'id', listOf(asked))
  await page({ limit: 0 }, 'id', listOf(asked))
  await page({ limit: 10 ** 9 }, 'id', listOf(asked))
  await page({ limit: 50 }, 'id', listOf(asked), 7)
  assert.deepEqual(asked, [limits.pageEntriesDefault + 1, limits.pageEntriesDefault + 1, limits.pageEntriesMax + 1, 8])
})
