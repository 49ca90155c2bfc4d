import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { releaseServer, run } from '../support/databases.ts'
import { createHome, type Home, randomKey, startServer, storagesOfBehaviour } from '../support/server.ts'
import { openChanges } from '../support/sse.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const entries = `${host}/memory/notes/entries`

/** Sets a later start of history, as a pass ninety days from now would. */
async function beginAt(home: Home, position: number): Promise<void> {
  const sql = `update tenant_clock set history_from = ${position} where tenant_id = 'default'`
  const url = home.env.COLOPHON_DATABASE_URL
  if (url !== undefined) await run(url, sql)
  else new Database(join(home.dataDir, 'colophon.db')).exec(sql).close()
}

for (const storage of storagesOfBehaviour) {
  test(`reads before the start of history are refused over HTTP on ${storage}`, async () => {
    await using home = await createHome(storage)
    const env = { COLOPHON_BOOTSTRAP_KEY: randomKey() }
    let at = ''
    {
      await using server = await startServer({ home, env })
      for (let number = 0; number < 6; number++) {
        const made = await server.call('POST', entries, { content: `Note ${number}` })
        if (number === 1) at = made.body.createdAt
        await new Promise((resolve) => setTimeout(resolve, 3))
      }
      await server.stop()
    }
    await beginAt(home, 4)
    await using server = await startServer({ home, env })
    for (const asOf of ['1', '3', at]) {
      const answer = await server.call('GET', `${entries}?asOf=${encodeURIComponent(asOf)}`)
      assert.deepEqual([answer.status, answer.body.error], [410, 'history_expired'], asOf)
      assert.equal(answer.body.details.historyFrom, 4)
    }
    assert.equal((await server.call('GET', `${entries}?asOf=4`)).body.entries.length, 4)
    assert.equal((await server.call('GET', entries)).body.entries.length, 6)
    assert.equal((await server.call('GET', '/v1/audit/verify')).body.chainValid, true)
    await using stream = await openChanges(server.url, server.key, { after: 1 })
    await stream.until('the gap and a change came', (events) => events.length >= 2)
    const [gap, change] = stream.events
    assert.deepEqual([gap?.event, gap?.id], ['gap', '4'])
    assert.deepEqual(gap?.data, { from: 1, to: 4, reason: 'history_expired' })
    assert.deepEqual([change?.event, change?.id], ['change', '5'])
  })
}

test('maintenance runs for every tenant of a server, can be started by a call and is counted in the metrics', async () => {
  await using server = await startServer()
  const made = await server.tenant()
  for (const call of [server.call, made.call]) {
    await eventually('the schedules are there', async () => {
      const { body } = await call('GET', `${host}/schedules`)
      const ids = (body.schedules as { id: string; isHosts: boolean }[])
        .filter(({ isHosts }) => isHosts)
        .map(({ id }) => id)
      return ids.includes('expiry-sweep') && ids.includes('history-retention')
    })
  }
  await makeBrief(async (expiresAt) => {
    const { status } = await made.call('POST', entries, { content: 'short', expiresAt })
    return status === 201 || null
  })
  await eventually('it is over', async () => (await made.call('GET', entries)).body.entries.length === 0)
  const { body } = await made.call('POST', `${host}/schedules/expiry-sweep:run`)
  await eventually('it was swept', async () => {
    const job = (await made.call('GET', `${host}/jobs/${body.jobId}`)).body
    return job.status === 'completed' && job.result.expired === 1
  })
  assert.match((await server.as(null)('GET', '/metrics')).text, /colophon_upkeep_total\{what="expired"\} 1/)
  const history = await made.call('POST', `${host}/schedules/history-retention:run`)
  await eventually('history was looked at', async () => {
    const job = (await made.call('GET', `${host}/jobs/${history.body.jobId}`)).body
    return job.status === 'completed' && job.result.historyFrom === 0
  })
  assert.equal((await made.call('DELETE', `${host}/schedules/expiry-sweep`)).status, 409)
})
