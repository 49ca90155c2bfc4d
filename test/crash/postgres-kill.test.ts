import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openColophon } from '../../src/open.ts'
import { endChildren, startChild } from '../support/child.ts'
import { run } from '../support/databases.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { isThorough } from '../support/thorough.ts'
import { acknowledgedBy, checkReadable, checkStored, failuresOf } from './check-stored.ts'
import type { Acknowledged, WriterMessage, WriterOptions } from './messages.ts'

const deadline = { timeout: 60_000 }

// A database server of its own, with fsync: here the server itself is killed.
describe('PostgreSQL', () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres({ fsync: 'on', synchronous_commit: 'on' })
  })
  after(endChildren)
  after(() => server.stop())

  function startWriter(tenants: string[], name: string) {
    const options: WriterOptions = { open: { databaseUrl: server.url }, name, tenants, writers: 32 }
    return startChild<WriterMessage>(new URL('./writer-program.ts', import.meta.url), options)
  }

  // Tables that were filled a moment ago have no statistics yet, and reading them back would take the wrong index.
  const analyse = () => run(server.url, 'analyze')

  test('a killed process loses no acknowledged write, and stores no half batch', deadline, async (t) => {
    const tenant = 'client-dies'
    const acknowledged: Acknowledged[] = []
    for (const round of isThorough ? [1, 2, 3] : [1]) {
      const child = startWriter([tenant], `round${round}`)
      await child.until(200 + Math.floor(Math.random() * 800))
      child.kill('SIGKILL')
      assert.equal((await child.ended).signal, 'SIGKILL')
      assert.deepEqual(failuresOf(child.messages), new Set())
      const fresh = acknowledgedBy(child.messages, tenant)
      acknowledged.push(...fresh)
      t.diagnostic(`round ${round}: killed after ${child.messages.length} writes`)

      await analyse()
      await using colophon = await openColophon({ databaseUrl: server.url })
      await checkReadable(colophon.memory(tenant), fresh)
      await checkStored(colophon.memory(tenant), acknowledged)
    }
  })

  test(
    'a database server that is killed under load keeps acknowledged writes, and its clients continue',
    deadline,
    async (t) => {
      const tenants = ['server-dies', 'server-dies-too', 'server-dies-again']
      const child = startWriter(tenants, 'load')
      const isStored = ({ kind }: WriterMessage) => kind === 'stored'
      const isFailed = ({ kind }: WriterMessage) => kind === 'failed'
      const soFar = (fits: (message: WriterMessage) => boolean) => child.messages.filter(fits).length
      for (const round of isThorough ? [1, 2] : [1]) {
        await child.until(soFar(isStored) + 200 + Math.floor(Math.random() * 500), isStored)
        t.diagnostic(`round ${round}: the server dies after ${soFar(isStored)} writes`)
        server.kill()
        // Every writer sees the outage: none of them may wait for a response that never comes.
        await child.until(soFar(isFailed) + 32, isFailed)
        await server.restart()
        await child.until(soFar(isStored) + 200, isStored)
      }
      const { code, stderr } = await child.stop()
      assert.equal(code, 0, stderr)
      assert.equal(child.messages.at(-1)?.kind, 'finished')
      assert.deepEqual(failuresOf(child.messages), new Set(['storage_unavailable']))

      await analyse()
      await using colophon = await openColophon({ databaseUrl: server.url })
      for (const tenant of tenants) {
        await checkStored(colophon.memory(tenant), acknowledgedBy(child.messages, tenant))
      }
    },
  )
})
