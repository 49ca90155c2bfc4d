import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, putChain, startRun, tenantId, type UseCaseWorld } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { put } from '../app/entries/put.ts'
import { get } from '../app/entries/read.ts'
import { putRule } from '../app/redaction/rules.ts'
import { createRun } from '../app/runs/create-run.ts'
import { isHostJob } from '../core/jobs/host-job.ts'
import type { Job } from '../core/jobs/job.ts'
import {
  builtInHandlers,
  deliveryHandlers,
  embedHandlers,
  endRunOfDeadLetter,
  hostHandlers,
  ingestHandlers,
} from './built-in.ts'
import type { RunningJob } from './job-handler.ts'
import { schedulableKinds } from './schedulable-kinds.ts'

const runOf = async ({ engine }: UseCaseWorld, runId: string) => engine.storage.runs.get(tenantId, runId)
const jobOf = (kind: string, payload: unknown) => ({ jobId: 'job_1', kind, payload }) as Job

function runningJob(payload: unknown): RunningJob {
  return {
    tenantId,
    jobId: 'job_1',
    kind: 'colophon.re-redact',
    payload,
    attempt: 1,
    signal: new AbortController().signal,
    lease: { jobId: 'job_1', leaseToken: 'token', spent: false },
    progress() {},
  }
}

test('every kind that may be scheduled has a handler', async () => {
  await using world = openUseCases(openInMemoryStore)
  const kinds = Object.keys(builtInHandlers(world.engine))
  assert.deepEqual(
    schedulableKinds.filter((kind) => !kinds.includes(kind)),
    [],
  )
})

test('each kind of job of the host belongs to one group of workers', async () => {
  await using world = openUseCases(openInMemoryStore)
  const groups = [
    hostHandlers(world.engine),
    ingestHandlers(world.engine),
    embedHandlers(world.engine),
    deliveryHandlers(world.engine),
  ]
  const kinds = groups.flatMap((group) => Object.keys(group))
  assert.equal(new Set(kinds).size, kinds.length)
  assert.deepEqual(
    kinds.filter((kind) => !isHostJob(kind)),
    [],
  )
})

test('the built-in handlers are all but the deliveries', async () => {
  await using world = openUseCases(openInMemoryStore)
  const kinds = Object.keys(builtInHandlers(world.engine))
  assert.ok(!kinds.includes('colophon.webhook'))
  for (const kind of ['colophon.run', 'colophon.ingest', 'colophon.forget', 'colophon.embed', 'colophon.compact'])
    assert.ok(kinds.includes(kind), kind)
})

test('a run whose job becomes a dead letter fails', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putChain(world, 'wait', [{ id: 'a', typeId: 'core.delay', config: { ms: 1_000 } }])
  const { run } = await createRun(world.tenant, { workflowId: 'wait' })
  await endRunOfDeadLetter(world.tenant, jobOf('colophon.run', { runId: run.runId }))
  const ended = await runOf(world, run.runId)
  assert.deepEqual([ended?.status, ended?.text.error?.code], ['failed', 'engine_gave_up'])
  await endRunOfDeadLetter(world.tenant, jobOf('colophon.run', { runId: run.runId }))
  assert.equal((await runOf(world, run.runId))?.revision, ended?.revision, 'a second call changes nothing')
})

test('a run that has completed stays completed when its job becomes a dead letter', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putChain(world, 'short', [{ id: 'a', typeId: 'core.noop' }])
  const run = await startRun(world, { workflowId: 'short' })
  assert.equal(run.status, 'completed')
  await endRunOfDeadLetter(world.tenant, jobOf('colophon.run', { runId: run.runId }))
  assert.deepEqual(await runOf(world, run.runId), run)
})

test('a job of another kind ends no run, even if its payload names one', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putChain(world, 'wait', [{ id: 'a', typeId: 'core.delay', config: { ms: 1_000 } }])
  const { run } = await createRun(world.tenant, { workflowId: 'wait' })
  for (const kind of ['colophon.webhook', 'colophon.runs', 'mail'])
    await endRunOfDeadLetter(world.tenant, jobOf(kind, { runId: run.runId }))
  assert.equal((await runOf(world, run.runId))?.status, run.status)
})

test('re-redaction rewrites nothing in a dry run, and only true asks for one', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await put(world.tenant, 'notes', { content: 'see TCK-123456' })
  await putRule(world.tenant, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  const contentAfter = async (payload: unknown) => {
    await hostHandlers(world.engine)['colophon.re-redact']?.(runningJob(payload))
    return (await get(world.tenant, 'notes', id))?.content
  }
  assert.equal(await contentAfter({ dryRun: true }), 'see TCK-123456')
  assert.equal(await contentAfter({ dryRun: 'true' }), 'see [REDACTED:ticket]')
})
