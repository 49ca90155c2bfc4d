import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { OpenOptions } from '../../src/open.ts'
import { chain, ended, eventsOf, put, register, snapshotOf, startRun } from '../server/runs-calls.ts'
import { endChildren, eventually, startChild } from '../support/child.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { createHome } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'
import { checkCompleted, checkQuiet, checkStory, everythingOf } from './run-checks.ts'
import { openHost } from './run-host.ts'
import type { RunWorkerMessage, RunWorkerOptions } from './run-messages.ts'
import { registerStory, seeThrough, startStory } from './run-story.ts'

after(endChildren)
after(releaseServer)

const tenantId = 'acme'
const program = new URL('./run-worker-program.ts', import.meta.url)

/** A process is suspended in the middle of a run, longer than its lease; when it resumes, the run has ended long ago. */
async function standStillAt(commit: number, open: OpenOptions): Promise<void> {
  await using host = await openHost(open)
  const { engine } = host
  await registerStory(engine.tenant(tenantId))
  const runId = await startStory(engine.tenant(tenantId), 'one')
  const options: RunWorkerOptions = { open, stopBeforeCommit: commit, concurrency: 1 }
  const sleeper = startChild<RunWorkerMessage>(program, options)
  const isAsleep = () => sleeper.messages.some(({ kind }) => kind === 'stopped')
  await seeThrough(engine.tenant(tenantId), [runId], isAsleep)
  assert.ok(isAsleep(), `the run was over before commit ${commit}`)
  const worker = host.startWorker()
  await seeThrough(engine.tenant(tenantId), [runId])
  await checkStory(engine.tenant(tenantId), runId)
  await worker.stop()

  const before = await everythingOf(engine.tenant(tenantId))
  sleeper.kill('SIGCONT')
  await sleeper.until(1, ({ kind }) => kind === 'stored' || kind === 'refused')
  const outcome = sleeper.messages.at(-1)
  assert.equal(outcome?.kind, 'refused')
  // A step that revises an entry is refused for its version before the lease is looked at; the worker then finds the lease lost.
  assert.match(outcome.code, /^(job_lease_lost|run_changed|version_conflict)$/)
  const { code, stderr } = await sleeper.stop()
  assert.equal(code, 0, stderr)
  assert.deepEqual(await everythingOf(engine.tenant(tenantId)), before)
  await checkQuiet(engine.tenant(tenantId))
}

const commits = { sqlite: isThorough ? [1, 2, 4] : [1, 4], postgres: isThorough ? [1, 2, 4] : [2] }

describe('a process that was suspended while another process ended its run changes nothing', () => {
  test('on SQLite', async () => {
    const folder = createFolder()
    for (const commit of commits.sqlite) await standStillAt(commit, { path: folder.file(`${commit}.db`) })
    folder.remove()
  })
  test('on PostgreSQL', async () => {
    for (const commit of commits.postgres) {
      const database = await createDatabase()
      await standStillAt(commit, { databaseUrl: database.url })
      await database.drop()
    }
  })
})

const steps = 300
/** Each node is a commit, all of them in one run execution: the server holds one lease from the first to the last. */
const manyCommits = chain(
  'many-commits',
  Array.from({ length: steps }, (_, index) => {
    const node = put(`put-${index}`, `step ${index}`)
    return { ...node, config: { ...node.config, into: 'last' } }
  }),
)

test('a server that lost its lease to another leaves the run alone, and continues it when it has the lease again', async () => {
  await using home = await createHome('postgres')
  await using server = await startServerProcess({ home })
  const { call } = server
  const url = home.env.COLOPHON_DATABASE_URL ?? ''
  await register(call, manyCommits)
  const runId = await startRun(call, 'many-commits')
  await eventually('the server is in the middle of the run', async () => (await eventsOf(call, runId)).length > 20)
  const stolen = `update job set lease_token = 'stolen', worker = 'thief', due_at = $1 where status = 'leased'`
  await run(url, stolen, [Date.now() + 600_000])
  const before = await eventsOf(call, runId)
  assert.equal((await snapshotOf(call, runId)).status, 'running', 'the run was over too soon: this proved nothing')
  // A longer wait can only hide a failure, never cause one.
  await delay(1_500)
  assert.deepEqual(await eventsOf(call, runId), before)

  await run(url, 'update job set due_at = 0')
  await run(url, 'update job_ready set due_at = 0')
  assert.equal((await ended(call, runId)).status, 'completed')
  const events = await eventsOf(call, runId)
  assert.deepEqual(events.slice(0, before.length), before)
  await using host = await openHost({ databaseUrl: url })
  await checkCompleted(host.engine.tenant('default'), runId)
  await checkQuiet(host.engine.tenant('default'))
})
