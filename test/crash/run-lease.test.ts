import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Engine } from '../../src/app/engine.ts'
import { createRun } from '../../src/app/runs/create-run.ts'
import { executeRun } from '../../src/app/runs/execute-run.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import { acquireLease, type JobLease } from '../../src/core/jobs/job.ts'
import type { OpenOptions } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { chain, gate, noop, put } from '../server/runs-calls.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { leaseMs } from './messages.ts'
import { allRuns, checkCompleted, checkQuiet, everythingOf } from './run-checks.ts'
import { openHost } from './run-host.ts'
import { answerGate, seeThrough } from './run-story.ts'

after(releaseServer)

const into = (node: ReturnType<typeof put>, name: string) => ({ ...node, config: { ...node.config, into: name } })
const onNotes = (id: string, op: string, config: object = {}) => ({
  id,
  typeId: `colophon.memory.${op}`,
  config: { memoryRef: 'notes', ...config },
})

const child = chain('child', [into(put('inner', 'inside'), 'inner'), noop('inner-end')])
/** Its commits are of every kind: in the middle of a run execution, suspending, starting a child, ending. */
const parent = chain('parent', [
  into(put('first', 'first'), 'first'),
  put('second', 'second'),
  onNotes('look', 'list'),
  onNotes('drop', 'delete', { id: '{{variables.first.id}}' }),
  into(put('third', 'third'), 'third'),
  { id: 'inside', typeId: 'core.subWorkflow', config: { workflowId: 'child' } },
  put('fourth', 'fourth'),
  gate(),
  put('last', 'last'),
])

/** Holds one decided commit of a run back, until the test releases it. */
function holdCommit(number: number) {
  const held = Promise.withResolvers<'held'>()
  const letGo = Promise.withResolvers<void>()
  let commits = 0
  const wrap = (storage: Storage): Storage => ({
    ...storage,
    async commit(batch) {
      commits += batch.runs.length > 0 ? 1 : 0
      if (batch.runs.length > 0 && commits === number) {
        held.resolve('held')
        await letGo.promise
      }
      return storage.commit(batch)
    },
  })
  return { wrap, held: held.promise, letGo: letGo.resolve }
}

type Taken = { readonly runId: string; readonly lease: JobLease }

/** Leases the job that is due, as a worker does, but does not run it. */
async function takeUp({ storage, system }: Engine, tenantId: string): Promise<Taken | null> {
  const now = system.now()
  const lease = { leaseToken: system.newId('lease'), worker: 'test', leaseUntil: now + leaseMs }
  const change = (job: Parameters<typeof acquireLease>[0]) => acquireLease(job, lease, now)
  for (;;) {
    const claim = await storage.jobs.claim({ now, kinds: ['colophon.run'], limit: 1, change })
    if (claim === null) return null
    const [job] = claim.jobs
    // A tenant may have been announced too early.
    if (job === undefined) continue
    assert.equal(claim.tenantId, tenantId)
    const { runId } = job.payload as { runId: string }
    return { runId, lease: { jobId: job.jobId, leaseToken: lease.leaseToken, spent: false } }
  }
}

async function drive(tenant: Tenant, { runId, lease }: Taken): Promise<void> {
  await executeRun(tenant, runId, { lease, signal: new AbortController().signal })
}

/** One run execution after the other, until no job is due and no interrupt is open; another client answers. */
async function driveAll(tenant: Tenant, answerer: Engine): Promise<'done'> {
  for (;;) {
    const taken = await takeUp(tenant.engine, tenant.id)
    const [asking] = (await allRuns(tenant)).filter(({ status }) => status === 'waiting-approval')
    if (taken) await drive(tenant, taken)
    else if (asking) await answerGate(answerer.tenant(tenant.id), asking.runId)
    else return 'done'
  }
}

/**
 * A worker has decided its nth commit when another takes the run up, and has stored nothing of it yet. From then on the
 * first one must not store anything; the second brings the run to its end. False when there is no nth commit.
 */
async function loseLeaseBefore(number: number, open: OpenOptions, tenantId: string): Promise<boolean> {
  const clock = { now: Date.now() }
  const { wrap, held, letGo } = holdCommit(number)
  await using slow = await openHost(open, { now: () => clock.now, wrap })
  await using other = await openHost(open, { now: () => clock.now })
  for (const workflow of [child, parent]) await putWorkflow(other.engine.tenant(tenantId), workflow)
  const { run } = await createRun(other.engine.tenant(tenantId), { workflowId: 'parent' })
  const driving = driveAll(slow.engine.tenant(tenantId), other.engine)
  if ((await Promise.race([held, driving])) === 'done') return false

  clock.now += leaseMs
  const taken = await takeUp(other.engine, tenantId)
  assert.ok(taken, 'the lease that ran out was not taken up')
  const before = await everythingOf(other.engine.tenant(tenantId))
  letGo()
  await assert.rejects(driving, { code: 'job_lease_lost' }, `commit ${number} was stored without a lease`)
  assert.deepEqual(await everythingOf(other.engine.tenant(tenantId)), before)

  await drive(other.engine.tenant(tenantId), taken)
  other.startWorker()
  await seeThrough(other.engine.tenant(tenantId), [run.runId])
  const { facts } = await checkCompleted(other.engine.tenant(tenantId), run.runId)
  await checkCompleted(other.engine.tenant(tenantId), facts.nodes.inside?.childRunId ?? '')
  await checkQuiet(other.engine.tenant(tenantId))
  return true
}

async function sweep(open: OpenOptions): Promise<void> {
  let number = 1
  while (await loseLeaseBefore(number, open, `tenant-${number}`)) number += 1
  assert.ok(number > 8, `only ${number} commits were tried`)
}

describe('a worker whose run was leased to another worker stores nothing more, with any kind of commit', () => {
  test('on SQLite', async () => {
    const folder = createFolder()
    await sweep({ path: folder.file('lease.db') })
    folder.remove()
  })
  test('on PostgreSQL', async () => {
    const database = await createDatabase()
    await sweep({ databaseUrl: database.url })
    await database.drop()
  })
})
