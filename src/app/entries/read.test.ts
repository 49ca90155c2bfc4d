import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { encodeCursor } from '../../core/cursor.ts'
import { limits } from '../../core/limits.ts'
import { removeEntry, revise } from './change.ts'
import { colophon } from './colophon.ts'
import { put, putMany } from './put.ts'
import { get, isEntryId, list, snapshot } from './read.ts'

const write = ({ tenant }: UseCaseWorld, content: string) => put(tenant, 'notes', { content })
const contents = async ({ tenant }: UseCaseWorld, options: Parameters<typeof list>[2] = {}) =>
  (await list(tenant, 'notes', options)).entries.map(({ content }) => content)
const beginHistoryAt = ({ tenant }: UseCaseWorld, historyFrom: number) =>
  tenant.commit({ kind: 'history.begins', historyFrom }, { call: { operation: 'test' } })

test('a read as of a position shows memory as it was at that position', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await write(world, 'one')
  await revise(world.tenant, 'notes', id, { content: 'two' })
  await removeEntry(world.tenant, 'notes', id)
  const states = [0, 1, 2, 3].map((asOf) => contents(world, { asOf }))
  assert.deepEqual(await Promise.all(states), [[], ['one'], ['two'], []])
  assert.equal((await get(world.tenant, 'notes', id, { asOf: 2 }))?.content, 'two')
  assert.equal(await get(world.tenant, 'notes', id), null)
})

test('a read as of an instant shows what was stored up to that instant', async () => {
  await using world = openUseCases(openInMemoryStore)
  const before = new Date(world.clock.now - 1)
  await write(world, 'one')
  const first = new Date(world.clock.now).toISOString()
  world.clock.advance(1_000)
  await write(world, 'two')
  assert.deepEqual(await contents(world, { asOf: before }), [])
  assert.deepEqual(await contents(world, { asOf: first }), ['one'])
  assert.deepEqual(await contents(world, { asOf: new Date(world.clock.now + 60_000) }), ['two', 'one'])
})

test('a position that the tenant has not reached is refused, because its answer could change later', async () => {
  await using world = openUseCases(openInMemoryStore)
  await write(world, 'one')
  const run = { snapshot: 2, own: [] }
  const cursor = encodeCursor({ createdPosition: 1, ordinal: 0, position: 2 })
  for (const options of [{ asOf: 2 }, { run }, { cursor }]) {
    await rejectsWith('validation_error', list(world.tenant, 'notes', options))
  }
})

test('as of and a run cannot be combined, and a malformed view is refused', async () => {
  await using world = openUseCases(openInMemoryStore)
  await write(world, 'one')
  const refused: object[] = [
    { asOf: 1, run: { snapshot: 1, own: [] } },
    { asOf: -1 },
    { asOf: 0.5 },
    { asOf: 'yesterday' },
    { run: { snapshot: 1, own: 'all' } },
    { run: { snapshot: 1, own: [{ runId: 'run_1', beforeSequence: -1 }] } },
    { run: { snapshot: 1, own: [], position: 3 } },
    { at: 1 },
  ]
  for (const options of refused) {
    await rejectsWith('validation_error', get(world.tenant, 'notes', 'mem_1', options))
  }
})

test('a read from before the beginning of history is refused, with a separate code for runs', async () => {
  await using world = openUseCases(openInMemoryStore)
  for (const content of ['one', 'two', 'three']) await write(world, content)
  await beginHistoryAt(world, 2)
  await rejectsWith('history_expired', list(world.tenant, 'notes', { asOf: 1 }))
  await rejectsWith('snapshot_expired', list(world.tenant, 'notes', { run: { snapshot: 1, own: [] } }))
  assert.deepEqual(await contents(world, { asOf: 2 }), ['two', 'one'])
  assert.deepEqual(await contents(world, { asOf: 0 }), [])
})

test('a read during which history was pruned past its position is refused', async () => {
  let prune = async () => {}
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    return {
      ...storage,
      async listShown(query) {
        const page = await storage.listShown(query)
        await prune()
        return page
      },
    }
  })
  for (const content of ['one', 'two', 'three']) await write(world, content)
  prune = async () => void (await beginHistoryAt(world, 2))
  await rejectsWith('history_expired', list(world.tenant, 'notes', { asOf: 1 }))
  assert.deepEqual(await contents(world), ['three', 'two', 'one'])
})

test('pages belong to the position of the first page, whatever is written between them', async () => {
  await using world = openUseCases(openInMemoryStore)
  const drafts = ['one', 'two', 'three'].map((content) => ({ content }))
  await putMany(world.tenant, 'notes', drafts)
  const first = await list(world.tenant, 'notes', { limit: 2 })
  await write(world, 'four')
  const second = await list(world.tenant, 'notes', { limit: 2, cursor: first.cursor })
  assert.deepEqual(
    [first, second].map(({ entries, position }) => [entries.map(({ content }) => content), position]),
    [
      [['three', 'two'], 1],
      [['one'], 1],
    ],
  )
  assert.ok(!('cursor' in second))
})

test('a page that ends exactly at the limit has no cursor', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putMany(world.tenant, 'notes', [{ content: 'one' }, { content: 'two' }])
  assert.ok(!('cursor' in (await list(world.tenant, 'notes', { limit: 2 }))))
})

test('the limit of a page is bounded, and 0 means the default', async () => {
  const asked: number[] = []
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    return {
      ...storage,
      listShown(query) {
        asked.push(query.limit)
        return storage.listShown(query)
      },
    }
  })
  for (const limit of [undefined, 0, 7, 100_000]) await list(world.tenant, 'notes', { limit })
  const [fallback, max] = [limits.pageEntriesDefault, limits.pageEntriesMax]
  // One more than is shown, to know whether there is another page.
  assert.deepEqual(asked, [fallback + 1, fallback + 1, 8, max + 1])
  await rejectsWith('validation_error', list(world.tenant, 'notes', { limit: -1 }))
})

test('a read with a malformed ref or id finds nothing', async () => {
  await using world = openUseCases(openInMemoryStore)
  await write(world, 'one')
  assert.deepEqual(await list(world.tenant, '../etc', {}), { entries: [], position: 1 })
  for (const id of ['', 'a\u0000b', '\ud800', 'x'.repeat(limits.entryIdCharactersMax + 1)]) {
    assert.equal(isEntryId(id), false)
    assert.equal(await get(world.tenant, 'notes', id), null)
  }
})

test('a snapshot is not earlier than the last write it shows, even if the clock of the machine was set back', async () => {
  await using world = openUseCases(openInMemoryStore)
  const at = new Date(world.clock.now).toISOString()
  await write(world, 'one')
  world.clock.advance(-60_000)
  assert.deepEqual(await snapshot(world.tenant), { position: 1, at })
  assert.equal((await snapshot(world.engine.tenant('globex'))).position, 0)
})

test('the colophon of a revised entry names the version, the actor and the audit record', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await write(world, 'one')
  await revise(world.tenant, 'notes', id, { content: 'two' }, { actor: 'ada' })
  const shown = await colophon(world.tenant, 'notes', id)
  assert.deepEqual([shown?.version, shown?.audit?.position, shown?.audit?.actor], [2, 2, 'ada'])
  const before = await colophon(world.tenant, 'notes', id, { asOf: 1 })
  assert.deepEqual([before?.version, before?.audit?.actor], [1, 'test'])
})

test('a deleted entry has no colophon, and an entry is found in its own ref only', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await write(world, 'one')
  assert.equal(await colophon(world.tenant, 'other', id), null)
  assert.equal(await get(world.tenant, 'other', id), null)
  await removeEntry(world.tenant, 'notes', id)
  assert.equal(await colophon(world.tenant, 'notes', id), null)
  assert.equal((await colophon(world.tenant, 'notes', id, { asOf: 1 }))?.id, id)
})
