import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { loadFramework } from '../../examples/frameworks/load.ts'
import { createClient } from '../../src/client/index.ts'
import { ColophonStore } from '../../src/integrations/langgraph.ts'
import { createMemoryStorage } from '../../src/integrations/mastra.ts'
import { connectHttp } from '../mcp/connect.ts'
import { runInWorker } from '../support/cli-worker.ts'
import { createEmptyDatabase, releaseServer } from '../support/databases.ts'
import { type Tenant, useServer } from '../support/server.ts'
import { cleanEnv } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test decides the shape of a response, and checks it.
type Any = any

const lines = (...items: object[]) => items.map((item) => JSON.stringify(item)).join('\n')
const entity = (name: string, ...observations: string[]) => ({
  type: 'entity',
  name,
  entityType: 'person',
  observations,
})

after(releaseServer)

/** Memory of other products, imported through a server. */
describe('colophon import of other products', () => {
  const server = useServer()
  const commandOf =
    ({ key }: Tenant) =>
    async (...args: string[]) => {
      const connection = ['--url', server.url, '--key', key]
      return runInWorker({ args: [...connection, ...args], env: cleanEnv({}), input: '' })
    }
  const jsonOf =
    (tenant: Tenant) =>
    async (...args: string[]) => {
      const { code, stdout, stderr } = await commandOf(tenant)(...args, '--json')
      assert.equal(code, 0, stderr)
      return JSON.parse(stdout) as Any
    }
  const clientOf = ({ key }: Tenant) => createClient({ url: server.url, key })
  const positionOf = async (tenant: Tenant) => (await clientOf(tenant).memory.list('any')).position
  /** Imports a second time, which must change nothing. */
  async function importedOnce(tenant: Tenant, location: string, ...more: string[]): Promise<Any> {
    const before = await positionOf(tenant)
    const dry = await jsonOf(tenant)('import', location, '--dry-run', ...more)
    assert.equal(await positionOf(tenant), before)
    const first = await jsonOf(tenant)('import', location, ...more)
    assert.deepEqual([first.found, first.from, first.skipped, first.refused], [dry.found, dry.from, 0, []])
    const position = await positionOf(tenant)
    const second = await jsonOf(tenant)('import', location, ...more)
    assert.deepEqual([second.imported, second.skipped], [0, first.imported])
    assert.equal(await positionOf(tenant), position)
    return first
  }

  test('the file of the MCP reference memory server: its tools read the graph, and what they change stays', async () => {
    const tenant = await server.tenant()
    const folder = createFolder()
    const file = folder.file('memory.jsonl')
    await using mcp = await connectHttp(server.url, tenant.key, { tools: 'server-memory', service: 'desk' })
    const call = async (name: string, args: object = {}) => (await mcp.call(name, { ...args })).structured as Any
    const relation = { type: 'relation', from: 'Ada', to: 'Bo', relationType: 'knows' }
    const ada = entity('Ada', 'Drinks tea.', 'Lives in Porto.', 'Drinks tea.')
    const graphOf = (...items: object[]) => ({
      entities: items.map((item) => ({ ...item, type: undefined })),
      relations: [{ ...relation, type: undefined }],
    })
    const read = async () => JSON.parse(JSON.stringify(await call('read_graph')))
    const isGraph = async (...items: object[]) =>
      assert.deepEqual(await read(), JSON.parse(JSON.stringify(graphOf(...items))))

    writeFileSync(file, lines(ada, entity('Bo'), relation))
    const { found, from } = await importedOnce(tenant, file)
    assert.deepEqual([from, found], ['server-memory', { entities: 2, relations: 1 }])
    await isGraph(ada, entity('Bo'))
    const { entries } = await clientOf(tenant).memory.list('knowledge-graph')
    const events = new Set<string>()
    for (const { id } of entries) {
      const { stdout } = await commandOf(tenant)('trace', id)
      const [, event = ''] =
        /server-memory imported it from the MCP server-memory file memory\.jsonl in event (\S+)/.exec(stdout) ?? []
      events.add(event)
      assert.doesNotMatch(stdout, new RegExp(folder.path))
    }
    assert.deepEqual([entries.length, events.size, events.has('')], [6, 3, false])

    await call('add_observations', { observations: [{ entityName: 'Bo', contents: ['Has a dog.'] }] })
    await call('delete_observations', { deletions: [{ entityName: 'Ada', observations: ['Lives in Porto.'] }] })
    const again = await jsonOf(tenant)('import', file)
    assert.deepEqual([again.imported, again.skipped], [0, 3])
    const changed = entity('Ada', 'Drinks tea.', 'Drinks tea.')
    await isGraph(changed, entity('Bo', 'Has a dog.'))
    // Of a line that has changed, only what the graph lacks is added.
    writeFileSync(file, lines(entity('Bo', 'Has a dog.', 'Is tall.')))
    assert.equal((await jsonOf(tenant)('import', file)).imported, 1)
    await isGraph(changed, entity('Bo', 'Has a dog.', 'Is tall.'))
    folder.remove()
  })

  test('a graph of more parts than one commit has; in quarantine, each part is stored once too', async () => {
    const tenant = await server.tenant()
    const folder = createFolder()
    const file = folder.file('memory.jsonl')
    const many = Array.from({ length: 1_000 }, (_, number) => `Has ${number}.`)
    writeFileSync(file, lines(entity('Ada', ...many)))
    assert.equal((await importedOnce(tenant, file)).imported, 1)
    let count = 0
    for await (const _ of clientOf(tenant).memory.each('knowledge-graph', { limit: 500 })) count += 1
    assert.equal(count, 1_001)

    writeFileSync(file, lines(entity('Bo', 'Is tall.'), entity('Cy', 'Sings.'), entity('Di')))
    assert.equal((await importedOnce(tenant, file, '--trust', 'untrusted')).imported, 3)
    folder.remove()
  })

  test('bad lines are named, and nothing is stored; a secret in a name refuses one item', async () => {
    const tenant = await server.tenant()
    const folder = createFolder()
    const file = folder.file('memory.jsonl')
    const bad = { type: 'entity', name: 'Bo', entityType: 'person', observations: 'none' }
    const others = lines({ type: 'other' }, entity('Cy', ''), entity('x'.repeat(257)))
    writeFileSync(file, `${lines(entity('Ada'), bad)}\n{"type":\n${others}\n`)
    const { code, stderr } = await commandOf(tenant)('import', file)
    assert.equal(code, 4)
    assert.match(stderr, /line 2: observations must be a list/)
    assert.match(stderr, /line 3: It is not JSON/)
    assert.match(stderr, /line 4: type must be entity or relation/)
    assert.match(stderr, /line 5: content/)
    assert.match(stderr, /line 6: .*256/)
    assert.equal((await clientOf(tenant).memory.list('knowledge-graph')).entries.length, 0)
    writeFileSync(file, lines(entity('AKIAIOSFODNN7EXAMPLE'), entity('Ada')))
    const refused = await commandOf(tenant)('import', file, '--json')
    assert.equal(refused.code, 4)
    const { imported, refused: items } = JSON.parse(refused.stdout)
    assert.deepEqual([imported, items.length, items[0].at], [1, 1, 'line 1'])
    assert.match(items[0].problem, /^secret_leakage/)
    assert.equal((await commandOf(tenant)('import', folder.file('none'), '--from', 'mem0')).code, 2)
    assert.match((await commandOf(tenant)('import', folder.file('none'), '--dry-run')).stderr, /none does not exist/)
    writeFileSync(file, '{"note":"Ada prefers tea."}')
    assert.match((await commandOf(tenant)('import', file)).stderr, /--from .*--plain/)
    assert.match((await commandOf(tenant)('import', file, '--dry-run')).stderr, /--from/)
    assert.equal((await commandOf(tenant)('import', file, '--from', 'other')).code, 2)
    folder.remove()
  })

  test('an export of mem0, with its entities and times', async () => {
    const tenant = await server.tenant()
    const folder = createFolder()
    const file = folder.file('export.json')
    const memory = (id: string, text: string, more: object) => ({
      id,
      memory: text,
      created_at: '2025-02-03T04:05:06Z',
      ...more,
    })
    const results = [
      memory('a1', 'Drinks tea.', {
        user_id: 'ada',
        run_id: 'chat-1',
        metadata: { room: 4 },
        categories: ['preference'],
      }),
      memory('a2', 'Lives in Porto.', { userId: 'ada', agentId: 'helper' }),
      memory('a3', 'Answers briefly.', { agent_id: 'helper', metadata: null }),
    ]
    writeFileSync(file, JSON.stringify({ count: 3, results }, null, 2))
    const { found, from } = await importedOnce(tenant, file, '--trust', 'agent')
    assert.deepEqual([from, found], ['mem0', { memories: 3 }])
    const { body } = await tenant.call('POST', '/mem0/v3/memories', { filters: { user_id: 'ada' } })
    const shown = body.results.map((one: Any) => [one.memory, one.run_id, one.agent_id, one.metadata, one.categories])
    assert.deepEqual(shown.sort(), [
      ['Drinks tea.', 'chat-1', null, { room: 4 }, ['preference']],
      ['Lives in Porto.', null, 'helper', null, ['fact']],
    ])
    const { data } = await clientOf(tenant).memories.list({ external_user_id: 'agent:helper' })
    assert.equal(data[0]?.provenance?.observed_at, '2025-02-03T04:05:06.000Z')
    const { stdout } = await commandOf(tenant)('trace', data[0]?.id ?? '')
    assert.match(stdout, /mem0 imported it from the mem0 export export\.json/)
    writeFileSync(file, JSON.stringify([...results, memory('a4', 'Nobody.', {})]))
    const { code, stderr } = await commandOf(tenant)('import', file)
    assert.equal(code, 4)
    assert.match(stderr, /item 4: It names no user_id/)
    folder.remove()
  })

  test('the tables that LangGraph’s PostgresStore wrote: the store adapter finds every item', async () => {
    const tenant = await server.tenant()
    const database = await createEmptyDatabase()
    type Store = { setup(): Promise<void>; stop(): Promise<void>; put: Any; get: Any }
    type Framework = { PostgresStore: { fromConnString(url: string): Store } }
    const { PostgresStore } = await loadFramework<Framework>('@langchain/langgraph-checkpoint-postgres/store')
    const theirs = PostgresStore.fromConnString(database.url)
    await theirs.setup()
    await theirs.put(['users', 'ada'], 'likes', { drink: 'tea', notes: ['green'] })
    await theirs.put(['users', 'bo'], 'likes', { drink: 'coffee' })
    const { found, from } = await importedOnce(tenant, database.url)
    assert.deepEqual([from, found], ['langgraph-postgres', { items: 2 }])
    const ours = new ColophonStore({ client: clientOf(tenant) })
    for (const user of ['ada', 'bo']) {
      const [item, original] = [await ours.get(['users', user], 'likes'), await theirs.get(['users', user], 'likes')]
      assert.deepEqual([item?.value, item?.createdAt], [original.value, original.createdAt])
    }
    const { entries } = await clientOf(tenant).memory.list('langgraph')
    const { stdout } = await commandOf(tenant)('trace', entries[0]?.id ?? '')
    assert.match(stdout, /langgraph imported it from the LangGraph PostgresStore in database \w+/)
    await theirs.stop()
    await database.drop()
  })

  test('threads, messages and resources of Mastra: the memory storage finds them', async () => {
    const tenant = await server.tenant()
    const folder = createFolder()
    const file = folder.file('mastra.db')
    const at = '2026-01-02T03:04:05.678Z'
    const text = (content: string) => JSON.stringify({ format: 2, parts: [{ type: 'text', text: content }] })
    const database = new Database(file)
    // As @mastra/libsql 1.23 makes and fills them.
    database.exec(`
      create table mastra_threads (id text primary key, resourceId text, title text, metadata text, createdAt text, updatedAt text);
      create table mastra_messages (id text primary key, thread_id text, content text, role text, type text, createdAt text, resourceId text);
      create table mastra_resources (id text primary key, workingMemory text, metadata text, createdAt text, updatedAt text);
      insert into mastra_threads values ('t-1', 'ada', 'Order', jsonb('{"kind":"chat"}'), '${at}', '${at}');
      insert into mastra_resources values ('ada', '# Ada', jsonb('{"a":1}'), '${at}', '${at}');`)
    const insert = database.prepare('insert into mastra_messages values (?, ?, ?, ?, ?, ?, ?)')
    insert.run('m-1', 't-1', text('Where is it?'), 'user', 'text', at, 'ada')
    insert.run('m-2', 't-1', text('On its way.'), 'assistant', 'text', '2026-01-02T03:05:00.000Z', 'ada')
    database.close()
    const { found, from } = await importedOnce(tenant, file)
    assert.deepEqual([from, found], ['mastra-libsql', { threads: 1, messages: 2, resources: 1 }])
    const memory = createMemoryStorage<Any>(class {} as Any, { client: clientOf(tenant) })
    const thread = await memory.getThreadById({ threadId: 't-1' })
    assert.deepEqual([thread.title, thread.metadata, thread.createdAt], ['Order', { kind: 'chat' }, new Date(at)])
    const { messages } = await memory.listMessages({ threadId: 't-1' })
    assert.deepEqual(
      messages.map(({ id, role, content }: Any) => [id, role, content.parts[0].text]),
      [
        ['m-1', 'user', 'Where is it?'],
        ['m-2', 'assistant', 'On its way.'],
      ],
    )
    assert.equal((await memory.getResourceById({ resourceId: 'ada' })).workingMemory, '# Ada')
    // What is not trusted does not gain trust from the version before it, and is found again in quarantine.
    const ada = async (options: object) =>
      (await clientOf(tenant).memory.list('mastra', { tag: 'resource:ada', ...options })).entries.length
    assert.equal(await ada({}), 1)
    for (const next of ['# Eve', '# Mallory']) {
      const changed = new Database(file)
      changed.prepare('update mastra_resources set workingMemory = ?').run(next)
      changed.close()
      assert.equal((await jsonOf(tenant)('import', file, '--trust', 'untrusted')).imported, 1)
      assert.deepEqual([await ada({}), await ada({ trustMin: 'untrusted' })], [0, 1])
    }
    folder.remove()
  })

  test('an import that stored a part of the items is completed by the next one', async () => {
    const tenant = await server.tenant()
    const folder = createFolder()
    const file = folder.file('memory.jsonl')
    const items = Array.from({ length: 20 }, (_, number) => entity(`P${number}`, `Has ${number}.`))
    writeFileSync(file, lines(...items.slice(0, 7)))
    await jsonOf(tenant)('import', file)
    writeFileSync(file, lines(...items))
    const { imported, skipped } = await jsonOf(tenant)('import', file)
    assert.deepEqual([imported, skipped], [13, 7])
    assert.equal((await clientOf(tenant).memory.list('knowledge-graph', { limit: 100 })).entries.length, 40)
    folder.remove()
  })
})
