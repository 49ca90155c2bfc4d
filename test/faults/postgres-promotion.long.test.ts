import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openColophon } from '../../src/index.ts'
import { eventually } from '../support/child.ts'
import { run } from '../support/databases.ts'
import { startPostgres } from '../support/postgres-server.ts'

test('after the promotion of a synchronous standby under load the same instance writes there, and nothing acknowledged is lost', async (t) => {
  const primary = await startPostgres({ fsync: 'off' })
  const standby = await primary.startStandby('second')
  try {
    await run(primary.url, `alter system set synchronous_standby_names = 'second'`)
    await run(primary.url, 'select pg_reload_conf()')
    await eventually('the standby is synchronous', async () => {
      const [row] = await run(primary.url, 'select sync_state from pg_stat_replication')
      return row?.sync_state === 'sync'
    })
    const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(',')
    const databaseUrl = primary.url.replace(new URL(primary.url).host, hosts)
    await using colophon = await openColophon({ databaseUrl: `${databaseUrl}?target_session_attrs=read-write` })
    const memory = colophon.memory('acme')
    const acknowledged: string[] = []
    let isOver = false
    const write = async (writer: number) => {
      for (let n = 0; !isOver; n++) {
        const content = `${writer}-${n}`
        const put = () => memory.put('notes', { content }, { idempotencyKey: content })
        while (
          !isOver &&
          !(await put().then(
            () => acknowledged.push(content),
            (error: { retryable?: boolean }) => assert.ok(error.retryable, String(error)),
          ))
        )
          await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const writing = Promise.all([0, 1, 2, 3].map(write))
    await eventually('writes are acknowledged', async () => acknowledged.length > 200)
    primary.kill()
    await run(standby.url, 'select pg_promote()')
    const before = acknowledged.length
    await eventually('writes are acknowledged by the new primary', async () => acknowledged.length > before + 200)
    isOver = true
    await writing
    const stored = (await run(standby.url, 'select content from entry_version')).map(({ content }) => content as string)
    assert.equal(new Set(stored).size, stored.length, 'nothing is stored twice')
    const kept = new Set(stored)
    assert.deepEqual(
      acknowledged.filter((content) => !kept.has(content)),
      [],
    )
    assert.equal((await memory.verify({ contents: true })).ok, true)
    t.diagnostic(`${acknowledged.length} acknowledged, ${before} of them before the promotion`)
  } finally {
    await standby.stop()
    await primary.stop()
  }
})
