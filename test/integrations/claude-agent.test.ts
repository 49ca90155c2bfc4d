import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loadFramework } from '../../examples/frameworks/load.ts'
import { type Client, createClient } from '../../src/client/index.ts'
import { type ColophonSessionStore, createSessionStore } from '../../src/integrations/claude-agent.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Options = { readonly sessionStore: ColophonSessionStore; readonly dir: string }
type Framework = {
  InMemorySessionStore: new () => ColophonSessionStore
  getSessionMessages(id: string, options: Options): Promise<{ uuid: string }[]>
  forkSession(id: string, options: Options): Promise<{ sessionId: string }>
  deleteSession(id: string, options: Options): Promise<void>
}

describe('the session store of the Claude Agent SDK', () => {
  let server: TestServer
  let client: Client
  before(async () => {
    server = await startServer()
    client = createClient({ url: server.url, key: server.key })
  })
  after(() => server[Symbol.asyncDispose]())

  const at = '2026-01-02T03:04:05.000Z'
  const line = (uuid: string, text: string, parentUuid: string | null = null) => {
    const message = { role: 'user', content: text }
    return { type: 'user', uuid, parentUuid, sessionId: 's', timestamp: at, isSidechain: false, message }
  }

  test('answers like the store of the package: transcripts, subagents, lists and deletion', async () => {
    const { InMemorySessionStore } = await loadFramework<Framework>('@anthropic-ai/claude-agent-sdk')
    const stores = [createSessionStore({ client }), new InMemorySessionStore()]
    const key = { projectKey: '-p', sessionId: 's' }
    const sub = { ...key, subpath: 'subagents/agent-1' }
    const seen = stores.map(async (store) => {
      const answers: unknown[] = [await store.load(key)]
      await store.append(key, [line('u1', 'One.'), { type: 'mode', mode: 'plan' }, line('u2', 'Two.', 'u1')])
      await store.append(sub, [line('v1', 'Of the subagent.')])
      await store.append({ ...key, sessionId: 't' }, [line('u1', 'Another session.')])
      answers.push(await store.load(key), await store.load(sub), await store.listSubkeys(key))
      answers.push((await store.listSessions('-p')).map(({ sessionId }) => sessionId).sort())
      await store.delete(sub)
      answers.push(await store.load(sub), (await store.load(key))?.length)
      await store.delete(key)
      answers.push(
        await store.load(key),
        (await store.listSessions('-p')).map(({ sessionId }) => sessionId),
      )
      return answers
    })
    const [ours, theirs] = await Promise.all(seen)
    assert.deepEqual(ours, theirs)
  })

  test('a batch that is sent again, or overlaps another, is stored once', async () => {
    const store = createSessionStore({ client })
    const key = { projectKey: '-p', sessionId: 'again' }
    const batch = [line('u1', 'One.'), { type: 'mode', mode: 'plan' }, line('u2', 'Two.')]
    await store.append(key, batch)
    await store.append(key, batch)
    await store.append(key, [line('u2', 'Two, changed.'), line('u3', 'Three.')])
    assert.deepEqual(await store.load(key), [...batch, line('u3', 'Three.')])
    await store.append({ ...key, projectKey: '-q' }, batch)
    assert.deepEqual(await store.load({ ...key, projectKey: '-q' }), batch)
    await store.delete(key)
    await store.append(key, batch)
    assert.deepEqual(await store.load(key), batch, 'what was deleted can be imported again')
  })

  test('the package reads, forks and deletes sessions; each entry names its writer, session and instant', async () => {
    const sdk = await loadFramework<Framework>('@anthropic-ai/claude-agent-sdk')
    const sessionStore = createSessionStore({ client, service: 'code-review' })
    const [sessionId, first, second] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const options = { sessionStore, dir: '/project' }
    const entries = [line(first, 'One.'), line(second, 'Two.', first)].map((entry) => ({ ...entry, sessionId }))
    await sessionStore.append({ projectKey: '-project', sessionId }, entries)
    assert.deepEqual(
      (await sdk.getSessionMessages(sessionId, options)).map(({ uuid }) => uuid),
      [first, second],
    )
    const fork = await sdk.forkSession(sessionId, options)
    await sdk.deleteSession(sessionId, options)
    assert.equal((await sdk.getSessionMessages(sessionId, options)).length, 0)
    assert.equal((await sdk.getSessionMessages(fork.sessionId, options)).length, 2)
    const ref = `claude-agent/-project/${fork.sessionId}`
    const stored = (await client.memory.list(ref)).entries
    const { story } = await client.memory.colophon(ref, stored.at(-1)?.id ?? '')
    const told = story.find(({ step }) => step === 'told')?.details.provenance as Record<string, unknown>
    assert.deepEqual([told.service, told.scope], ['code-review', { session_id: fork.sessionId, project: '-project' }])
  })
})
