import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../test/contract/suite/assert-code.ts'
import { openUseCases } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { runJobKind } from '../app/runs/new-run.ts'
import { cancelUnlessRun, getJob, listJobs, requestRedaction } from './manage-jobs.ts'
import { jobsOf } from './queue.ts'

test('the job of a run cannot be cancelled alone, other jobs can', async () => {
  await using world = openUseCases(openInMemoryStore)
  const driver = await jobsOf(world.tenant).enqueue({ kind: runJobKind })
  const mail = await jobsOf(world.tenant).enqueue({ kind: 'mail' })
  await rejectsWith('job_state', cancelUnlessRun(world.tenant, driver))
  assert.equal((await getJob(world.tenant, driver)).status, 'queued')
  assert.equal((await cancelUnlessRun(world.tenant, mail)).status, 'cancelled')
  await rejectsWith('job_not_found', cancelUnlessRun(world.tenant, 'job_unknown'))
  await rejectsWith('job_not_found', getJob(world.engine.tenant('other'), mail))
})

test('jobs are listed newest first, by status, up to the limit', async () => {
  await using world = openUseCases(openInMemoryStore)
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.unshift(await jobsOf(world.tenant).enqueue({ kind: 'mail' }))
  await cancelUnlessRun(world.tenant, ids[1] ?? '')
  const list = async (query: Partial<Parameters<typeof listJobs>[1]>) =>
    (await listJobs(world.tenant, { status: null, after: null, limit: 501, ...query })).map(({ jobId }) => jobId)
  assert.deepEqual(await list({}), ids)
  assert.deepEqual(await list({ after: ids[0] ?? '', limit: 1 }), [ids[1]])
  assert.deepEqual(await list({ status: 'cancelled' }), [ids[1]])
})

test('a re-redaction pass is a job, and a repeat with its idempotency key is the same job', async () => {
  await using world = openUseCases(openInMemoryStore)
  const first = await requestRedaction(world.tenant, true, { idempotencyKey: 'once' })
  const second = await requestRedaction(world.tenant, true, { idempotencyKey: 'once' })
  assert.deepEqual([second.jobId, first.repeated, second.repeated], [first.jobId, false, true])
  assert.deepEqual((await getJob(world.tenant, first.jobId)).payload, { dryRun: true, actor: 'test' })
})
