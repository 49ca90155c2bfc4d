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

/** A run whose job was lost one time less than allowed; the next worker that leases it makes it a dead letter. */
async function makeExhausted({ engine }: RunHost) {
  const { storage, system } = engine
  await putWorkflow(engine.tenant(tenantId), chain('w', [noop()]))
  const { run } = await createRun(engine.tenant(tenantId), { workflowId: 'w' })
  const { jobId } = run.facts
  const lost = { status: 'leased', lostLeases: limits.jobLostLeasesMax - 1, leaseToken: 'gone' } as const
  await storage.jobs.update(tenantId, jobId, (job) => ({ ...job, ...lost, worker: 'gone', dueAt: system.now() - 1 }))
  return { runId: run.runId, jobId }
}

/** The process that makes it a dead letter is killed right after its nth write: leasing the job, then ending the run. */
async function dieAfter(write: number, open: OpenOptions): Promise<void> {
  await using host = await openHost(open)
  const { storage } = host.engine
  const { runId, jobId } = await makeExhausted(host)
  const options: RunWorkerOptions = { open, killAfterWrite: write, concurrency: 1 }
  const { signal, stderr } = await startChild<RunWorkerMessage>(program, options).ended
  assert.equal(signal, 'SIGKILL', stderr)
  const job = async () => storage.jobs.get(tenantId, jobId)
  assert.equal((await job())?.status, 'leased', 'the next worker finds the job')

  host.startWorker()
  await eventually('the job is given up', async () => (await job())?.status === 'dead')
  assert.equal((await job())?.error?.code, 'poisoned')
  const run = await storage.runs.get(tenantId, runId)
  assert.deepEqual([run?.status, run?.text.error?.code], ['failed', 'engine_gave_up'])
  const events = await storage.runs.events({ tenantId, runId, from: 0, limit: 100 })
  assert.equal(events.filter(({ type }) => type === 'run.failed').length, 1)
}

describe('a run whose job is a dead letter ends, wherever the process that ends it is killed', () => {
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
