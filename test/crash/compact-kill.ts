import assert from 'node:assert/strict'
import { requestCompaction } from '../../src/app/compaction/request.ts'
import { undoCompaction } from '../../src/app/compaction/undo.ts'
import type { Deps } from '../../src/app/deps.ts'
import { memoryOf } from '../../src/app/memory.ts'
import type { OpenOptions } from '../../src/open.ts'
import { eventually, startChild } from '../support/child.ts'
import { openHost } from './run-host.ts'

const tenantId = 'acme'
const memoryRef = 'agents/concierge'
const groups = 3
const groupSize = 5

export type CompactWorkerOptions = {
  readonly open: OpenOptions
  /** Dies with its nth write. */
  readonly killAt: number
  readonly moment: 'before' | 'after'
}

const program = new URL('./compact-worker-program.ts', import.meta.url)

/**
 * A pass of several compactions is made by a process that dies with its nth write; another one takes the job up. At every
 * moment each entry is either there or in exactly one output. False when the process made fewer writes.
 */
export async function dieAt(killAt: number, moment: 'before' | 'after', open: OpenOptions): Promise<boolean> {
  await using host = await openHost(open)
  const { deps } = host
  const memory = memoryOf(deps, tenantId)
  const drafts = Array.from({ length: groups * groupSize }, (_, n) => ({ content: `Fact ${n}.`, tags: [`n${n}`] }))
  const { position } = await memory.putMany(memoryRef, drafts)
  const before = (await memory.list(memoryRef)).entries
  const draft = { memoryRef, maxInputEntries: groupSize }
  const { jobId } = await requestCompaction(deps, tenantId, draft)
  const options: CompactWorkerOptions = { open, killAt, moment }
  const child = startChild<never>(program, options)
  let isDead = false
  void child.ended.then(() => (isDead = true))
  const isDone = async () => (await deps.storage.jobs.get(tenantId, jobId))?.status === 'completed'
  await eventually('it died or was done', async () => isDead || (await isDone()))
  const { code, signal, stderr } = await child.stop()
  assert.ok(signal === 'SIGKILL' || code === 0, stderr)
  await checkWhole(deps)

  host.startWorker(1)
  await eventually('the job is done', isDone)
  const made = await checkWhole(deps)
  assert.equal(made.length, groups)
  assert.deepEqual((await memory.list(memoryRef, { asOf: position })).entries, before)
  assert.equal((await memory.verify({ contents: true })).ok, true)
  for (const { compactionId } of made) await undoCompaction(deps, tenantId, compactionId)
  assert.deepEqual((await memory.list(memoryRef)).entries, before)
  return signal === 'SIGKILL'
}

/** Nothing is missing, nothing is there twice, and every output has its run and its lineage. */
async function checkWhole(deps: Deps) {
  const { entries } = await memoryOf(deps, tenantId).list(memoryRef)
  const facts = entries.flatMap(({ content }) => content.split('\n')).sort()
  const expected = Array.from({ length: groups * groupSize }, (_, n) => `Fact ${n}.`).sort()
  assert.deepEqual(facts, expected)
  const made = await deps.storage.compactions.list({ tenantId, memoryRef, after: null, limit: 100 })
  for (const { compactionId, outputId, runId, sourceCount } of made) {
    assert.ok(entries.some(({ id }) => id === outputId))
    assert.equal((await deps.storage.compactions.sources(tenantId, compactionId)).length, sourceCount)
    assert.equal((await deps.storage.runs.get(tenantId, runId))?.status, 'completed')
  }
  assert.equal(entries.filter(({ tags }) => tags.includes('source:compaction')).length, made.length)
  return made
}
