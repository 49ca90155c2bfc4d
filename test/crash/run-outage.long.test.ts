import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { register, runsOf } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import type { Call } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { checkQuiet, checkStory } from './run-checks.ts'
import { openHost } from './run-host.ts'
import { seeThrough, storyWorkflows } from './run-story.ts'

// A database server of its own: here it is killed.
let postgres: PostgresServer | undefined
after(() => postgres?.stop())

const starters = 4
const startEveryMs = 50

/** Starts stories one after the other, also after errors; returns the response of each call. */
async function keepStarting(call: Call, name: string, signal: AbortSignal): Promise<number[]> {
  const answers: number[] = []
  while (!signal.aborted) {
    const inputs = { name: `${name}-${answers.length}` }
    const answer = call('POST', '/v1/runs', { workflowId: 'story', inputs })
    // A server that is down gives none, which is what the test is about.
    answers.push(
      await answer.then(
        ({ status }) => status,
        () => 0,
      ),
    )
    await pause(startEveryMs)
  }
  return answers
}

test('a server and its runs survive an outage of the database', { timeout: 180_000 }, async (t) => {
  postgres = await startPostgres({ fsync: 'off' })
  const folder = createFolder()
  const env = { COLOPHON_DATA_DIR: folder.file('data'), COLOPHON_DATABASE_URL: postgres.url }
  await using server = await startServerProcess({
    home: { dataDir: folder.file('data'), env, [Symbol.asyncDispose]: async () => folder.remove() },
  })
  const { call } = server
  for (const workflow of storyWorkflows) await register(call, workflow)
  const isReady = async () => (await call('GET', '/readyz')).status === 200
  const answers: number[] = []
  for (const round of [1, 2, 3]) {
    const over = new AbortController()
    const names = Array.from({ length: starters }, (_, index) => `${round}-${index}`)
    const starting = names.map((name) => keepStarting(call, name, over.signal))
    try {
      const known = (await runsOf(call)).length
      await eventually('runs are under way', async () => (await runsOf(call)).length > known + 8)
      postgres.kill()
      await eventually('the server has noticed', async () => !(await isReady()))
      await postgres.restart()
      await eventually('the server is back', isReady)
    } finally {
      over.abort()
    }
    answers.push(...(await Promise.all(starting)).flat())
  }
  const others = answers.filter((status) => status !== 201 && status !== 503)
  assert.deepEqual(others, [], 'a create is acknowledged or gets a retryable error')

  await using host = await openHost({ databaseUrl: postgres.url })
  const { engine } = host
  const all = await engine.storage.runs.list({
    tenantId: 'default',
    status: null,
    workflowId: 'story',
    after: null,
    limit: 1_000,
  })
  const acknowledged = answers.filter((status) => status === 201).length
  t.diagnostic(`${all.length} runs, ${acknowledged} of them acknowledged`)
  assert.ok(all.length >= acknowledged)
  const runIds = all.map(({ runId }) => runId)
  await seeThrough(engine.tenant('default'), runIds)
  for (const runId of runIds) await checkStory(engine.tenant('default'), runId)
  await checkQuiet(engine.tenant('default'))
  assert.equal((await call('GET', '/healthz')).status, 200)
})
