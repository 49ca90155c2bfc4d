import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { openColophon } from '../../src/open.ts'
import { acknowledgedBy, checkStored, failuresOf } from '../crash/check-stored.ts'
import type { WriterMessage, WriterOptions } from '../crash/messages.ts'
import { endChildren, eventually, startChild } from '../support/child.ts'
import { createDatabase, releaseServer, run, type TestDatabase } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { createHome, startServer } from '../support/server.ts'

const tenant = 'acme'
const memoryRef = 'log'
const deadline = { timeout: 60_000 }

let database: TestDatabase
before(async () => {
  database = await createDatabase()
})
after(async () => {
  endChildren()
  await database.drop()
  await releaseServer()
})

test('a database that turns read-only refuses writes, also from new instances, and still reads', async () => {
  const own = await createDatabase()
  await using colophon = await openColophon({ databaseUrl: own.url })
  const memory = colophon.memory(tenant)
  const { id } = await memory.put(memoryRef, { content: 'first' })
  const name = new URL(own.url).pathname.slice(1)
  await run(own.url, `alter database ${name} set default_transaction_read_only = on`)
  // The setting is for new connections.
  await terminateConnections(own.url)
  const isRead = () =>
    memory.get(memoryRef, id).then(
      (entry) => entry?.content === 'first',
      () => false,
    )
  await eventually('reads work on new connections', isRead)
  await assert.rejects(memory.put(memoryRef, { content: 'second' }), { code: 'storage_read_only' })
  await assert.rejects(openColophon({ databaseUrl: own.url }), { code: 'storage_read_only' })
  assert.equal((await memory.list(memoryRef)).entries.length, 1)
  await colophon.close()
  await own.drop()
})

test('a server on a database that turned read-only claims no writes, and its agents list what they lack', async () => {
  await using home = await createHome('postgres')
  await using server = await startServer({ home })
  const host = '/v1/host/colophon'
  const agent = { agentId: 'local.team.writer', persona: 'W', modelClass: 'general', systemPrompt: 'Write.' }
  const needs = { memoryShape: { longTerm: true }, peerDependencies: { 'openwop.memory.writable': '*' } }
  const made = await server.call('POST', `${host}/agents`, { ...agent, ...needs })
  assert.equal(made.status, 201, made.text)
  const url = home.env.COLOPHON_DATABASE_URL ?? ''
  await run(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  await terminateConnections(url)
  const document = async () => (await server.as(null)('GET', '/.well-known/openwop')).body
  await eventually('discovery says that nothing is written', async () => {
    const { memory, replay } = await document()
    return memory.supported === true && memory.writable === false && replay.supported === false
  })
  const { memory, agents } = await document()
  assert.deepEqual([memory.attribution, memory.compaction, memory.retention.forget], [undefined, undefined, false])
  assert.deepEqual(agents.memoryBackends, ['long-term'], 'what is stored is still kept')
  const { body } = await server.call('GET', `/v1/agents/${agent.agentId}`)
  assert.deepEqual([body.degradedMemoryDimensions, body.degraded], [['write'], ['openwop.memory.writable']])
  assertError(await server.call('POST', `${host}/memory/notes/entries`, { content: 'x' }), 503, 'storage_read_only')
})

describe('a database in use', () => {
  test('writes wait for a lock that another client holds for a while', deadline, async (t) => {
    await using colophon = await openColophon({ databaseUrl: database.url })
    const memory = colophon.memory('locked')
    await memory.put(memoryRef, { content: 'first' })
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    t.after(() => other.end())
    await other.query('begin')
    await other.query('select 1 from tenant_clock where tenant_id = $1 for update', ['locked'])
    let settled = 0
    const writes = Array.from({ length: 8 }, (_, number) =>
      memory.put(memoryRef, { content: `waiting ${number}` }).finally(() => settled++),
    )
    await eventually('a write waits for the lock', async () => {
      const waiting = await run(
        database.url,
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return waiting.length > 0
    })
    assert.equal(settled, 0, 'a write went past the lock')
    await other.query('commit')
    await Promise.all(writes)
    assert.equal((await memory.snapshot()).position, 9)
    assert.equal((await memory.verify({ contents: true })).ok, true)
  })

  test('acknowledged writes survive when connections are closed under load', deadline, async () => {
    const options: WriterOptions = {
      open: { databaseUrl: database.url },
      name: 'load',
      tenants: [tenant, 'other'],
      writers: 32,
    }
    const child = startChild<WriterMessage>(new URL('../crash/writer-program.ts', import.meta.url), options)
    const isStored = ({ kind }: WriterMessage) => kind === 'stored'
    for (let round = 0; round < 10; round++) {
      // The same process continues each time: it does not reopen the store.
      await child.until(child.messages.filter(isStored).length + 100, isStored)
      await terminateConnections(database.url)
    }
    await child.until(child.messages.filter(isStored).length + 100, isStored)
    const { code, stderr } = await child.stop()
    assert.equal(code, 0, stderr)
    for (const failure of failuresOf(child.messages)) assert.equal(failure, 'storage_unavailable')
    await run(database.url, 'analyze')
    await using colophon = await openColophon({ databaseUrl: database.url })
    for (const name of [tenant, 'other']) {
      await checkStored(colophon.memory(name), acknowledgedBy(child.messages, name))
    }
  })
})

/** Ends what Colophon has open in this database, as an administrator or a failover does. */
async function terminateConnections(url: string): Promise<void> {
  const ours = `datname = current_database() and application_name = 'colophon'`
  await run(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`)
}
