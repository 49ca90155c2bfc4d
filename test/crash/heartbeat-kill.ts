import assert from 'node:assert/strict'
import { auditRowsBetween, heartbeatChangesOf } from '../../src/app/changes/change-stream.ts'
import type { Engine } from '../../src/app/engine.ts'
import { createHeartbeat, listHeartbeats } from '../../src/app/heartbeats/manage-heartbeats.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import type { OpenOptions } from '../../src/open.ts'
import { chain, noop } from '../server/runs-calls.ts'
import { eventually, startChild } from '../support/child.ts'
import type { CompactWorkerOptions } from './compact-kill.ts'
import { openHost } from './run-host.ts'

const tenantId = 'acme'
const program = new URL('./compact-worker-program.ts', import.meta.url)

/** Registers heartbeats whose first tick is due now. No worker runs yet. */
async function prepare(engine: Engine, count: number): Promise<void> {
  const tenant = engine.tenant(tenantId)
  await putWorkflow(tenant, chain('greet', [noop()]))
  const draft = { predicate: 'count', memoryRef: 'inbox', intervalSec: 86_400, workflowId: 'greet' } as const
  for (let n = 0; n < count; n++) await createHeartbeat(tenant, draft, {})
}

const runsOf = ({ storage }: Engine) =>
  storage.runs.list({ tenantId, status: null, workflowId: null, after: null, limit: 500 })

/** Whether every heartbeat has ticked and every run has ended. */
async function isDone(engine: Engine, count: number): Promise<boolean> {
  const found = await listHeartbeats(engine.tenant(tenantId))
  // The next tick is known once its job is put aside: a job whose process was killed is still leased.
  const ticked = found.filter(({ status, nextTickAt }) => status !== undefined && nextTickAt !== undefined)
  const runs = await runsOf(engine)
  return ticked.length === count && runs.length >= count && runs.every(({ status }) => status === 'completed')
}

/** Each heartbeat has one tick, one change and one run. */
async function checkOnce(engine: Engine, count: number): Promise<void> {
  const tenant = engine.tenant(tenantId)
  const found = await listHeartbeats(tenant)
  const told: string[] = []
  const { position } = await tenant.auditHead()
  for await (const row of auditRowsBetween(tenant, 0, position))
    for (const { kind, payload } of await heartbeatChangesOf(tenant, row)) told.push(`${payload.heartbeatId} ${kind}`)
  const expected = found.flatMap(({ id }) => [`${id} heartbeat.evaluated`, `${id} heartbeat.stateChanged`])
  assert.deepEqual(told.toSorted(), expected.toSorted())
  const runIds = (await runsOf(engine)).map(({ runId }) => runId)
  assert.deepEqual(runIds.toSorted(), found.map(({ runId }) => runId).toSorted())
  assert.equal(found.length, count)
  assert.equal((await tenant.verify({ contents: true })).ok, true)
}

/** A process that is killed at its nth write ticks; another one goes on. False when it made fewer writes. */
export async function tickWithKill(killAt: number, moment: 'before' | 'after', open: OpenOptions): Promise<boolean> {
  await using host = await openHost(open)
  const { engine } = host
  await prepare(engine, 1)
  const options: CompactWorkerOptions = { open, killAt, moment }
  const child = startChild<never>(program, options)
  let hasEnded = false
  void child.ended.then(() => (hasEnded = true))
  await eventually('it was killed or is done', async () => hasEnded || (await isDone(engine, 1)))
  const { code, signal, stderr } = await child.stop()
  assert.ok(signal === 'SIGKILL' || code === 0, stderr)
  host.startWorker(1)
  await eventually('the heartbeat has ticked', () => isDone(engine, 1))
  await checkOnce(engine, 1)
  return signal === 'SIGKILL'
}

/** Two processes tick the same heartbeats. */
export async function tickInTwo(open: OpenOptions, count: number): Promise<void> {
  await using host = await openHost(open)
  await prepare(host.engine, count)
  const options: CompactWorkerOptions = { open, killAt: 0, moment: 'after' }
  const children = [startChild<never>(program, options), startChild<never>(program, options)]
  await eventually('all have ticked', () => isDone(host.engine, count))
  for (const child of children) assert.equal((await child.stop()).code, 0)
  await checkOnce(host.engine, count)
}
