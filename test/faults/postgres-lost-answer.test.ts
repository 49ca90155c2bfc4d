import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openColophon } from '../../src/index.ts'
import { batchOf } from '../contract/suite/batch.ts'
import { eventOf, stepOf } from '../contract/suite/run-step.ts'
import { startCommitCutter } from '../support/commit-cutter.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'

after(releaseServer)

for (const cut of ['before commit', 'after commit'] as const) {
  // Model rule: commit.exactly-once
  test(`a connection cut ${cut}: every write takes effect exactly once and gets a correct response`, async () => {
    const database = await createDatabase()
    const cutter = await startCommitCutter(database.url)
    const colophon = await openColophon({ databaseUrl: cutter.url })
    try {
      const memory = colophon.memory('acme')
      const position = async () => (await memory.snapshot()).position
      const first = await memory.put('notes', { content: 'first', tags: ['t'] })

      cutter.cutNext(cut)
      const second = await memory.put('notes', { content: 'second' })
      assert.deepEqual((await memory.list('notes')).entries, [second, first])
      assert.equal(await position(), 2)

      cutter.cutNext(cut)
      const revised = await memory.revise('notes', first.id, { content: 'revised', tags: ['t'] }, { expects: 1 })
      assert.deepEqual(await memory.get('notes', first.id), revised)
      assert.equal((await memory.colophon('notes', first.id))?.version, 2)
      assert.equal(await position(), 3)

      cutter.cutNext(cut)
      assert.equal(await memory.delete('notes', second.id), true)
      assert.equal(await position(), 4)

      cutter.cutNext(cut)
      const keyed = await memory.put('notes', { content: 'keyed' }, { idempotencyKey: 'k' })
      assert.deepEqual(await memory.put('notes', { content: 'keyed' }, { idempotencyKey: 'k' }), keyed)

      cutter.cutNext(cut)
      const many = await Promise.all(Array.from({ length: 20 }, (_, i) => memory.put('many', { content: String(i) })))
      const stored = (await memory.list('many')).entries.map((entry) => entry.id)
      assert.deepEqual(stored, many.map((entry) => entry.id).reverse())
      assert.equal(await position(), 25)
      assert.equal(cutter.cuts, 5)
      const { ok, from, to, checked } = await memory.verify({ contents: true })
      assert.deepEqual({ ok, from, to, checked }, { ok: true, from: 1, to: 25, checked: 25 })
    } finally {
      await colophon.close()
      await cutter.close()
      await database.drop()
    }
  })
}

test('a job with an unknown commit outcome gets an error that says so, and is never run again automatically', async () => {
  const database = await createDatabase()
  const cutter = await startCommitCutter(database.url)
  const colophon = await openColophon({ databaseUrl: cutter.url })
  try {
    const jobs = colophon.jobs('acme')
    await jobs.enqueue({ kind: 'warm' })
    cutter.cutNext('after commit')
    await assert.rejects(jobs.enqueue({ kind: 'k' }, { idempotencyKey: 'k' }), {
      code: 'storage_unavailable',
      retryable: true,
    })
    const jobId = await jobs.enqueue({ kind: 'k' }, { idempotencyKey: 'k' })
    assert.deepEqual(
      (await jobs.list()).filter((job) => job.kind === 'k').map((job) => job.jobId),
      [jobId],
    )
  } finally {
    await colophon.close()
    await cutter.close()
    await database.drop()
  }
})

test('a run step with an unknown commit outcome gets an error that says so; with memory writes, the true outcome', async () => {
  const database = await createDatabase()
  const cutter = await startCommitCutter(database.url)
  const storage = await openPostgres({ url: cutter.url, now: Date.now })
  try {
    const tenantId = 'acme'
    await storage.ensureTenant(tenantId, { macKey: new Uint8Array(32) }, 1)
    const [run] = (await storage.commit(batchOf({ tenantId, runs: [stepOf('run_1')] }))).runs
    assert.ok(run)
    const step = batchOf({ tenantId, runs: [stepOf(run, { events: [eventOf('once')] })] })
    cutter.cutNext('after commit')
    await assert.rejects(storage.commit(step), { code: 'storage_unavailable', retryable: true })
    await assert.rejects(storage.commit(step), { code: 'run_changed' })
    const stored = await storage.runs.get(tenantId, 'run_1')
    assert.ok(stored)
    const entry = { memoryRef: 'notes', entryId: 'mem_1', content: 'x', tags: [], expiresAt: null, subject: null }
    cutter.cutNext('after commit')
    const { runs, outcome } = await storage.commit(
      batchOf({
        tenantId,
        puts: [{ ...entry, origin: { kind: 'api' }, salt: 's' }],
        runs: [stepOf(stored, { events: [eventOf('wrote')] })],
      }),
    )
    assert.deepEqual([await storage.runs.get(tenantId, 'run_1')], runs)
    assert.equal(outcome.position, 1)
    const events = await storage.runs.events({ tenantId, runId: 'run_1', from: 0, limit: 9 })
    assert.deepEqual(
      events.map(({ type }) => type),
      ['once', 'wrote'],
    )
    assert.equal(cutter.cuts, 2)
  } finally {
    await storage.close()
    await cutter.close()
    await database.drop()
  }
})
