import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loadFramework } from '../../examples/frameworks/load.ts'
import { type Client, createClient } from '../../src/client/index.ts'
import { ColophonSession } from '../../src/integrations/openai-agents.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Item = { readonly role: string; readonly content: string }
type Framework = {
  isSessionHistoryTransactionAwareSession(session: object): boolean
  MemorySession: new (options: { sessionId: string }) => ColophonSession<Item>
}

const item = (content: string): Item => ({ role: 'user', content })

describe('the session of OpenAI agents', () => {
  let server: TestServer
  let client: Client
  let framework: Framework
  before(async () => {
    server = await startServer()
    client = createClient({ url: server.url, key: server.key })
    framework = await loadFramework<Framework>('@openai/agents-core')
  })
  after(() => server[Symbol.asyncDispose]())
  let sessions = 0
  const open = () => {
    const sessionId = `s-${sessions++}`
    return [new ColophonSession<Item>({ client, sessionId }), new framework.MemorySession({ sessionId })] as const
  }
  const both = async <T>(pair: ReturnType<typeof open>, work: (session: ColophonSession<Item>) => Promise<T>) => {
    const [ours, theirs] = await Promise.all(
      pair.map((session) =>
        work(session).then(
          (value) => ({ value }),
          (error: unknown) => ({ failed: error instanceof Error }),
        ),
      ),
    )
    assert.deepEqual(ours, theirs)
    return ours
  }

  test('answers like the session of the package: limits, pops, transactions and refusals', async () => {
    const pair = open()
    assert.ok(framework.isSessionHistoryTransactionAwareSession(pair[0]))
    await both(pair, (session) => session.getItems())
    await both(pair, (session) => session.addItems([item('a'), item('b'), item('c')]))
    for (const limit of [undefined, 0, 2, 9]) await both(pair, (session) => session.getItems(limit))
    await both(pair, (session) => session.popItem())
    const replace = {
      type: 'replace_suffix',
      expectedSuffix: [item('b')],
      replacement: [item('B'), item('C')],
    } as const
    const change = (operationId: string, transaction: object) =>
      both(pair, (session) => session.applyHistoryTransaction({ operationId, transaction } as never))
    await change('op-1', replace)
    await change('op-1', replace)
    await both(pair, (session) => session.getItems())
    assert.deepEqual(await change('op-2', replace), { failed: true })
    assert.deepEqual(await change('op-1', { type: 'append_items', items: [item('x')] }), { failed: true })
    assert.deepEqual(await change(' ', { type: 'append_items', items: [item('x')] }), { failed: true })
    await change('op-3', { type: 'append_items', items: [item('d')] })
    await change('op-3', { type: 'append_items', items: [item('d')] })
    await both(pair, (session) => session.getItems())
    await both(pair, (session) => session.clearSession())
    await both(pair, (session) => session.popItem())
  })

  test('a suffix is not replaced after another client has appended', async () => {
    const [session] = open()
    const other = new ColophonSession<Item>({ client, sessionId: await session.getSessionId() })
    await session.addItems([item('a')])
    const replace = { type: 'replace_suffix' as const, expectedSuffix: [item('a')], replacement: [item('A')] }
    const ends = await Promise.allSettled([
      session.applyHistoryTransaction({ operationId: 'op', transaction: replace }),
      other.addItems([item('b')]),
    ])
    const [replaced] = ends
    const items = (await session.getItems()).map(({ content }) => content)
    assert.deepEqual(items, replaced.status === 'fulfilled' ? ['A', 'b'] : ['a', 'b'])
  })

  test('two clients that pop get different items', async () => {
    const [session] = open()
    await session.addItems(['a', 'b', 'c', 'd'].map(item))
    const popped = await Promise.all([1, 2, 3, 4].map(() => session.popItem()))
    assert.deepEqual(popped.map((one) => one?.content).sort(), ['a', 'b', 'c', 'd'])
  })

  test('the colophon names the writer, the session and the operation', async () => {
    const session = new ColophonSession<Item>({ client, sessionId: 'traced', service: 'support-bot' })
    const items = [item('Where is my order?')]
    await session.applyHistoryTransaction({ operationId: 'turn-1', transaction: { type: 'append_items', items } })
    const [entry] = (await client.memory.list('openai-agents/traced')).entries
    const { story } = await client.memory.colophon('openai-agents/traced', entry?.id ?? '')
    const told = story.find(({ step }) => step === 'told')?.details.provenance as Record<string, unknown>
    assert.deepEqual(
      [told.service, told.event_id, told.scope],
      ['support-bot', 'openai-agents/traced:turn-1', { session_id: 'traced', operation: 'append_items' }],
    )
  })

  test('a session whose id contains a secret is refused', async () => {
    const session = new ColophonSession<Item>({ client, sessionId: `ghp_${'a'.repeat(36)}` })
    await assert.rejects(session.addItems([item('x')]), { code: 'secret_leakage' })
  })
})
