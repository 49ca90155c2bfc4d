import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import { loadFramework } from '../../examples/frameworks/load.ts'
import { type Client, createClient } from '../../src/client/index.ts'
import { ColophonCheckpointer } from '../../src/integrations/langgraph.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { provideGlobals } from './expect.ts'

type Validation = { validate(initializer: object): void }

describe('the LangGraph checkpointer on Colophon', async () => {
  let server: TestServer
  let client: Client
  before(async () => {
    server = await startServer()
    client = createClient({ url: server.url, key: server.key })
  })
  after(() => server[Symbol.asyncDispose]())

  test('a step that is stored again, by others at once, is stored once, and names the writer and the thread', async () => {
    const checkpointers = [1, 2].map(() => new ColophonCheckpointer({ client, service: 'planner' }))
    const config = { configurable: { thread_id: 'trip-1', checkpoint_ns: '' } }
    const checkpoint = { ...emptyCheckpoint(), channel_values: { city: 'Turin' } }
    const metadata = { source: 'loop', step: 0, parents: {} } as const
    const [stored] = await Promise.all(checkpointers.map((saver) => saver.put(config, checkpoint, metadata, {})))
    await Promise.all(checkpointers.map((saver) => saver.putWrites(stored ?? config, [['city', 'Oslo']], 'task')))
    const { entries } = await client.memory.list('langgraph-threads/trip-1')
    assert.equal(entries.length, 2)
    const { origin, story } = await client.memory.colophon('langgraph-threads/trip-1', entries[0]?.id ?? '')
    const told = story.find(({ step }) => step === 'told')?.details.provenance as Record<string, unknown>
    assert.deepEqual([origin.service, told.scope], ['planner', { session_id: 'trip-1' }])
  })

  test('a thread whose id contains a secret is refused', async () => {
    const saver = new ColophonCheckpointer({ client })
    const config = { configurable: { thread_id: `ghp_${'a'.repeat(36)}`, checkpoint_ns: '' } }
    const metadata = { source: 'loop', step: 0, parents: {} } as const
    await assert.rejects(saver.put(config, emptyCheckpoint(), metadata, {}), { code: 'secret_leakage' })
  })

  provideGlobals()
  const { validate } = await loadFramework<Validation>('@langchain/langgraph-checkpoint-validation')
  let savers = 0
  validate({
    checkpointerName: 'the published suite',
    createCheckpointer: () => new ColophonCheckpointer({ client, ref: `threads-${savers++}` }),
  })
})
