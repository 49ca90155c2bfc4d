import assert from 'node:assert/strict'
import { auditRowsBetween, heartbeatChangesOf } from '../../src/app/changes/change-stream.ts'
import type { Engine } from '../../src/app/engine.ts'
import { listHeartbeats } from '../../src/app/heartbeats/heartbeat-view.ts'
import { createHeartbeat } from '../../src/app/heartbeats/manage-heartbeats.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import { chain, noop } from '../server/runs-calls.ts'
import { type OnceWork, runsOf } from './work-with-kill.ts'

const tenantId = 'acme'

/** Registers heartbeats whose first tick is due now. No worker runs yet. */
async function prepare(engine: Engine, count: number): Promise<void> {
  const tenant = engine.tenant(tenantId)
  await putWorkflow(tenant, chain('greet', [noop()]))
  const draft = { predicate: 'count', memoryRef: 'inbox', intervalSec: 86_400, workflowId: 'greet' } as const
  for (let n = 0; n < count; n++) await createHeartbeat(tenant, draft, {})
}

/** Whether every heartbeat has ticked and every run has ended. */
async function isDone(engine: Engine, count: number): Promise<boolean> {
  const found = await listHeartbeats(engine.tenant(tenantId))
  // The next tick is known once its job is put aside: a job whose process was killed is still leased.
  const ticked = found.filter(({ status, nextTickAt }) => status !== undefined && nextTickAt !== undefined)
  const runs = await runsOf(engine, tenantId)
  return ticked.length === count && runs.length >= count && runs.every(({ status }) => status === 'completed')
}

/** Each heartbeat has one tick, one change and one run. */
async function checkOnce(engine: Engine, count: number): Promise<void> {
  const tenant = engine.tenant(tenantId)
  const found = await listHeartbeats(tenant)
  const seen: string[] = []
  const { position } = await tenant.auditHead()
  for await (const row of auditRowsBetween(tenant, 0, position))
    for (const { kind, payload } of await heartbeatChangesOf(tenant, row)) seen.push(`${payload.heartbeatId} ${kind}`)
  const expected = found.flatMap(({ id }) => [`${id} heartbeat.evaluated`, `${id} heartbeat.stateChanged`])
  assert.deepEqual(seen.toSorted(), expected.toSorted())
  const runIds = (await runsOf(engine, tenantId)).map(({ runId }) => runId)
  assert.deepEqual(runIds.toSorted(), found.map(({ runId }) => runId).toSorted())
  assert.equal(found.length, count)
  assert.equal((await tenant.verify({ contents: true })).ok, true)
}

export const heartbeats: OnceWork = { prepare, isDone, checkOnce }
