import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pool } from 'pg'
import { host, type SqlStatement, statement } from './connection.ts'
import { Database } from './database.ts'

const connections = 8
const read = statement('read_something', 'select $1')
const write = statement('write_something', 'insert into something values ($1)')
const scan = statement('scan_something', 'select $1', { isScan: true })
const lookUpKey = statement('look_up_key', 'select $1', { isBeforeAuth: true })

/** A database whose statements end when the test ends them. */
function createDatabase() {
  const running: { readonly name: string; readonly tenant: string; readonly end: () => void }[] = []
  const disconnected: string[] = []
  const client = {
    connection: { stream: { destroy: () => disconnected.push('') } },
    query: ({ name, values: [tenant = ''] = [] }: { name: string; values?: string[] }) =>
      new Promise((resolve) => running.push({ name, tenant, end: () => resolve({ rows: [], rowCount: 0 }) })),
    release: () => {},
  }
  const pool = { connect: async () => ({ ...client }), end: async () => {} }
  const database = new Database(pool as unknown as Pool, {
    connectionsMax: connections,
    pooler: 'none',
    isRowSecured: false,
    isDistributed: false,
    commitWaitMs: 1_000,
    answerWaitMs: 1_000,
  })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const runningOf = (tenant: string) => running.filter((one) => one.tenant === tenant).length
  /** Ends the oldest running call of a statement and lets the next start. */
  const endOne = async ({ name }: SqlStatement) => {
    const at = running.findIndex((one) => one.name === name)
    running.splice(at, 1)[0]?.end()
    await settle()
  }
  const endAll = async () => {
    for (; running.length > 0; await settle()) for (const { end } of running.splice(0)) end()
  }
  return { database, running, disconnected, runningOf, settle, endOne, [Symbol.asyncDispose]: endAll }
}

test('look-ups of unknown keys together use few connections, whatever tenants they name', async () => {
  await using calls = createDatabase()
  const { database, running, runningOf, settle } = calls
  for (let n = 0; n < 100; n++) void database.send(lookUpKey, [`invented-${n}`])
  await settle()
  assert.equal(running.length, connections / 4)
  for (let n = 0; n < 10; n++) void database.send(read, ['acme'])
  await settle()
  assert.equal(runningOf('acme'), connections - connections / 4)
})

test('many look-ups that name one tenant do not delay the look-up of another, nor the calls of that tenant', async () => {
  await using calls = createDatabase()
  const { database, running, runningOf, settle, endOne } = calls
  for (let n = 0; n < 100; n++) void database.send(lookUpKey, ['acme'])
  void database.send(lookUpKey, ['other'])
  void database.send(read, ['acme'])
  await settle()
  assert.deepEqual([running.length, runningOf('acme'), runningOf('other')], [3, 3, 0])
  await endOne(lookUpKey)
  assert.equal(runningOf('other'), 1)
})

test('a call of the process itself gets the next connection, however many calls of a tenant wait', async () => {
  await using calls = createDatabase()
  const { database, runningOf, settle, endOne } = calls
  for (let n = 0; n < 100; n++) void database.send(read, ['busy'])
  await settle()
  assert.equal(runningOf('busy'), connections)
  void database.send(read, [host])
  await endOne(read)
  assert.equal(runningOf(host), 1)
})

test('writes leave connections to reads, however many tenants write', async () => {
  await using calls = createDatabase()
  const { database, running, runningOf, settle } = calls
  for (let n = 0; n < 20; n++) void database.send(write, [`writer-${n}`])
  await settle()
  assert.equal(running.length, connections - connections / 4)
  void database.send(read, ['acme'])
  await settle()
  assert.equal(runningOf('acme'), 1)
})

test('a statement that changes rows is known by its text', () => {
  const isWrite = (text: string) => statement(`text_${text}`, text).isWrite
  for (const text of [
    'insert into a values (1)',
    'delete from a',
    'update a set b = 1',
    'with x as (update a as y set b = 1) select',
  ])
    assert.equal(isWrite(text), true, text)
  for (const text of ['select 1', 'select b from a for update', 'select b from a for no key update of a'])
    assert.equal(isWrite(text), false, text)
})

test('statements that examine every row of a tenant use a quarter of the connections, and the end does not wait for them', async () => {
  await using calls = createDatabase()
  const { database, running, runningOf, settle } = calls
  for (let n = 0; n < 20; n++) database.send(scan, [`tenant-${n}`]).catch(() => {})
  await settle()
  const scanning = () => running.filter(({ name }) => name === scan.name).length
  assert.equal(scanning(), connections / 4)
  for (let n = 0; n < connections; n++) void database.send(read, ['acme'])
  await settle()
  assert.equal(runningOf('acme'), connections - connections / 4)
  assert.equal(calls.disconnected.length, 0)
  await database.end()
  assert.equal(calls.disconnected.length, connections / 4)
})
