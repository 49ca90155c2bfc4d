import assert from 'node:assert/strict'
import { distillationJobId, requestDistillation } from '../../src/app/distillation/request-distillation.ts'
import type { Engine } from '../../src/app/engine.ts'
import { getFile } from '../../src/app/workspace/files.ts'
import { parseIndex } from '../../src/core/distillation/memory-index.ts'
import type { OpenOptions } from '../../src/open.ts'
import { eventually, startChild } from '../support/child.ts'
import type { CompactWorkerOptions } from './compact-kill.ts'
import { openHost } from './run-host.ts'

const tenantId = 'acme'
const memoryRef = 'agents/concierge'
const program = new URL('./compact-worker-program.ts', import.meta.url)

/**
 * A process that is killed at its nth write distills a ref; another one leases the job. At every moment there is no archive, or one with
 * its index, its lineage and its event. False when the process made fewer writes.
 */
export async function dieDistilling(killAt: number, moment: 'before' | 'after', open: OpenOptions): Promise<boolean> {
  await using host = await openHost(open)
  const { engine } = host
  const memory = engine.tenant(tenantId)
  await memory.putMany(
    memoryRef,
    Array.from({ length: 5 }, (_, n) => ({ content: `Fact ${n}.` })),
  )
  const { id } = await requestDistillation(memory, { memoryRef }, new AbortController().signal)
  const options: CompactWorkerOptions = { open, killAt, moment }
  const child = startChild<never>(program, options)
  let isDead = false
  void child.ended.then(() => (isDead = true))
  const job = async () => engine.storage.jobs.get(tenantId, distillationJobId(id))
  const isDone = async () => (await job())?.status === 'completed'
  await eventually('it died or was done', async () => isDead || (await isDone()))
  const { code, signal, stderr } = await child.stop()
  assert.ok(signal === 'SIGKILL' || code === 0, stderr)
  await checkWhole(engine)
  host.startWorker(1)
  await eventually('the job is done', isDone)
  assert.deepEqual(await checkWhole(engine), [id])
  assert.deepEqual((await job())?.result, { distillationId: id })
  assert.equal((await memory.verify({ contents: true })).ok, true)
  return signal === 'SIGKILL'
}

/** Of each archive there is everything that belongs to it, and the sources stay. */
async function checkWhole(engine: Engine): Promise<string[]> {
  const memory = engine.tenant(tenantId)
  assert.equal((await memory.list(memoryRef)).entries.length, 5)
  const made = await engine.storage.compactions.list({ tenantId, memoryRef, after: null, limit: 10 })
  const file = await getFile(memory, 'default', 'MEMORY-INDEX.json').catch(() => null)
  assert.equal(parseIndex(file?.content ?? null)[memoryRef]?.archiveId, made[0]?.outputId)
  assert.equal(file?.version ?? 0, made.length)
  for (const { compactionId, outputId, runId } of made) {
    assert.ok(await memory.get(memoryRef, outputId))
    assert.equal((await engine.storage.compactions.sources(tenantId, compactionId)).length, 5)
    const events = await engine.storage.runs.events({ tenantId, runId, from: 0, limit: 10 })
    assert.equal(events.filter(({ type }) => type === 'memory.compacted').length, 1)
  }
  return made.map(({ compactionId }) => compactionId)
}
