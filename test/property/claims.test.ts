import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'
import { fourEvents, fourPriorities, type Scenario, scenario } from './claims-events.ts'
import { expectedOf, permutations } from './claims-reference.ts'
import { ingest, openWorld, prepareTenant, readAll, untilDone } from './claims-world.ts'
import { runsOf } from './runs.ts'

after(releaseServer)

const stores = {
  async model() {
    return { storage: openInMemoryStore({ now: Date.now }), runs: 60, drop: async () => {} }
  },
  async sqlite() {
    const folder = createFolder()
    return {
      storage: openSqlite({ path: folder.file('claims.db'), now: Date.now }),
      runs: 40,
      drop: async () => folder.remove(),
    }
  },
  async postgres() {
    const database = await createDatabase()
    return { storage: await openPostgres({ url: database.url, now: Date.now }), runs: 20, drop: database.drop }
  },
}

for (const [name, open] of Object.entries(stores)) {
  describe(`claims on ${name}`, () => {
    const opened = open()
    const world = opened.then(({ storage }) => openWorld(storage))
    let tenants = 0
    after(async () => {
      await (await world).close()
      await (await opened).drop()
    })

    /** Ingests the events in this order, each order in its own tenant, and compares the result with the rule. */
    async function check({ events, order, priorities }: Scenario, atOnce: boolean): Promise<void> {
      const { engine } = await world
      const tenantId = `tenant-${++tenants}`
      await prepareTenant(engine.tenant(tenantId), priorities)
      const ordered = order.flatMap((n) => events[n] ?? [])
      if (atOnce)
        await untilDone(
          engine.tenant(tenantId),
          await Promise.all(ordered.map((event) => ingest(engine.tenant(tenantId), event))),
        )
      else
        for (const event of ordered)
          await untilDone(engine.tenant(tenantId), [await ingest(engine.tenant(tenantId), event)])
      const users = events.map(({ user }) => user)
      assert.deepEqual(await readAll(engine.tenant(tenantId), users), expectedOf(events, priorities))
      const verdict = await engine.tenant(tenantId).verify({ contents: true })
      assert.equal(verdict.ok, true, JSON.stringify(verdict))
    }

    for (const [what, priorities] of Object.entries(fourPriorities)) {
      const all = permutations([0, 1, 2, 3])
      assert.equal(all.length, 24)
      // Verified by contents after each: seconds on a database.
      const orders = isThorough || name === 'model' ? all : all.filter((_, nth) => nth % 4 === 0)
      test(`all orders of four events have the same winner: decided by ${what}`, async () => {
        for (const order of orders) await check({ events: fourEvents, order, priorities }, false)
      })
      test(`four concurrent events have the same winner: decided by ${what}`, async () => {
        for (const order of orders) await check({ events: fourEvents, order, priorities }, true)
      })
    }

    for (const atOnce of [false, true]) {
      // Model rule: authority.order-of-arrival
      test(`any events, sent ${atOnce ? 'at once' : 'one by one'}, have the winner of the rule`, async () => {
        const { runs } = await opened
        const property = fc.asyncProperty(scenario, (sent) => check(sent, atOnce))
        await fc.assert(property, { numRuns: runsOf(runs) })
      })
    }
  })
}
