import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { fullAccess } from '../../src/core/entries/access.ts'
import type { EntryFilter } from '../../src/core/filter/filter.ts'
import { normaliseVector } from '../../src/core/search/vectors.ts'
import { composeColophon } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createRandom } from '../support/random.ts'
import { createFolder } from '../support/temporary-folder.ts'

after(releaseServer)

const [tenantId, memoryRef] = ['acme', 'notes']
const space = { model: 'small', dimensions: 8 }
const start = Date.parse('2026-01-01T00:00:00Z')
/** So many vectors are compared one by one: fewer than the ref has, more than have the tag. */
const exactVectorsMax = 15

/** Notes, every tenth of them with a tag, some of those deleted again; each with a vector that depends on its text only. */
async function fill(storage: Storage): Promise<number> {
  const system = nodeSystem(() => start)
  const memory = composeColophon(storage, system, 'test').memory(tenantId)
  const drafts = Array.from({ length: 100 }, (_, nth) => ({
    content: `note ${nth}`,
    tags: [...(nth % 10 === 3 ? ['few'] : []), ...(nth % 2 === 1 ? ['odd'] : [])],
  }))
  const { entries } = await memory.putMany(memoryRef, drafts)
  const before = (await memory.snapshot()).position
  for (const { id, content } of entries)
    if (['note 13', 'note 53'].includes(content)) await memory.delete(memoryRef, id)
  const random = createRandom(8)
  const vectors = new Map(drafts.map(({ content }) => [content, vectorOf(random)]))
  const from = { recordedPosition: 0, entryId: '', version: 0 }
  const { versions } = await storage.vectors.pending({ tenantId, space, madeSince: 0, after: from, limit: 1_000 })
  const made = versions.map((version) => {
    return { ...version, contentHash: version.content, vector: vectors.get(version.content) ?? vectorOf(random) }
  })
  await storage.vectors.begin(tenantId, space)
  await storage.vectors.save(tenantId, space, 1, made)
  return before
}

function vectorOf(random: () => number): Float32Array {
  return normaliseVector(Float32Array.from({ length: 8 }, () => random() - 0.5)) ?? new Float32Array(8)
}

const tagged = (tag: string): EntryFilter => ({ kind: 'text', field: 'tag', in: [tag] })
const filters: readonly EntryFilter[] = [
  tagged('few'),
  tagged('none'),
  { kind: 'and', of: [tagged('few'), tagged('odd')] },
  { kind: 'and', of: [tagged('few'), { kind: 'number', field: 'trust', in: [0] }] },
]

const stores: Readonly<Record<string, () => Promise<{ storage: Storage; drop: () => unknown }>>> = {
  async sqlite() {
    const folder = createFolder()
    const storage = openSqlite({ path: folder.file('near.db'), now: () => start, exactVectorsMax })
    return { storage, drop: () => folder.remove() }
  },
  async postgres() {
    const database = await createDatabase()
    return {
      storage: await openPostgres({ url: database.url, now: () => start, exactVectorsMax }),
      drop: database.drop,
    }
  },
}

for (const [name, open] of Object.entries(stores))
  test(`${name}: where few versions have the tag of a filter, exactly the nearest of them are found, as of any position`, async () => {
    const { storage, drop } = await open()
    const model = openInMemoryStore({ now: () => start })
    try {
      const before = await fill(storage)
      assert.equal(await fill(model), before)
      const random = createRandom(4)
      for (let round = 0; round < 10; round++) {
        const vector = vectorOf(random)
        for (const where of filters) {
          for (const position of [before, before + 2]) {
            const query = {
              tenantId,
              memoryRef,
              space,
              vector,
              position,
              now: start,
              where,
              access: fullAccess,
              limit: 5,
            }
            const shown = async ({ vectors }: Storage) =>
              (await vectors.nearest(query)).map(({ version, similarity }) => [version.content, similarity])
            assert.deepEqual(await shown(storage), await shown(model), `${JSON.stringify(where)} at ${position}`)
          }
        }
      }
    } finally {
      await storage.close()
      await model.close()
      await drop()
    }
  })
