import assert from 'node:assert/strict'
import { requestCompaction } from '../../src/app/compaction/request-compaction.ts'
import { undoCompaction } from '../../src/app/compaction/undo-compaction.ts'
import type { Engine } from '../../src/app/engine.ts'
import type { OpenOptions } from '../../src/open.ts'
import { eventually, startChild } from '../support/child.ts'
import { openHost } from './run-host.ts'

const tenantId = 'acme'
const memoryRef = 'agents/concierge'
const groups = 3
const groupSize = 5

export type CompactWorkerOptions = {
  readonly open: OpenOptions
  /** Is killed at its nth write. */
  readonly killAt: number
  readonly moment: 'before' | 'after'
}

const program = new URL('./compact-worker-program.ts', import.meta.url)

/**
 * A process that is killed at its nth write makes a pass of several compactions; another one leases the job. At every
 * moment each entry is either there or in exactly one output. False when the process made fewer writes.
 */
export async function dieAt(killAt: number, moment: 'before' | 'after', open: OpenOptions): Promise<boolean> {
  await using host = await openHost(open)
  const { engine } = host
  const memory = engine.tenant(tenantId)
  const drafts = Array.from({ length: groups * groupSize }, (_, n) => ({ content: `Fact ${n}.`, tags: [`n${n}`] }))
  const { position } = await memory.putMany(memoryRef, drafts)
  const before = (await memory.list(memoryRef)).entries
  const draft = { memoryRef, maxInputEntries: groupSize }
  const { jobId } = await requestCompaction(engine.tenant(tenantId), draft)
  const options: CompactWorkerOptions = { open, killAt, moment }
  const child = startChild<never>(program, options)
  let isDead = false
  void child.ended.then(() => (isDead = true))
  const isDone = async () => (await engine.storage.jobs.get(tenantId, jobId))?.status === 'completed'
  await eventually('it died or was done', async () => isDead || (await isDone()))
  const { code, signal, stderr } = await child.stop()
  assert.ok(signal === 'SIGKILL' || code === 0, stderr)
  await checkWhole(engine)

  host.startWorker(1)
  await eventually('the job is done', isDone)
  const made = await checkWhole(engine)
  assert.equal(made.length, groups)
  assert.deepEqual((await memory.list(memoryRef, { asOf: position })).entries, before)
  assert.equal((await memory.verify({ contents: true })).ok, true)
  for (const { compactionId } of made) await undoCompaction(engine.tenant(tenantId), compactionId)
  assert.deepEqual((await memory.list(memoryRef)).entries, before)
  return signal === 'SIGKILL'
}

/** Nothing is missing, nothing is there twice, and every output has its run and its lineage. */
async function checkWhole(engine: Engine) {
  const { entries } = await engine.tenant(tenantId).list(memoryRef)
  const facts = entries.flatMap(({ content }) => content.split('\n')).sort()
  const expected = Array.from({ length: groups * groupSize }, (_, n) => `Fact ${n}.`).sort()
  assert.deepEqual(facts, expected)
  const made = await engine.storage.compactions.list({ tenantId, memoryRef, after: null, limit: 100 })
  for (const { compactionId, outputId, runId, sourceCount } of made) {
    assert.ok(entries.some(({ id }) => id === outputId))
    assert.equal((await engine.storage.compactions.sources(tenantId, compactionId)).length, sourceCount)
    assert.equal((await engine.storage.runs.get(tenantId, runId))?.status, 'completed')
  }
  assert.equal(entries.filter(({ tags }) => tags.includes('source:compaction')).length, made.length)
  return made
}
