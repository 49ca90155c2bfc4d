import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { chain, delay, ended, host, keyed, put, register, startRun } from '../server/runs-calls.ts'
import { createEmptyDatabase, releaseServer, run } from '../support/databases.ts'
import { pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.ts'
import { createHome, randomKey } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { openChanges } from '../support/sse.ts'

after(releaseServer)

const absent =
  pgbouncerVersion === null && 'POOLER NOT TESTED: pgbouncer is not installed (Debian: apt install pgbouncer)'
const entries = `${host}/memory/notes/entries`
const visit = chain('visit', [put('before', 'before'), delay(), put('behind', 'behind')])

// Fewer connections to the server than the two processes have to the pooler, so that transactions change connections.
test(`two servers through pgbouncer ${pgbouncerVersion} in transaction mode`, {
  skip: absent,
  timeout: 120_000,
}, async () => {
  await using home = await createHome('postgres', createEmptyDatabase)
  const databaseUrl = home.env.COLOPHON_DATABASE_URL ?? ''
  await using pooler = await startPgbouncer(databaseUrl, { default_pool_size: '2' })
  const throughPooler = {
    ...home,
    env: { ...home.env, COLOPHON_DATABASE_URL: pooler.urlOf(databaseUrl), COLOPHON_DATABASE_POOLER: 'transaction' },
  }
  const env = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_OPERATOR_KEY: randomKey() }
  const pair = { home: throughPooler, env }
  // Together, so that they also race for the schema through it.
  const servers = await Promise.all([startServerProcess(pair), startServerProcess(pair)])
  await using left = servers[0]
  await using right = servers[1]
  const { key, call } = await left.tenant()
  const there = right.as(key)
  await register(call, visit)

  await using stream = await openChanges(right.url, key, { after: 0 })
  const puts = Array.from({ length: 60 }, (_, n) => {
    const send = n % 2 ? call : there
    return [1, 2].map(() => send('POST', entries, { content: `note ${n}` }, keyed(`note-${n}`)))
  })
  for (const { status, text } of await Promise.all(puts.flat())) assert.equal(status, 201, text)
  const runs = await Promise.all(Array.from({ length: 8 }, () => startRun(call, 'visit', { inputs: { ms: 10 } })))
  for (const runId of runs) assert.equal((await ended(there, runId)).status, 'completed')
  await stream.until(
    'everything was sent',
    (events) => events.flatMap(({ data }) => data.entryIds ?? []).length >= 60 + 16,
  )
  // An export keeps one transaction open while it is read.
  const exported = await there('GET', `${host}/export`)
  assert.equal(exported.status, 200, exported.text)
  assert.equal((await there('GET', '/v1/audit/verify')).body.chainValid, true)
  const listed = (await there('GET', `${entries}?limit=500`)).body.entries
  assert.equal(listed.length, 60 + 16)
  const sessions = await run(
    databaseUrl,
    `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  assert.ok(sessions.length <= 2, `${sessions.length} sessions`)
  const leftBehind = await run(pooler.urlOf(databaseUrl), 'show statement_timeout')
  assert.deepEqual(leftBehind, [{ statement_timeout: '0' }], 'limits end with their transaction')
})
