import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createRun } from '../../src/app/runs/create-run.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import { limits } from '../../src/core/limits.ts'
import type { OpenOptions } from '../../src/open.ts'
import { chain, noop } from '../server/runs-calls.ts'
import { endChildren, eventually, startChild } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { openHost, type RunHost } from './run-host.ts'
import type { RunWorkerMessage, RunWorkerOptions } from './run-messages.ts'

after(endChildren)
after(releaseServer)

const tenantId = 'acme'
const program = new URL('./run-worker-program.ts', import.meta.url)

/** A run whose job has cost all but one of the workers that it may cost; the next to take it gives it up. */
async function makeHopeless({ engine }: RunHost) {
  const { storage, system } = engine
  await putWorkflow(engine.tenant(tenantId), chain('w', [noop()]))
  const { run } = await createRun(engine.tenant(tenantId), { workflowId: 'w' })
  const { jobId } = run.facts
  const lost = { status: 'leased', lostLeases: limits.jobLostLeasesMax - 1, leaseToken: 'gone' } as const
  await storage.jobs.update(tenantId, jobId, (job) => ({ ...job, ...lost, worker: 'gone', dueAt: system.now() - 1 }))
  return { runId: run.runId, jobId }
}

/** The process that gives it up is killed right after its nth write: taking the job, then ending the run. */
async function dieAfter(write: number, open: OpenOptions): Promise<void> {
  await using host = await openHost(open)
  const { storage } = host.engine
  const { runId, jobId } = await makeHopeless(host)
  const options: RunWorkerOptions = { open, killAfterWrite: write, concurrency: 1 }
  const { signal, stderr } = await startChild<RunWorkerMessage>(program, options).ended
  assert.equal(signal, 'SIGKILL', stderr)
  const job = async () => storage.jobs.get(tenantId, jobId)
  assert.equal((await job())?.status, 'leased', 'whoever comes next finds the job')

  host.startWorker()
  await eventually('the job is given up', async () => (await job())?.status === 'dead')
  assert.equal((await job())?.error?.code, 'poisoned')
  const run = await storage.runs.get(tenantId, runId)
  assert.deepEqual([run?.status, run?.text.error?.code], ['failed', 'engine_gave_up'])
  const events = await storage.runs.events({ tenantId, runId, from: 0, limit: 100 })
  assert.equal(events.filter(({ type }) => type === 'run.failed').length, 1)
}

describe('a run that is given up ends, wherever the process that does it is killed', () => {
  for (const write of [1, 2]) {
    test(`after write ${write}, on SQLite`, async () => {
      const folder = createFolder()
      await dieAfter(write, { path: folder.file('x.db') })
      folder.remove()
    })
    test(`after write ${write}, on PostgreSQL`, async () => {
      const database = await createDatabase()
      await dieAfter(write, { databaseUrl: database.url })
      await database.drop()
    })
  }
})
