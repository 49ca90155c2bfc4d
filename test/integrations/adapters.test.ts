import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, createClient } from '../../src/client/index.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type AdapterName, adapters } from './adapters.ts'
import { compare, killAdapters } from './adapters-killed.ts'

/** What every adapter promises: 0 lost, 0 doubled, order kept. */
describe('the contract of the adapters', () => {
  let server: TestServer
  const connect = (): Client => createClient({ url: server.url, key: server.key })
  before(async () => {
    server = await startServer()
  })
  after(() => server[Symbol.asyncDispose]())

  for (const name of Object.keys(adapters) as AdapterName[]) {
    test(`${name}: two clients that send the same writes, each of them twice, store each once and in order`, async () => {
      const clients = [connect(), connect()].map((client) => adapters[name](client, 'raced'))
      const numbers = Array.from({ length: 8 }, (_, number) => number)
      await Promise.all(
        clients.map(async ({ write }) => {
          for (const number of numbers) await Promise.all([write(number), write(number)])
        }),
      )
      for (const { read } of clients) assert.deepEqual(await read(), numbers)
    })

    test(`${name}: two clients on one session lose nothing of each other`, async () => {
      const [one, other] = [connect(), connect()].map((client) => adapters[name](client, 'shared'))
      await Promise.all(Array.from({ length: 8 }, async (_, number) => (number % 2 === 0 ? one : other)?.write(number)))
      assert.deepEqual((await one?.read())?.sort(), [0, 1, 2, 3, 4, 5, 6, 7])
    })
  }

  test('two clients race while clients and server are killed: nothing is lost or doubled, and the order is kept', async () => {
    const writes = 14
    const { adapters: figures, kills, anomalies } = await killAdapters({ writes, killEvery: 6, resent: 4 })
    const right = { stored: writes, lost: 0, doubled: 0, outOfOrder: 0 }
    assert.deepEqual(figures, Object.fromEntries(Object.keys(adapters).map((name) => [name, right])))
    assert.ok(kills.clients > 0 && kills.servers > 0)
    assert.deepEqual(anomalies, [])
  })

  test('the figures show what is lost, doubled or out of order', () => {
    assert.deepEqual(compare([0, 1, 2], 3), { stored: 3, lost: 0, doubled: 0, outOfOrder: 0 })
    assert.deepEqual(compare([0, 2, 2, 1], 4), { stored: 4, lost: 1, doubled: 1, outOfOrder: 1 })
  })
})
