import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { searchTenant } from './search-tenant.ts'

test('a small limit reads a ref in few statements, and its pages have every match once', async () => {
  let reads = 0
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    const list: typeof storage.list = (query) => {
      reads += 1
      return storage.list(query)
    }
    return { ...storage, list }
  })
  const { tenant } = world
  const contents = Array.from({ length: 450 }, (_, n) => (n % 90 === 7 ? `zebra ${n}` : `note ${n}`))
  await tenant.putMany(
    'notes',
    contents.map((content) => ({ content })),
  )
  const search = (query: string, cursor?: string) =>
    searchTenant(tenant, { query, kinds: ['memories'], memoryRef: 'notes', limit: 1, cursor })
  assert.deepEqual((await search('giraffe')).memories, [])
  assert.ok(reads <= 4, `${reads} reads`)
  const found: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await search('zebra', cursor)
    found.push(...(page.memories ?? []).map(({ content }) => content))
    cursor = page.cursor
    if (cursor === undefined) break
  }
  assert.deepEqual(found, contents.filter((content) => content.startsWith('zebra')).reverse())
})
