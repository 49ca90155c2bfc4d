import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readablePage } from './readable-claims.ts'

test('a page ends when its views are enough, and other work has turns between the groups of views', async () => {
  const ids = Array.from({ length: 1_000 }, (_, n) => String(n).padStart(4, '0'))
  let made = 0
  const page = await readablePage(
    { after: null, limit: 500 },
    async ({ limit }) => ids.slice(0, limit),
    (id) => id,
    async (id) => {
      made += 1
      return id
    },
    (shown) => shown.length > 20,
  )
  assert.deepEqual(page, ids.slice(0, 32))
  assert.equal(made, 32)
})

test('a small page of a long list with few items to show is made of few reads, and the next one continues after it', async () => {
  const ids = Array.from({ length: 1_000 }, (_, n) => String(n).padStart(4, '0'))
  let reads = 0
  const pageAfter = (after: string | null) =>
    readablePage(
      { after, limit: 2 },
      async ({ after, limit }) => {
        reads += 1
        return ids.filter((id) => after === null || id > after).slice(0, limit)
      },
      (id) => id,
      async (id) => (Number(id) % 300 === 299 ? id : null),
    )
  assert.deepEqual(await pageAfter(null), ['0299', '0599'])
  assert.deepEqual(await pageAfter('0599'), ['0899'])
  assert.ok(reads <= 14, `${reads} reads`)
})
