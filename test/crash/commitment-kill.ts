import assert from 'node:assert/strict'
import { pageOfCommitments } from '../../src/app/commitments/find-commitments.ts'
import type { Engine } from '../../src/app/engine.ts'
import { writeSettings } from '../../src/app/redaction/rules.ts'
import { allEvents } from '../../src/app/runs/recorded-run.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import type { OpenOptions } from '../../src/open.ts'
import { chain, noop } from '../server/runs-calls.ts'
import { eventually, startChild } from '../support/child.ts'
import type { CompactWorkerOptions } from './compact-kill.ts'
import { openHost } from './run-host.ts'

const tenantId = 'acme'
const program = new URL('./compact-worker-program.ts', import.meta.url)

/** Stores conditions that are met at once, and a workflow that each of them starts. No worker runs yet. */
async function prepare(engine: Engine, count: number): Promise<void> {
  const tenant = engine.tenant(tenantId)
  await putWorkflow(tenant, chain('greet', [noop()]))
  await writeSettings(tenant, { commitmentWorkflow: 'greet' })
  for (let n = 0; n < count; n++) {
    await tenant.put('bills', { content: `When invoice number${n} is paid, notify Ana.` })
    await tenant.put('bills', { content: `Invoice number${n} was paid.` })
  }
}

/** Whether every commitment has fired and every run has ended. */
async function isDone(engine: Engine, count: number): Promise<boolean> {
  const tenant = engine.tenant(tenantId)
  const found = await pageOfCommitments(tenant, {}, { after: null, limit: 500 })
  const runs = await runsOf(engine)
  const hasEnded = runs.every(({ status }) => status === 'completed')
  return found.filter(({ status }) => status === 'fired').length === count && hasEnded && runs.length >= 2 * count
}

function runsOf({ storage }: Engine) {
  return storage.runs.list({ tenantId, status: null, workflowId: null, after: null, limit: 500 })
}

/** Each commitment has one event and one run, and no run is left over. */
async function checkOnce(engine: Engine, count: number): Promise<void> {
  const tenant = engine.tenant(tenantId)
  const found = await pageOfCommitments(tenant, {}, { after: null, limit: 500 })
  assert.equal(found.length, count)
  const runs = await runsOf(engine)
  const fired: unknown[] = []
  for (const { runId } of runs)
    for (const { type, payload } of await allEvents(tenant, runId)) if (type === 'commitment.fired') fired.push(payload)
  const expected = found.map(({ id, memoryRef, memoryId, enqueuedRunId }) => ({
    commitmentId: id,
    memoryRef,
    condition: 'predicate',
    memoryId,
    enqueuedRunId,
  }))
  const byId = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  assert.deepEqual(fired.toSorted(byId), expected.toSorted(byId))
  const started = runs.filter(({ workflowId }) => workflowId === 'greet').map(({ runId }) => runId)
  assert.deepEqual(started.toSorted(), found.map(({ enqueuedRunId }) => enqueuedRunId).toSorted())
  assert.equal((await tenant.verify({ contents: true })).ok, true)
}

/** A process that is killed at its nth write infers and fires; another one goes on. False when it made fewer writes. */
export async function fireWithKill(killAt: number, moment: 'before' | 'after', open: OpenOptions): Promise<boolean> {
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
  await eventually('the commitment has fired', () => isDone(engine, 1))
  await checkOnce(engine, 1)
  return signal === 'SIGKILL'
}

/** Two processes work through the same commitments. */
export async function fireInTwo(open: OpenOptions, count: number): Promise<void> {
  await using host = await openHost(open)
  await prepare(host.engine, count)
  const options: CompactWorkerOptions = { open, killAt: 0, moment: 'after' }
  const children = [startChild<never>(program, options), startChild<never>(program, options)]
  await eventually('all have fired', () => isDone(host.engine, count))
  for (const child of children) assert.equal((await child.stop()).code, 0)
  await checkOnce(host.engine, count)
}
