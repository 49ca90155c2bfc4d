import assert from 'node:assert/strict'
import { requestConsolidation } from '../../src/app/consolidation/request-consolidation.ts'
import type { Engine } from '../../src/app/engine.ts'
import { allEvents } from '../../src/app/runs/recorded-run.ts'
import { limits } from '../../src/core/limits.ts'
import type { OpenOptions } from '../../src/open.ts'
import { eventually, startChild } from '../support/child.ts'
import type { CompactWorkerOptions } from './compact-kill.ts'
import { openHost } from './run-host.ts'

const tenantId = 'acme'
const memoryRef = 'agents/concierge'
/** Each is there twice: more than one commit ends. */
const facts = limits.consolidationCommitSourcesMax / 2 + 5
const expected = Array.from({ length: facts }, (_, n) => `Customer ${n} pays in cash.`).sort()

const program = new URL('./compact-worker-program.ts', import.meta.url)

/**
 * A process that is killed at its nth write makes a pass of two commits; another one leases the job. At every moment each fact is there, and
 * in the end it is there once. False when the process made fewer writes.
 */
export async function dieAt(killAt: number, moment: 'before' | 'after', open: OpenOptions): Promise<boolean> {
  await using host = await openHost(open)
  const { engine } = host
  const memory = engine.tenant(tenantId)
  const drafts = [...expected, ...expected].map((content) => ({ content }))
  const { position } = await memory.putMany(memoryRef, drafts)
  const { jobId, runId } = await requestConsolidation(memory, { memoryRef })
  const options: CompactWorkerOptions = { open, killAt, moment }
  const child = startChild<never>(program, options)
  let isDead = false
  void child.ended.then(() => (isDead = true))
  const isDone = async () => (await engine.storage.jobs.get(tenantId, jobId))?.status === 'completed'
  await eventually('it died or was done', async () => isDead || (await isDone()))
  const { code, signal, stderr } = await child.stop()
  assert.ok(signal === 'SIGKILL' || code === 0, stderr)
  assert.deepEqual([...new Set(await contents(engine))], expected)

  host.startWorker(1)
  await eventually('the job is done', isDone)
  assert.deepEqual(await contents(engine), expected)
  assert.equal((await memory.list(memoryRef, { asOf: position, limit: 500 })).entries.length, drafts.length)
  await checkRecorded(engine, runId)
  assert.equal((await memory.verify({ contents: true })).ok, true)
  return signal === 'SIGKILL'
}

async function contents(engine: Engine): Promise<string[]> {
  const { entries } = await engine.tenant(tenantId).list(memoryRef, { limit: 500 })
  return entries.map(({ content }) => content).sort()
}

/** Every merge has its run, and the counts of the events follow one another. */
async function checkRecorded(engine: Engine, firstRunId: string): Promise<void> {
  const made = await engine.storage.compactions.list({ tenantId, memoryRef, after: null, limit: 500 })
  assert.equal(made.length, facts)
  const runIds = [...new Set(made.map(({ runId }) => runId))].reverse()
  assert.equal(runIds[0], firstRunId)
  const events = await Promise.all(runIds.map((runId) => allEvents(engine.tenant(tenantId), runId)))
  const counts = events
    .flat()
    .flatMap(({ type, payload }) =>
      type === 'agent.memory.consolidated' ? [[payload.inputCount, payload.outputCount]] : [],
    )
  const half = limits.consolidationCommitSourcesMax / 2
  assert.deepEqual(counts, [
    [2 * facts, 2 * facts - half],
    [2 * facts - half, facts],
  ])
}
