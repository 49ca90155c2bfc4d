import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import type { TenantMemory } from '../../src/app/tenant.ts'
import { fullAccess } from '../../src/core/entries/access.ts'
import { limits } from '../../src/core/limits.ts'
import { composeEngine } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createUnusedDatabase, releaseServer, run, type TestDatabase } from '../support/databases.ts'
import { isThorough } from '../support/thorough.ts'
import { batchOf } from './suite/batch.ts'
import { find, memoryRef, tenantId, texts } from './suite/search-calls.ts'

after(releaseServer)

const entries = isThorough ? 20_000 : 8_000
/** Enough for the entries that the operations change. */
const fewEntries = 250
const positions = entries / limits.batchEntriesMax
/** What the largest of these operations reads, with room. A scan of the ref reads more than ten times as much. */
const rowsMax = 600

/** The server makes so many plans of a statement for given values. Then it takes one for any values, unless that seems to be worse. */
const plansForValuesMax = 5
const repeats = plansForValuesMax + 3

type Work = (storage: Storage, memory: TenantMemory, ids: string[]) => Promise<unknown>

/** The last ones first: entries that no other operation has changed. */
const takeId = (ids: string[]) => ids.splice(-1_000, 1)[0] ?? ''

/** A limit that is not reached. */
const room = { max: 1_000_000, gained: 1 }

const operations: Readonly<Record<string, Work>> = {
  put: (_storage, memory) => memory.put(memoryRef, { content: 'a heron', tags: ['bird'] }),
  get: (_storage, memory, ids) => memory.get(memoryRef, takeId(ids)),
  revise: (_storage, memory, ids) => memory.revise(memoryRef, takeId(ids), { content: 'a plover' }),
  delete: (_storage, memory, ids) => memory.delete(memoryRef, takeId(ids)),
  'delete two at once': (_storage, memory, ids) =>
    Promise.all(Array.from({ length: 2 }, () => memory.delete(memoryRef, takeId(ids)))),
  'delete twenty at once': (_storage, memory, ids) =>
    Promise.all(Array.from({ length: 20 }, () => memory.delete(memoryRef, takeId(ids)))),
  list: (_storage, memory) => memory.list(memoryRef, { limit: 50 }),
  'list as of a position': (_storage, memory) => memory.list(memoryRef, { limit: 50, asOf: 3 }),
  'list with superseded versions': (storage) =>
    storage.provenance.listAll({
      tenantId,
      memoryRef,
      position: 6,
      now: 0,
      access: fullAccess,
      before: null,
      limit: 50,
    }),
  'list by tag': (_storage, memory) => memory.list(memoryRef, { limit: 50, tag: 'even' }),
  'list by tag as of a position': (_storage, memory) => memory.list(memoryRef, { limit: 50, tag: 'even', asOf: 3 }),
  'count entries of a tag': (storage) =>
    storage.commit(batchOf({ tenantId, capacities: [{ ...room, of: { memoryRef, tag: 't7', now: 0 } }] })),
  'count entries of a tag in several refs': (storage) =>
    storage.commit(
      batchOf({ tenantId, capacities: [{ ...room, of: { memoryRef, isPrefix: true, tag: 't7', now: 0 } }] }),
    ),
  'the entries around an entry': async (storage) => {
    const places = [{ createdPosition: 3, ordinal: 500 }]
    const around = await storage.search.around({
      tenantId,
      memoryRef,
      position: 6,
      now: 0,
      access: fullAccess,
      places,
      reach: 2,
    })
    assert.equal(around[0]?.length, 4)
  },
  'instants of positions': (storage) => storage.provenance.instants(tenantId, [1, 2, 3]),
  async search(storage) {
    const found = await find(storage, 'n17 n18', { position: Number.MAX_SAFE_INTEGER })
    assert.equal(texts(found).length, 2)
  },
  // What was recorded since is counted.
  async 'search as of a position'(storage) {
    const clock = await storage.clock(tenantId)
    await find(storage, 'n17 n18', { position: (clock?.position ?? 0) - 2 })
  },
  async index(storage, memory) {
    await memory.putMany(
      memoryRef,
      Array.from({ length: 20 }, (_, nth) => ({ content: `late ${nth}` })),
    )
    // Perhaps some of them are indexed already.
    await storage.search.index(tenantId, memoryRef, 20)
  },
  erase: (storage, _memory, ids) =>
    storage.commit(
      batchOf({ tenantId, kind: 'memory.erased', erasures: [{ memoryRef, entryId: takeId(ids), version: 1 }] }),
    ),
  'what is to be embedded': (storage) =>
    storage.vectors.pending({
      ...{ tenantId, space: { model: 'small', dimensions: 2 }, madeSince: 0, limit: 20 },
      after: { recordedPosition: positions + 1, entryId: '', version: 0 },
    }),
}

describe('without statistics', () => {
  let database: TestDatabase
  const ids: string[] = []
  before(async () => {
    database = await createDatabase()
    await using store = await openStore(database)
    await fill(store, ids, entries)
  })
  after(() => database.drop())

  for (const [name, work] of Object.entries(operations)) {
    test(`${name} reads no more rows than it needs, by plans that are kept`, async () => {
      await using store = await openStore(database)
      const read = await countRead(database, store, () => repeat(work, store, ids))
      const { rows: planned } = await store.client.query(plannedForValues)
      assert.deepEqual(planned, [], 'the server plans no statement at every call')
      assertFew(read)
    })
  }
})

// A connection keeps a plan until the table is analysed: the first plans of a new database are made for tables of a page.
for (const isAnalysed of [false, true]) {
  describe(`plans of a small database, ${isAnalysed ? 'analysed' : 'never analysed'}`, () => {
    let database: TestDatabase
    let store: Store
    const ids: string[] = []
    before(async () => {
      database = await createDatabase()
      store = await openStore(database)
      await fill(store, ids, fewEntries)
      if (isAnalysed) await run(database.url, 'analyze')
      // Not all that they look for is there yet.
      for (const work of Object.values(operations)) await repeat(work, store, ids, ignoreAssertion)
      await using other = await openStore(database)
      await fill(other, ids, entries)
    })
    after(async () => {
      await store.storage.close()
      await database.drop()
    })

    for (const [name, work] of Object.entries(operations)) {
      test(`${name} reads no more rows than it needs when the database has grown`, async () => {
        assertFew(await countRead(database, store, () => repeat(work, store, ids)))
      })
    }
  })
}

/** A store with one connection. */
type Store = AsyncDisposable & { readonly storage: Storage; readonly memory: TenantMemory; readonly client: pg.Client }

async function openStore({ url }: TestDatabase): Promise<Store> {
  const storage = await openPostgres({ url, now: Date.now, connectionsMax: 1 })
  // So large that what is stored need not be counted, which reads every row once.
  const quotas = { bytes: Number.MAX_SAFE_INTEGER, entries: Number.MAX_SAFE_INTEGER }
  const memory: TenantMemory = composeEngine(storage, nodeSystem(), 'test', null, {}, quotas).engine.tenant(tenantId)
  const client = await connectionOf(() => memory.list(memoryRef, { limit: 1 }))
  return { storage, memory, client, [Symbol.asyncDispose]: () => storage.close() }
}

/** The connection that a call sends a statement by. */
async function connectionOf(call: () => Promise<unknown>): Promise<pg.Client> {
  let used: pg.Client | undefined
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    used = this
    return query.apply(this, args)
  } as never
  try {
    await call()
  } finally {
    pg.Client.prototype.query = query as never
  }
  assert.ok(used)
  return used
}

async function createDatabase(): Promise<TestDatabase> {
  const database = await createUnusedDatabase()
  await (await openPostgres({ url: database.url, now: Date.now })).close()
  const tables = await run(
    database.url,
    `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const { relname } of tables) await run(database.url, `alter table ${relname} set (autovacuum_enabled = false)`)
  return database
}

async function fill({ storage, memory }: Store, ids: string[], count: number): Promise<void> {
  for (let from = 0; from < count; from += limits.batchEntriesMax) {
    const drafts = Array.from({ length: Math.min(limits.batchEntriesMax, count) }, (_, at) => ({
      content: `note n${from + at} of many`,
      tags: [at % 2 === 0 ? 'even' : 'odd', `t${at}`],
    }))
    ids.push(...(await memory.putMany(memoryRef, drafts)).entries.map(({ id }) => id))
  }
  while ((await storage.search.index(tenantId, memoryRef, 256)) > 0);
}

function ignoreAssertion(error: unknown): void {
  if (!(error instanceof assert.AssertionError)) throw error
}

async function repeat(
  work: Work,
  { storage, memory }: Store,
  ids: string[],
  onError: (error: unknown) => void = (error) => {
    throw error
  },
): Promise<void> {
  for (let round = 0; round < repeats; round++) await work(storage, memory, ids).catch(onError)
}

type RowsRead = ReadonlyMap<string, number>

function assertFew(read: RowsRead): void {
  const sum = [...read.values()].reduce((all, rows) => all + rows, 0)
  assert.ok(sum <= repeats * rowsMax, `${sum} rows: ${JSON.stringify(Object.fromEntries(read))}`)
}

/** Rows that a store has read meanwhile of each table and by each index, also those that did not fit. */
async function countRead({ url }: TestDatabase, { client }: Store, work: () => Promise<void>): Promise<RowsRead> {
  const rowsRead = async () => {
    // A connection counts what it has read when it is told to, or after a while.
    await client.query('select pg_stat_force_next_flush()')
    const rows = await run(
      url,
      `select relname as name, seq_tup_read as rows from pg_stat_user_tables
        union all
       select indexrelname, idx_tup_read from pg_stat_user_indexes`,
    )
    return new Map(rows.map(({ name, rows }) => [String(name), Number(rows)]))
  }
  const before = await rowsRead()
  await work()
  const after = await rowsRead()
  return new Map(
    [...after].map(([name, rows]) => [name, rows - (before.get(name) ?? 0)] as const).filter(([, rows]) => rows > 0),
  )
}

const plannedForValues = `select name from pg_prepared_statements where custom_plans > ${plansForValuesMax}`
