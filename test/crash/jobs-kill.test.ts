import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '../../src/core/limits.ts'
import { type Colophon, type OpenOptions, openColophon } from '../../src/open.ts'
import { type Child, endChildren, eventually, startChild } from '../support/child.ts'
import { createDatabase, releaseServer, type TestDatabase } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'
import { memoryRef, type WorkerMessage, type WorkerOptions } from './messages.ts'

const tenant = 'acme'
const kills = isThorough ? 6 : 2
const jobsPerKill = 10
const workMs = 40
const deadline = { timeout: 60_000 }
const stallDeadline = { timeout: 30_000 }
// A job that is lost this often becomes a dead letter; the test must stay below it.
assert.ok(kills < limits.jobLostLeasesMax)

function startWorker(open: OpenOptions, options: Omit<WorkerOptions, 'open'> = { concurrency: 4, workMs }) {
  return startChild<WorkerMessage>(new URL('./worker-program.ts', import.meta.url), { open, ...options })
}

after(endChildren)

const isStarted = ({ kind }: WorkerMessage) => kind === 'started'

/** Kills one of the workers again and again in the middle of its work, then lets the last ones finish. */
async function workWithKills(open: OpenOptions, processes: number): Promise<void> {
  await using colophon = await openColophon(open)
  const workers = Array.from({ length: processes }, () => startWorker(open))
  for (let kill = 0; kill < kills; kill++) {
    for (let number = 0; number < jobsPerKill; number++) await colophon.jobs(tenant).enqueue({ kind: 'note' })
    const victim = workers.shift()
    assert.ok(victim)
    // The other process may be faster and leave it nothing.
    await eventually(
      'the worker is at work, or nothing is left',
      async () => isAtWork(victim) || (await countJobs(colophon)).waiting === 0,
    )
    // Not always at the same moment: some of its jobs are just being committed.
    await delay(Math.random() * workMs)
    victim.kill('SIGKILL')
    assert.equal((await victim.ended).signal, 'SIGKILL')
    workers.push(startWorker(open))
  }
  await eventually('no job is waiting', async () => (await countJobs(colophon)).waiting === 0)
  for (const { code, stderr } of await Promise.all(workers.map((worker) => worker.stop())))
    assert.equal(code, 0, stderr)
  const jobs = await colophon.jobs(tenant).list({ limit: 500 })
  assert.ok(
    jobs.some((job) => job.lostLeases > 0),
    'no worker was killed at work, so this proved nothing',
  )
  await checkEffects(colophon, kills * jobsPerKill)
}

function isAtWork({ messages }: Child<WorkerMessage>): boolean {
  return messages.filter(isStarted).length * 2 > messages.length
}

/** A worker that was suspended longer than its lease still tries to write when it resumes: another one has done the job. */
async function workWithStall(open: OpenOptions): Promise<void> {
  await using colophon = await openColophon(open)
  const jobs = colophon.jobs(tenant)
  const sleeper = startWorker(open, { concurrency: 1 })
  const jobId = await jobs.enqueue({ kind: 'note' })
  await sleeper.until(1, isStarted)
  sleeper.kill('SIGSTOP')
  const helper = startWorker(open)
  await eventually('another worker has done the job', async () => (await jobs.get(jobId))?.status === 'completed')
  sleeper.kill('SIGCONT')
  await sleeper.until(1, ({ kind }) => kind !== 'started')
  assert.deepEqual(sleeper.messages.at(-1), { kind: 'refused', jobId, code: 'job_lease_lost' })
  await Promise.all([sleeper.stop(), helper.stop()])
  await checkEffects(colophon, 1)
}

async function countJobs(colophon: Colophon) {
  const count = async (status: 'queued' | 'leased' | 'dead' | 'completed') =>
    (await colophon.jobs(tenant).list({ status, limit: 500 })).length
  const [queued, leased] = [await count('queued'), await count('leased')]
  return { waiting: queued + leased, dead: await count('dead'), completed: await count('completed') }
}

async function checkEffects(colophon: Colophon, expected: number): Promise<void> {
  assert.deepEqual(await countJobs(colophon), { waiting: 0, dead: 0, completed: expected })
  const done = await colophon.jobs(tenant).list({ limit: 500 })
  const { entries } = await colophon.memory(tenant).list(memoryRef, { limit: 500 })
  assert.deepEqual(entries.map(({ content }) => content).sort(), done.map(({ jobId }) => jobId).sort())
  assert.equal((await colophon.memory(tenant).verify({ contents: true })).ok, true)
}

describe('jobs on SQLite', () => {
  const folder = createFolder()
  after(() => folder.remove())

  test('each takes effect once, however often its worker is killed', deadline, () =>
    workWithKills({ path: folder.file('one.db') }, 1),
  )
  test('each takes effect once when two processes share the file', deadline, () =>
    workWithKills({ path: folder.file('two.db') }, 2),
  )
  test('a worker that lost its lease while its process was suspended stores nothing', stallDeadline, () =>
    workWithStall({ path: folder.file('stall.db') }),
  )
})

describe('jobs on PostgreSQL', () => {
  let database: TestDatabase
  let other: TestDatabase
  before(async () => {
    database = await createDatabase()
    other = await createDatabase()
  })
  after(async () => {
    await database.drop()
    await other.drop()
    await releaseServer()
  })

  test('each takes effect once when two processes race and are killed', deadline, () =>
    workWithKills({ databaseUrl: database.url }, 2),
  )
  test('a worker that lost its lease while its process was suspended stores nothing', stallDeadline, () =>
    workWithStall({ databaseUrl: other.url }),
  )
})
