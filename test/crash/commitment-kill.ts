import assert from 'node:assert/strict'
import { pageOfCommitments } from '../../src/app/commitments/find-commitments.ts'
import type { Engine } from '../../src/app/engine.ts'
import { writeSettings } from '../../src/app/redaction/rules.ts'
import { allEvents } from '../../src/app/runs/recorded-run.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import { chain, noop } from '../server/runs-calls.ts'
import { type OnceWork, runsOf } from './work-with-kill.ts'

const tenantId = 'acme'

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
  const runs = await runsOf(engine, tenantId)
  const hasEnded = runs.every(({ status }) => status === 'completed')
  return found.filter(({ status }) => status === 'fired').length === count && hasEnded && runs.length >= 2 * count
}

/** Each commitment has one event and one run, and no run is left over. */
async function checkOnce(engine: Engine, count: number): Promise<void> {
  const tenant = engine.tenant(tenantId)
  const found = await pageOfCommitments(tenant, {}, { after: null, limit: 500 })
  assert.equal(found.length, count)
  const runs = await runsOf(engine, tenantId)
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

export const commitments: OnceWork = { prepare, isDone, checkOnce }
