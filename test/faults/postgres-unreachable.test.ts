import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { openColophon } from '../../src/open.ts'
import { createDatabase, releaseServer, type TestDatabase } from '../support/databases.ts'

let database: TestDatabase
before(async () => {
  database = await createDatabase()
})
after(async () => {
  await database.drop()
  await releaseServer()
})

function changed(change: (url: URL) => void): string {
  const url = new URL(database.url)
  change(url)
  return url.href
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return String((server.address() as AddressInfo).port)
}

async function checkUnavailable(databaseUrl: string, reason: string): Promise<void> {
  await assert.rejects(openColophon({ databaseUrl }), (error: Error & { code?: string }) => {
    assert.equal(error.name, 'ColophonError', String(error))
    assert.equal(error.code, 'storage_unavailable')
    const { hostname, port, username, pathname } = new URL(databaseUrl)
    const place = `The database "${pathname.slice(1)}" at ${hostname}:${port} cannot be opened as user "${username}"`
    assert.equal(error.message, `${place}: ${reason}.`)
    assert.ok(!error.message.includes(new URL(databaseUrl).password), 'the password is in the message')
    return true
  })
}

describe('a database is reported as unavailable', { concurrency: true }, () => {
  test('when no server listens there', { timeout: 15_000 }, async () => {
    const server = createServer()
    const port = await listen(server)
    server.close()
    await checkUnavailable(
      changed((url) => {
        url.port = port
        url.password = 'not-in-a-message'
      }),
      'no server listens there',
    )
  })

  test('when the server that listens there never answers', { timeout: 30_000 }, async () => {
    const server = createServer()
    const port = await listen(server)
    await checkUnavailable(
      changed((url) => {
        url.port = port
        url.password = 'not-in-a-message'
      }),
      'the server did not answer in time',
    )
    server.close()
  })

  test('when the password is wrong', () =>
    checkUnavailable(
      changed((url) => {
        url.password = 'wrong-password'
      }),
      'the password is wrong',
    ))

  test('when it does not exist', () =>
    checkUnavailable(
      changed((url) => {
        url.pathname = '/no_such_database'
      }),
      'the server does not have this database',
    ))
})
