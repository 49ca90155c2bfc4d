import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loadFramework } from '../../examples/frameworks/load.ts'
import { type Client, createClient } from '../../src/client/index.ts'
import { createMemoryStorage } from '../../src/integrations/mastra.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Args = Record<string, unknown>
type Storage = Record<string, (args: unknown) => Promise<unknown>>
type Framework = {
  MemoryStorage: abstract new () => Storage
  InMemoryMemory: new (options: { db: object }) => Storage
  InMemoryDB: new () => object
  MastraCompositeStore: new (options: object) => { getStore(name: 'memory'): Promise<Storage> }
}

const thread = (id: string, resourceId: string, minute: number, more: Args = {}) => {
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute))
  return { id, resourceId, title: `Thread ${id}`, metadata: { kind: 'chat' }, createdAt: at, updatedAt: at, ...more }
}
const message = (id: string, threadId: string, minute: number, text: string, more: Args = {}) => ({
  id,
  threadId,
  resourceId: 'ada',
  role: 'user',
  type: 'text',
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, minute)),
  content: { format: 2, parts: [{ type: 'text', text }], ...more },
})

/** Instants at which something was changed differ between two stores, and between two runs. */
function withoutUpdates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUpdates)
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  const members = Object.entries(value).filter(([name, member]) => name !== 'updatedAt' && member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUpdates(member)]))
}

describe('the memory storage of Mastra', () => {
  let server: TestServer
  let client: Client
  let mastra: Framework
  before(async () => {
    server = await startServer()
    client = createClient({ url: server.url, key: server.key })
    mastra = await loadFramework<Framework>('@mastra/core/storage')
  })
  after(() => server[Symbol.asyncDispose]())

  test('answers like the storage of the package: threads, messages, resources', async () => {
    const memory = createMemoryStorage(mastra.MemoryStorage, { client })
    const composite = new mastra.MastraCompositeStore({ id: 'colophon', domains: { memory } })
    const ours = await composite.getStore('memory')
    const theirs = new mastra.InMemoryMemory({ db: new mastra.InMemoryDB() })
    const both = async (name: string, args: Args | string[]) => {
      const answers = await Promise.all(
        [ours, theirs].map((store) =>
          Promise.resolve(store[name]?.(structuredClone(args))).then(withoutUpdates, () => 'refused'),
        ),
      )
      assert.deepEqual(answers[0], answers[1], `${name} ${JSON.stringify(args)}`)
    }
    await both('getThreadById', { threadId: 't1' })
    for (const [at, id] of ['t1', 't2', 't3'].entries())
      await both('saveThread', { thread: thread(id, id === 't3' ? 'bo' : 'ada', at) })
    await both('getThreadById', { threadId: 't1' })
    await both('getThreadById', { threadId: 't1', resourceId: 'bo' })
    await both('updateThread', { id: 't1', title: 'New title', metadata: { mood: 'good' } })
    await both('updateThread', { id: 'none', title: 'x', metadata: {} })
    await both('patchThread', { id: 't2', metadata: { kind: 'call' } })
    for (const query of [
      {},
      { filter: { resourceId: 'ada' } },
      { perPage: 1, page: 1 },
      { filter: { metadata: { kind: 'call' } } },
    ])
      await both('listThreads', query)
    const messages = ['a', 'b', 'c', 'd'].map((id, at) => message(id, 't1', at, `Text ${id}.`))
    await both('saveMessages', { messages })
    await both('saveMessages', { messages: [message('x', 't2', 9, 'Elsewhere.')] })
    const queries = [
      { threadId: 't1' },
      { threadId: ['t1', 't2'], perPage: false },
      { threadId: 't1', perPage: 2, page: 1 },
      { threadId: 't1', orderBy: { field: 'createdAt', direction: 'DESC' }, perPage: 3 },
      { threadId: 't1', filter: { dateRange: { start: new Date(Date.UTC(2026, 0, 1, 0, 1)), startExclusive: true } } },
      { threadId: 't1', perPage: 1, include: [{ id: 'c', withPreviousMessages: 1, withNextMessages: 1 }] },
      { threadId: ' ' },
    ]
    for (const query of queries) await both('listMessages', query)
    await both('listMessagesByResourceId', { resourceId: 'ada', perPage: 3 })
    await both('listMessagesById', { messageIds: ['c', 'none'] })
    await both('updateMessages', { messages: [{ id: 'b', content: { metadata: { seen: true } } }] })
    await both('deleteMessages', ['a'])
    await both('listMessages', { threadId: 't1' })
    await both('getResourceById', { resourceId: 'ada' })
    const at = new Date(Date.UTC(2026, 0, 1))
    await both('saveResource', { resource: { id: 'ada', metadata: {}, createdAt: at, updatedAt: at } })
    await both('updateResource', { resourceId: 'ada', workingMemory: 'Likes tea.' })
    await both('updateResource', { resourceId: 'ada', metadata: { city: 'Turin' } })
    await both('getResourceById', { resourceId: 'ada' })
    await both('saveMessages', { messages: messages.slice(0, 1) })
    await both('listMessages', { threadId: 't1' })
    await both('deleteThread', { threadId: 't1' })
    await both('listMessages', { threadId: 't1' })
    await both('listThreads', {})
  })

  test('a message that is saved again is stored once; a change is a version, and each names its writer and thread', async () => {
    const open = () => createMemoryStorage(mastra.MemoryStorage, { client, ref: 'once', service: 'support-bot' })
    const [one, other] = [open(), open()]
    const messages = [message('m1', 't1', 0, 'One.'), message('m2', 't1', 1, 'Two.')]
    await Promise.all([one, other, one, other].map((store) => store.saveMessages?.({ messages })))
    await one.updateMessages?.({ messages: [{ id: 'm2', content: { metadata: { seen: true } } }] })
    const { entries } = await client.memory.list('once')
    assert.equal(entries.length, 2)
    const { version, story } = await client.memory.colophon('once', entries[0]?.id ?? '')
    const told = story.find(({ step }) => step === 'told')?.details.provenance as Record<string, unknown>
    const scope = { session_id: 't1', resource: 'ada', message: 'm2', operation: 'saveMessages' }
    assert.deepEqual([version, told.service, told.scope], [2, 'support-bot', scope])
  })
})
