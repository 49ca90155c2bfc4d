import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/core/limits.ts'
import { openColophon } from '../../src/open.ts'
import { createFolder } from '../support/temporary-folder.ts'

test('a match of a filter is found behind more hits than the examination limit', async () => {
  const folder = createFolder()
  const colophon = await openColophon({ path: folder.file('memory.db') })
  try {
    const memory = colophon.memory('acme')
    const rare = await memory.put('log', { content: 'the first cup of tea', tags: ['rare'], subject: 'ada' })
    for (let left = limits.searchExaminedMax + 200; left > 0; left -= limits.batchEntriesMax) {
      const drafts = Array.from({ length: limits.batchEntriesMax }, (_, nth) => ({
        content: `cup of tea ${left} ${nth}`,
      }))
      await memory.putMany('log', drafts)
    }
    for (const filter of [{ tag: 'rare' }, { subject: 'ada' }, { to: after(rare.createdAt), tag: 'rare' }]) {
      const { results } = await memory.search('log', 'cup of tea', filter)
      assert.deepEqual(
        results.map(({ entry }) => entry.id),
        [rare.id],
      )
    }
    assert.equal((await memory.search('log', 'cup of tea', { limit: 10 })).results.length, 10)
    assert.deepEqual((await memory.search('log', 'cup of tea', { tag: 'never' })).results, [])
  } finally {
    await colophon.close()
    folder.remove()
  }
})

function after(instant: string): string {
  return new Date(Date.parse(instant) + 1).toISOString()
}
