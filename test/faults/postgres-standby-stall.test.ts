import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/child.ts'
import { run } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { createHome, startServer } from '../support/server.ts'

const entries = '/v1/host/colophon/memory/notes/entries'
const contents = ['one', 'two', 'three']

/** A standby that is not there: a commit with rows waits for it until it is no longer named. */
async function setStandby(url: string, name: string): Promise<void> {
  await run(url, `alter system set synchronous_standby_names = '${name}'`)
  await run(url, 'select pg_reload_conf()')
  await eventually('the setting is in force', async () => {
    const [row] = await run(url, 'show synchronous_standby_names')
    return row?.synchronous_standby_names === name
  })
}

test('while a synchronous standby stalls, writes get 503 and reads go on; afterwards each write is there once', async () => {
  const database = await startPostgres({ fsync: 'off' })
  try {
    await using home = await createHome('memory')
    const env = { COLOPHON_DATABASE_URL: database.url, COLOPHON_STORAGE: 'postgres' }
    await using server = await startServer({
      home: { ...home, env: { ...home.env, ...env, COLOPHON_DATABASE_COMMIT_WAIT_MS: '300' } },
    })
    const put = (content: string) =>
      server.call('POST', entries, { content }, { 'idempotency-key': `key-of-${content}` })
    const ready = async () => {
      const { status, body } = await server.as(null)('GET', '/readyz')
      return [status, body.reason]
    }
    const stored = async () => {
      const { status, body } = await server.call('GET', entries)
      assert.equal(status, 200)
      return body.entries.map(({ content }: { content: string }) => content).sort()
    }
    assert.equal((await put('zero')).status, 201)
    assert.deepEqual(await ready(), [200, undefined])

    await setStandby(database.url, 'ghost')
    for (const answer of await Promise.all(contents.map(put))) {
      assertError(answer, 503, 'storage_unavailable')
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    }
    assert.deepEqual(await ready(), [503, 'commits_overdue'])
    assert.match((await server.as(null)('GET', '/metrics')).text, /^colophon_commits_overdue [1-9]/m)
    assert.deepEqual(await stored(), ['zero'], 'reads go on, and show nothing that is not confirmed')

    await setStandby(database.url, '')
    await eventually('it is ready again', async () => (await ready())[0] === 200)
    for (const content of contents) {
      const answer = await put(content)
      assert.equal(answer.status, 201, answer.text)
    }
    assert.deepEqual(await stored(), [...contents, 'zero'].sort())

    await setStandby(database.url, 'ghost')
    assertError(await put('last'), 503, 'storage_unavailable')
    await server.stop()
  } finally {
    await setStandby(database.url, '')
    await database.stop()
  }
})
