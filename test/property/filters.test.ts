import { after, test } from 'node:test'
import fc from 'fast-check'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { trustClasses } from '../../src/core/entries/trust.ts'
import { parseFilter } from '../../src/core/filter/parse-filter.ts'
import { categories } from '../../src/core/provenance/category.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { assertSelected, storeVariety } from '../contract/suite/filters.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { runsOf } from './runs.ts'

after(releaseServer)

const valueForm = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(value, fc.record({ in: fc.array(value, { minLength: 1, maxLength: 3 }) }))
const rangeForm = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    valueForm(value),
    fc.record({ gte: value, lt: value }),
    fc.record({ gt: value, lte: value }),
    fc.record({ gte: value }),
    fc.record({ lt: value }),
  )
const text = fc.constantFrom('a', 'b', '"quoted"', "it's", 'crm', "o'mail", 'ada', 'scribe', 'pro')
const instant = fc.nat(40).map((seconds) => new Date(1_000 * seconds).toISOString())
const number = fc.oneof(fc.integer({ min: 0, max: 13 }), fc.constantFrom(0.1, 0.125, 0.5, 2 ** 60, -1))
const scalar = fc.oneof(text, fc.constantFrom('free', 'Zoë', '', '12'), number, fc.boolean(), fc.constant(null))
const key = fc.constantFrom(
  'plan',
  'seats',
  'isTrial',
  'note',
  'large',
  'list',
  'inner',
  'odd "key"',
  '__proto__',
  'edits',
)

const condition = fc.oneof(
  fc.record({ tag: valueForm(text) }),
  fc.record({ category: valueForm(fc.constantFrom(...categories)) }),
  fc.record({ writer: valueForm(text) }),
  fc.record({ agent: valueForm(text) }),
  fc.record({ subject: valueForm(text) }),
  fc.record({ created: rangeForm(instant) }),
  fc.record({ observed: rangeForm(instant) }),
  fc.record({ confidence: rangeForm(number) }),
  fc.record({ importance: rangeForm(number) }),
  fc.record({ trust: rangeForm(fc.constantFrom(...trustClasses)) }),
  fc.tuple(key, fc.oneof(valueForm(scalar), rangeForm(number))).map(([name, wanted]) => ({
    metadata: Object.fromEntries([[name, wanted]]),
  })),
)
const filter = fc.letrec((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    condition,
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((and) => ({ and })),
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
    tie('filter').map((not) => ({ not })),
    fc.tuple(condition, condition).map(([one, other]) => ({ ...one, ...other })),
  ),
})).filter

async function compare(storage: Storage, runs: number): Promise<void> {
  await storeVariety(storage, 40)
  await storage.search.index('acme', 'notes', 20)
  const property = fc.asyncProperty(filter, fc.integer({ min: 1, max: 50 }), async (form, examinedMax) => {
    await assertSelected(storage, parseFilter(form), examinedMax, 7)
  })
  await fc.assert(property, { numRuns: runsOf(runs) })
}

test('any filter selects in the in-memory store what the core selects', async () => {
  await compare(openInMemoryStore({ now: () => 0 }), 20)
})

test('any filter selects in SQLite what the core selects', async () => {
  const folder = createFolder()
  const storage = openSqlite({ path: folder.file('filters.db'), now: () => 0 })
  await compare(storage, 200)
  await storage.close()
  folder.remove()
})

test('any filter selects in PostgreSQL what the core selects', async () => {
  const database = await createDatabase()
  const storage = await openPostgres({ url: database.url, now: () => 0, connectionsMax: 4 })
  await compare(storage, 25)
  await storage.close()
  await database.drop()
})
