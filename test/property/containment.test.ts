import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { openUseCases } from '../support/use-cases.ts'
import { type Act, actKinds, ContainmentWorld } from './containment-world.ts'
import { runsOf } from './runs.ts'

after(releaseServer)

const number = fc.nat({ max: 20 })
const act: fc.Arbitrary<Act> = fc.record({ kind: fc.constantFrom(...actKinds), key: number, at: number, more: number })
const history = fc.array(act, { minLength: 6, maxLength: 24 })

const stores = {
  model: { runs: 60, open: async () => ({ open: openInMemoryStore, drop: async () => {} }) },
  sqlite: {
    runs: 12,
    open: async () => {
      const folder = createFolder()
      const open = (options: { now: () => number }) => openSqlite({ ...options, path: folder.file('contain.db') })
      return { open, drop: async () => folder.remove() }
    },
  },
  postgres: {
    runs: 2,
    open: async () => {
      const database = await createDatabase()
      const storage = await openPostgres({ url: database.url, now: () => Date.parse('2026-01-01T00:00:00Z') })
      return { open: () => storage, drop: database.drop }
    },
  },
}

for (const [name, { runs, open }] of Object.entries(stores)) {
  test(`${name}: a containment affects what came from its source and nothing else, and a release restores it`, async () => {
    const property = fc.asyncProperty(history, async (acts) => {
      const store = await open()
      let made = 0
      const summariser = { name: 'counts', summarise: async () => ({ text: `summary ${++made}` }) }
      const world = openUseCases(store.open, { host: { summariser } })
      try {
        const both = new ContainmentWorld(world)
        await both.prepare()
        for (const next of acts) await both.take(next)
        await both.check()
        await both.releaseAll()
        const verdict = await world.tenant.verify({ contents: true })
        assert.equal(verdict.ok, true, JSON.stringify(verdict))
      } finally {
        await world[Symbol.asyncDispose]()
        await store.drop()
      }
    })
    await fc.assert(property, { numRuns: runsOf(runs) })
  })
}
