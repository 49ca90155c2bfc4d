import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, tenantId } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import { revise } from '../entries/change.ts'
import { putMany } from '../entries/put.ts'
import { Tenant } from '../tenant.ts'
import { search } from './search-memory.ts'

const drafts = [
  { content: 'Ada paints the gazebo in the morning.', tags: ['work'], subject: 'ada' },
  { content: 'Bob repairs the zeppelin.', tags: ['work'], subject: 'bob' },
  { content: 'The harbour opens in the morning.', tags: ['place'] },
]

async function openNotes() {
  const world = openUseCases(openInMemoryStore)
  const { entries } = await putMany(world.tenant, 'notes', drafts)
  const find = async (query: string, options: Parameters<typeof search>[3] = {}, memoryRef = 'notes') => {
    const { results } = await search(world.tenant, memoryRef, query, options)
    return results.map(({ entry }) => entry.content)
  }
  return { ...world, find, ids: entries.map(({ id }) => id) }
}

test('a search finds by words, best first, in its own ref and tenant only', async () => {
  await using world = await openNotes()
  const [gazebo, zeppelin] = drafts.map(({ content }) => content)
  assert.deepEqual(await world.find('gazebo'), [gazebo])
  assert.equal((await world.find('zeppelin morning'))[0], zeppelin)
  assert.deepEqual(await world.find('gazebo', {}, 'other'), [])
  assert.deepEqual((await search(world.engine.tenant('globex'), 'notes', 'gazebo')).results, [])
  assert.deepEqual(await search(world.tenant, '../notes', 'gazebo'), { results: [], position: 1 })
})

test('filters narrow by tag, subject and time of creation', async () => {
  await using world = await openNotes()
  const [gazebo, , harbour] = drafts.map(({ content }) => content)
  assert.deepEqual(await world.find('morning', { tag: 'place' }), [harbour])
  assert.deepEqual(await world.find('morning', { subject: 'ada' }), [gazebo])
  const now = new Date(world.clock.now).toISOString()
  assert.deepEqual(await world.find('gazebo', { to: now }), [])
  assert.deepEqual(await world.find('gazebo', { from: now }), [gazebo])
})

test('a search as of a position ranks memory as it was then', async () => {
  await using world = await openNotes()
  await revise(world.tenant, 'notes', world.ids[0] ?? '', { content: 'Ada sleeps.' })
  assert.deepEqual(await world.find('gazebo'), [])
  assert.deepEqual(await world.find('gazebo', { asOf: 1 }), [drafts[0]?.content])
  await rejectsWith('validation_error', world.find('gazebo', { asOf: 3 }))
  const begins = { kind: 'history.begins', historyFrom: 2 } as const
  await world.tenant.commit(begins, { call: { operation: 'test' } })
  await rejectsWith('history_expired', world.find('gazebo', { asOf: 1 }))
})

test('a token budget leaves out whole entries that do not fit, and takes what follows them', async () => {
  await using world = openUseCases(openInMemoryStore)
  const contents = [`tea tea tea ${'x'.repeat(400)}`, 'A cup of tea.']
  await putMany(
    world.tenant,
    'notes',
    contents.map((content) => ({ content })),
  )
  const shown = async (tokenBudget?: number) =>
    (await search(world.tenant, 'notes', 'tea', { tokenBudget })).results.map(({ entry }) => entry.content)
  assert.deepEqual((await shown()).sort(), [...contents].sort())
  assert.deepEqual(await shown(4), ['A cup of tea.'])
  assert.deepEqual(await shown(1), [])
})

test('parts, matched terms and snippets are returned only on request', async () => {
  await using world = await openNotes()
  const resultOf = async (options: object) =>
    (await search(world.tenant, 'notes', 'gazebo', options)).results[0] ?? { score: 0 }
  assert.deepEqual(Object.keys(await resultOf({})), ['entry', 'score', 'relevance', 'trust'])
  const explained = await resultOf({ explain: true, highlights: true })
  assert.deepEqual(Object.keys(explained), ['entry', 'score', 'relevance', 'trust', 'parts', 'matched', 'snippet'])
  const sum = Object.values(('parts' in explained && explained.parts) || {}).reduce((total, part) => total + part, 0)
  assert.ok(Math.abs(sum - explained.score) < 0.000_01)
})

test('a query without a word to look up finds nothing', async () => {
  await using world = await openNotes()
  assert.deepEqual([await world.find(''), await world.find('?!')], [[], []])
})

test('a malformed query, an unknown option and values out of bounds are refused', async () => {
  await using world = await openNotes()
  await rejectsWith('validation_error', world.find('x'.repeat(limits.queryCharactersMax + 1)))
  await rejectsWith('validation_error', world.find(7 as never))
  const refused: object[] = [
    { limit: 0 },
    { limit: limits.searchResultsMax + 1 },
    { tokenBudget: 0 },
    { category: 'mood' },
    { from: 'yesterday' },
    { mode: 'fuzzy' },
    { mode: 'semantic' },
    { tags: ['a'] },
    { asOf: 1, run: { snapshot: 1, own: [] } },
  ]
  for (const options of refused) await rejectsWith('validation_error', world.find('gazebo', options))
})

test('a search of many rows that are not indexed waits until the index has caught up, or is refused', async () => {
  let isBehind = 2
  let indexed = 0
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    const find: typeof storage.search.find = async (query) => (isBehind-- > 0 ? null : storage.search.find(query))
    const index: typeof storage.search.index = async () => {
      indexed += 1
      return 1
    }
    return { ...storage, search: { ...storage.search, find, index } }
  })
  await putMany(world.tenant, 'notes', drafts)
  const found = await search(world.tenant, 'notes', 'gazebo')
  assert.deepEqual([found.results.length, indexed], [1, 2])
  isBehind = Number.MAX_SAFE_INTEGER
  await rejectsWith('storage_busy', search(world.tenant, 'notes', 'gazebo'))
})

test('a search whose embedder does not answer is lexical and marked as degraded', async () => {
  await using world = await openNotes()
  const embeddings = { embedQuery: async () => null } as never
  const degraded = async (options: object) =>
    (
      await search(
        new Tenant({ ...world.engine, host: { ...world.engine.host, embeddings } }, tenantId),
        'notes',
        'gazebo',
        options,
      )
    ).degraded
  assert.deepEqual([await degraded({}), await degraded({ mode: 'semantic' })], ['semantic', 'semantic'])
  assert.equal(await degraded({ mode: 'lexical' }), undefined)
})

test('a misspelled word finds what is spelled nearly alike, if nothing else is found', async () => {
  await using world = await openNotes()
  const [gazebo, zeppelin] = drafts.map(({ content }) => content)
  assert.deepEqual(await world.find('zepplein'), [zeppelin])
  assert.deepEqual((await world.find('zepelin gazeebo')).sort(), [gazebo, zeppelin])
  assert.deepEqual(await world.find('"zepplein"'), [], 'a phrase is meant as it is written')
  // A word that is found is what was meant.
  assert.deepEqual(await world.find('gazebo zepplein'), [gazebo])
})

test('an entry that a reader cannot see gives no spelling', async () => {
  await using world = await openNotes()
  await putMany(world.tenant, 'notes', [{ content: 'The sesquipedalian clause.', readers: ['cleo'] }])
  assert.deepEqual(await world.find('sesquipedalain', { reader: 'cleo' }), ['The sesquipedalian clause.'])
  assert.deepEqual(await world.find('sesquipedalain', { reader: 'ada' }), [])
})
