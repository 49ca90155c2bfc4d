import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { putMany } from '../../src/app/entries/put.ts'
import { type SearchOptions, search } from '../../src/app/search/search-memory.ts'
import { Tenant } from '../../src/app/tenant.ts'
import { limits } from '../../src/core/limits.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { openUseCases, tenantId } from '../support/use-cases.ts'

after(releaseServer)

const start = Date.parse('2026-01-01T00:00:00Z')
const space = { model: 'small', dimensions: 2 }
const others = limits.searchNearComparedMin + 100

const stores: Readonly<Record<string, (now: () => number) => Promise<{ storage: Storage; drop: () => unknown }>>> = {
  model: async (now) => ({ storage: openInMemoryStore({ now }), drop: () => {} }),
  async sqlite(now) {
    const folder = createFolder()
    return { storage: openSqlite({ path: folder.file('near.db'), now }), drop: () => folder.remove() }
  },
  async 'sqlite by codes'(now) {
    const folder = createFolder()
    const storage = openSqlite({ path: folder.file('near.db'), now, exactVectorsMax: 0 })
    return { storage, drop: () => folder.remove() }
  },
  async postgres(now) {
    const database = await createDatabase()
    return { storage: await openPostgres({ url: database.url, now }), drop: database.drop }
  },
}

/** Every version gets a vector: the later it was recorded, the further from the query. */
async function saveVectors({ vectors }: Storage): Promise<void> {
  const from = { recordedPosition: 0, entryId: '', version: 0 }
  const { versions } = await vectors.pending({ tenantId, space, madeSince: 0, after: from, limit: 2 * others })
  const made = versions.map(({ memoryRef, entryId, version, createdPosition, ordinal, content, recordedPosition }) => {
    const x = 1 - recordedPosition / 100
    const vector = Float32Array.of(x, Math.sqrt(1 - x * x))
    return { memoryRef, entryId, version, createdPosition, ordinal, content, contentHash: content, vector }
  })
  assert.equal(await vectors.save(tenantId, space, 1, made), made.length)
}

for (const [name, open] of Object.entries(stores))
  test(`${name}: a match of a filter is found by meaning behind any number of nearer entries that do not match`, async () => {
    let now = start
    const { storage, drop } = await open(() => now)
    const world = openUseCases(() => storage)
    try {
      for (let left = others; left > 0; left -= limits.batchEntriesMax) {
        const drafts = Array.from({ length: Math.min(left, limits.batchEntriesMax) }, (_, nth) => ({
          content: `gazebo ${left} ${nth}`,
          trust: 'untrusted' as const,
        }))
        await putMany(world.tenant, 'notes', drafts)
      }
      now += 60_000
      const later = new Date(now).toISOString()
      await putMany(world.tenant, 'notes', [{ content: 'harbour', tags: ['rare'], subject: 'ada' }])
      await saveVectors(storage)
      const embeddings = { embedQuery: async () => ({ space, vector: Float32Array.of(1, 0) }) } as never
      const tenant = new Tenant({ ...world.engine, host: { ...world.engine.host, embeddings } }, tenantId)
      const found = async (options: SearchOptions) =>
        (await search(tenant, 'notes', 'zeppelin', { trustMin: 'untrusted', ...options })).results.map(
          ({ entry }) => entry.content,
        )
      const narrowed: readonly SearchOptions[] = [
        { tag: 'rare' },
        { subject: 'ada' },
        { from: later },
        { trustMin: 'agent' },
        { filter: { or: [{ tag: 'rare' }, { confidence: { lt: 0.5 } }] } },
      ]
      for (const options of narrowed) assert.deepEqual(await found(options), ['harbour'], JSON.stringify(options))
      assert.deepEqual(await found({ tag: 'rare', subject: 'bob' }), [])
      const nearest = await found({ limit: 3 })
      assert.equal(nearest.filter((content) => content.startsWith('gazebo')).length, 3)
    } finally {
      await world[Symbol.asyncDispose]()
      await drop()
    }
  })
