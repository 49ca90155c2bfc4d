import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../core/limits.ts'
import { page } from './page.ts'

const items = Array.from({ length: 5 }, (_, at) => ({ id: `i${at}` }))

/** A list in order of id that records the requested limits. */
function listOf(requested: number[]) {
  return async ({ after, limit }: { after: string | null; limit: number }) => {
    requested.push(limit)
    return items.filter(({ id }) => after === null || id > after).slice(0, limit)
  }
}

test('a page has a cursor exactly when another page follows', async () => {
  const requested: number[] = []
  const first = await page({ limit: 3 }, 'id', listOf(requested))
  assert.deepEqual([first.items.length, first.next], [3, { cursor: 'i2' }])
  const second = await page({ limit: 2, cursor: 'i2' }, 'id', listOf(requested))
  assert.deepEqual([second.items.map(({ id }) => id), second.next], [['i3', 'i4'], {}])
  assert.deepEqual(requested, [4, 3])
})

test('a page of long items has those that fit, and a cursor if another one was read', async () => {
  const fitting = <T>(found: readonly T[]) => found.slice(0, 2)
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const { items, next } = await page({ limit: 4, cursor }, 'id', listOf([]), 10, fitting)
    seen.push(items.map(({ id }) => id).join(' '))
    cursor = next.cursor
  } while (cursor !== undefined)
  assert.deepEqual(seen, ['i0 i1', 'i2 i3', 'i4'])
})

test('a limit of 0, or no limit, is the default; a limit above the maximum is the maximum', async () => {
  const requested: number[] = []
  await page({}, 'id', listOf(requested))
  await page({ limit: 0 }, 'id', listOf(requested))
  await page({ limit: 10 ** 9 }, 'id', listOf(requested))
  await page({ limit: 50 }, 'id', listOf(requested), 7)
  assert.deepEqual(requested, [
    limits.pageEntriesDefault + 1,
    limits.pageEntriesDefault + 1,
    limits.pageEntriesMax + 1,
    8,
  ])
})
