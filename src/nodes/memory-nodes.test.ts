import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusedField, requestOf } from '../../test/support/node-requests.ts'
import type { NodeMemory, NodeType } from '../app/runs/node-type.ts'
import type { MemoryEntry } from '../core/entries/entry.ts'
import { erasedValue } from '../core/workflow/erased-value.ts'
import { memoryDelete } from './memory-delete.ts'
import { memoryGet } from './memory-get.ts'
import { memoryList } from './memory-list.ts'
import { memoryPut } from './memory-put.ts'
import { memorySearch } from './memory-search.ts'

const memoryRef = 'agents/concierge'
const entry = {
  id: 'mem_1',
  content: 'Ada prefers tea.',
  tags: [],
  createdAt: '2026-01-01T00:00:00.000Z',
} as MemoryEntry

/** A memory that records its calls and answers each with the given values. */
function memoryOf(answers: { found?: boolean; deleted?: boolean; entries?: MemoryEntry[] } = {}) {
  const { found = true, deleted = true, entries = [entry] } = answers
  const calls: unknown[][] = []
  const memory: NodeMemory = {
    async list(...call) {
      calls.push(['list', ...call])
      return entries
    },
    async search(...call) {
      calls.push(['search', ...call])
      return entries.map((hit) => ({ entry: hit, score: 1 }))
    },
    async get(...call) {
      calls.push(['get', ...call])
      return found ? entry : null
    },
    async put(ref, draft) {
      // A member that is undefined counts as left out.
      calls.push(['put', ref, JSON.parse(JSON.stringify(draft))])
      return {
        id: entry.id,
        async stored() {
          calls.push(['stored'])
          return entry
        },
      }
    },
    async delete(...call) {
      calls.push(['delete', ...call])
      return deleted
    },
    async distill(...call) {
      calls.push(['distill', ...call])
      return found ? 'arc_1' : null
    },
    async getFile(...call) {
      calls.push(['getFile', ...call])
      return found ? entry : null
    },
    async putFile(...call) {
      calls.push(['putFile', ...call])
    },
    async findNothing(op) {
      calls.push(['nothing', op])
    },
  }
  return { memory, calls }
}

/** Each type with the smallest config it accepts. */
const smallest: readonly (readonly [NodeType, Record<string, unknown>])[] = [
  [memoryPut, { content: 'x' }],
  [memoryList, {}],
  [memoryGet, { id: 'mem_1' }],
  [memorySearch, { query: 'tea' }],
  [memoryDelete, { id: 'mem_1' }],
]

for (const [type, config] of smallest) {
  test(`${type.typeId} needs its members and refuses members it does not know`, () => {
    assert.equal(refusedField(type, config), null)
    assert.equal(refusedField(type, { ...config, memoryRef, into: 'result' }), null)
    assert.equal(refusedField(type, { ...config, memoryref: memoryRef }), '')
    for (const name of Object.keys(config)) assert.equal(refusedField(type, {}), name)
  })

  test(`${type.typeId} refuses an empty text and a text that is not a string`, () => {
    for (const name of ['memoryRef', 'into', ...Object.keys(config)])
      for (const value of ['', 7, null, ['x']]) assert.equal(refusedField(type, { ...config, [name]: value }), name)
  })

  test(`${type.typeId} uses the memoryRef of its config before that of its agent`, async () => {
    const refOf = async (given: Parameters<typeof requestOf>[0]) => {
      const { memory, calls } = memoryOf()
      await type.execute(requestOf({ ...given, config: { ...config, ...given?.config }, memory }))
      return calls[0]?.[1]
    }
    const agent = { agentId: 'local.team.planner', memoryRef: 'plans' }
    assert.equal(await refOf({ config: { memoryRef }, agent }), memoryRef)
    assert.equal(await refOf({ agent }), 'plans')
  })

  test(`${type.typeId} makes no memory call without a memoryRef`, async () => {
    const agent = { agentId: 'local.team.planner' }
    for (const given of [{}, { agent }, { config: { memoryRef: '' }, agent: { ...agent, memoryRef: 'plans' } }]) {
      const { memory, calls } = memoryOf()
      const request = requestOf({ ...given, config: { ...config, ...('config' in given ? given.config : {}) }, memory })
      await assert.rejects(type.execute(request), { code: 'validation_error', details: { field: 'memoryRef' } })
      assert.deepEqual(calls, [])
    }
  })
}

test('members of one memory node are unknown to another', () => {
  assert.equal(refusedField(memoryList, { query: 'tea' }), '')
  assert.equal(refusedField(memoryGet, { id: 'mem_1', limit: 1 }), '')
  assert.equal(refusedField(memoryDelete, { id: 'mem_1', tag: 'x' }), '')
  assert.equal(refusedField(memorySearch, { query: 'tea', id: 'mem_1' }), '')
  assert.equal(refusedField(memoryPut, { content: 'x', tag: 'x' }), '')
})

test('put, list and search accept their optional members', () => {
  const texts = { expiresAt: '{{inputs.until}}', subject: 'ada' }
  assert.equal(refusedField(memoryPut, { content: 'x', tags: ['a'], ...texts }), null)
  const narrowed = { limit: 3, tag: 'a', tokenBudget: 100 }
  assert.equal(refusedField(memoryList, narrowed), null)
  assert.equal(refusedField(memorySearch, { query: 'tea', ...narrowed }), null)
  assert.equal(refusedField(memoryPut, { content: 'x', subject: '' }), 'subject')
  assert.equal(refusedField(memoryPut, { content: 'x', expiresAt: 7 }), 'expiresAt')
  assert.equal(refusedField(memoryList, { tag: '' }), 'tag')
})

test('put passes on the draft and outputs the id, without waiting for the entry to be stored', async () => {
  const { memory, calls } = memoryOf()
  const config = { memoryRef, content: 'Ada prefers tea.', tags: ['drink'], subject: 'ada' }
  assert.deepEqual(await memoryPut.execute(requestOf({ config, memory })), {
    kind: 'completed',
    outputs: { id: 'mem_1' },
  })
  assert.deepEqual(calls, [['put', memoryRef, { content: 'Ada prefers tea.', tags: ['drink'], subject: 'ada' }]])
})

test('put with into stores the entry first and sets the variable to it', async () => {
  const { memory, calls } = memoryOf()
  const config = { memoryRef, content: 'Ada prefers tea.', into: 'written' }
  assert.deepEqual(await memoryPut.execute(requestOf({ config, memory })), {
    kind: 'completed',
    outputs: { id: 'mem_1' },
    variables: { written: entry },
  })
  assert.deepEqual(
    calls.map(([name]) => name),
    ['put', 'stored'],
  )
})

test('put stores a content that a template resolved to another type as JSON', async () => {
  const contentOf = async (content: unknown) => {
    const { memory, calls } = memoryOf()
    await memoryPut.execute(requestOf({ config: { memoryRef, content }, memory }))
    return calls[0]?.[2]
  }
  assert.deepEqual(await contentOf({ a: [1] }), { content: '{"a":[1]}' })
  assert.deepEqual(await contentOf(7), { content: '7' })
  assert.deepEqual(await contentOf(null), { content: 'null' })
  assert.deepEqual(await contentOf('7'), { content: '7' })
})

test('list and search pass on only the options of their config', async () => {
  for (const [type, head] of [
    [memoryList, ['list', memoryRef]],
    [memorySearch, ['search', memoryRef, 'tea']],
  ] as const) {
    for (const options of [
      {},
      { limit: 3 },
      { tag: 'a' },
      { tokenBudget: 0 },
      { limit: 1, tag: 'b', tokenBudget: 9 },
    ]) {
      const { memory, calls } = memoryOf()
      await type.execute(requestOf({ config: { memoryRef, query: 'tea', ...options }, memory }))
      assert.deepEqual(calls, [[...head, options]])
    }
  }
})

test('list outputs the number of entries and sets the variable to the list', async () => {
  const { memory } = memoryOf({ entries: [entry, entry] })
  assert.deepEqual(await memoryList.execute(requestOf({ config: { memoryRef, into: 'all' }, memory })), {
    kind: 'completed',
    outputs: { count: 2 },
    variables: { all: [entry, entry] },
  })
  const none = memoryOf({ entries: [] })
  assert.deepEqual(await memoryList.execute(requestOf({ config: { memoryRef }, memory: none.memory })), {
    kind: 'completed',
    outputs: { count: 0 },
  })
})

test('search outputs the number of hits and sets the variable to the hits with their scores', async () => {
  const { memory } = memoryOf()
  const config = { memoryRef, query: 'tea', into: 'hits' }
  assert.deepEqual(await memorySearch.execute(requestOf({ config, memory })), {
    kind: 'completed',
    outputs: { count: 1 },
    variables: { hits: [{ entry, score: 1 }] },
  })
})

test('get outputs whether the entry was found and sets the variable to the entry, or to null', async () => {
  for (const found of [true, false]) {
    const { memory, calls } = memoryOf({ found })
    const request = requestOf({ config: { memoryRef, id: 'mem_1', into: 'one' }, memory })
    assert.deepEqual(await memoryGet.execute(request), {
      kind: 'completed',
      outputs: { found },
      variables: { one: found ? entry : null },
    })
    assert.deepEqual(calls, [['get', memoryRef, 'mem_1']])
  }
})

test('delete outputs whether there was an entry and sets the variable to the same', async () => {
  for (const deleted of [true, false]) {
    const { memory, calls } = memoryOf({ deleted })
    const request = requestOf({ config: { memoryRef, id: 'mem_1', into: 'gone' }, memory })
    assert.deepEqual(await memoryDelete.execute(request), {
      kind: 'completed',
      outputs: { deleted },
      variables: { gone: deleted },
    })
    assert.deepEqual(calls, [['delete', memoryRef, 'mem_1']])
  }
})

test('a read whose config holds an erased value makes no memory call and finds nothing', async () => {
  const reads = [
    [memoryList, { memoryRef, tag: erasedValue }, 'list', []],
    [memoryGet, { memoryRef: erasedValue, id: 'mem_1' }, 'get', null],
    [memorySearch, { memoryRef, query: erasedValue }, 'search', []],
  ] as const
  for (const [type, config, op, found] of reads) {
    const { memory, calls } = memoryOf()
    const result = await type.execute(requestOf({ config: { ...config, into: 'found' }, memory }))
    assert.deepEqual(calls, [['nothing', op]])
    assert.deepEqual(result.kind === 'completed' && result.variables, { found })
  }
})
