import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../client/index.ts'
import { limits } from '../../core/limits.ts'
import { ToolRefusal } from '../tools.ts'
import { graphOf, relationDraft } from './graph.ts'
import { createGraphStore } from './store.ts'

const entry = (tags: readonly string[], content = 'x') => ({ id: 'mem_1', content, tags: [...tags] })

test('a tag of another writer that is no relation does not break the graph', () => {
  const likes = { from: 'Ada', to: 'tea', relationType: 'likes' }
  const tags = ['{', 'null', '{}', '[1, 2, 3]', '["Ada"]'].map((json) => [`graph:relation:${json}`])
  const graph = graphOf([...tags, relationDraft(likes).tags ?? []].map((each) => entry(each)))
  assert.deepEqual(graph, { entities: [], relations: [likes] })
})

test('a graph that is too large is refused, not read as a whole', async () => {
  for (const content of ['x', 'x'.repeat(limits.contentBytesMax)]) {
    let read = 0
    const each = async function* () {
      for (; ; read++) yield entry([], content)
    }
    const store = createGraphStore({ memory: { each } } as unknown as Client, 'r', undefined)
    await assert.rejects(store.read(), (error) => error instanceof ToolRefusal && error.code === 'graph_too_large')
    assert.ok(read <= limits.graphEntriesMax && read * content.length <= limits.graphCharactersMax)
  }
})
