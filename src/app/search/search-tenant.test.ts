import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import { put } from '../entries/put.ts'
import { searchTenant } from './search-tenant.ts'

test('a search over long texts stops with a cursor, and the cursor goes on where it stopped', async () => {
  await using world = openUseCases(openInMemoryStore)
  await put(world.tenant, 'notes', { content: 'short' })
  const [stored] = await world.engine.storage.recentVersions({ tenantId: 'acme', after: null, limit: 1 })
  assert.ok(stored)
  const long = { ...stored, content: 'x'.repeat(limits.contentBytesMax) }
  let compared = 0
  const recentVersions: typeof world.engine.storage.recentVersions = async ({ after, limit }) => {
    compared = 10_000 - (after?.version ?? 0)
    return Array.from({ length: limit }, (_, at) => ({ ...long, version: (after?.version || 10_000) - at - 1 }))
  }
  Object.assign(world.engine.storage, { recentVersions })
  const search = { query: 'zebra', kinds: ['memories'] as const }
  const first = await searchTenant(world.tenant, search)
  const rows = Math.floor(limits.tenantSearchCharactersMax / limits.contentBytesMax) + 1
  assert.equal(first.cursor, `1.1.${10_000 - rows}.${stored.entryId}`)
  await searchTenant(world.tenant, { ...search, cursor: first.cursor })
  assert.equal(compared, rows)
  // Without words nothing is compared.
  assert.equal((await searchTenant(world.tenant, { query: '', kinds: ['memories'] })).memories?.length, 50)
})
