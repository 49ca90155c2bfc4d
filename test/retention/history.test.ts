import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { writeSettings } from '../../src/app/redaction/rules.ts'
import { pruneHistory } from '../../src/app/retention/prune-history.ts'
import { createRun } from '../../src/app/runs/create-run.ts'
import { forkRun } from '../../src/app/runs/fork-run.ts'
import { viewOfRun } from '../../src/app/runs/run-snapshot.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import { toInstant } from '../../src/core/check.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { dayMs, never, stateAt, stores, tenantId, withStore } from './world.ts'

after(releaseServer)

const hasCode = (code: string) => (error: unknown) => isColophonError(error) && error.code === code
const pass = { signal: never }

const node = (id: string, typeId: string, config: object) => ({
  id,
  typeId,
  name: id,
  position: { x: 0, y: 0 },
  config,
  inputs: {},
})

/** Reads, waits for the given delay, and reads again. */
const workflow = {
  id: 'reader',
  name: 'Reads twice',
  version: '1',
  nodes: [
    node('first', 'colophon.memory.list', { memoryRef: 'notes', into: 'first' }),
    node('wait', 'core.delay', { delayMs: '{{inputs.delayMs}}' }),
    node('second', 'colophon.memory.list', { memoryRef: 'notes', into: 'second' }),
  ],
  edges: [
    { id: 'e1', sourceNodeId: 'first', targetNodeId: 'wait' },
    { id: 'e2', sourceNodeId: 'wait', targetNodeId: 'second' },
  ],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
}

for (const [name, open] of Object.entries(stores)) {
  describe(`history retention on ${name}`, () => {
    test('pruning deletes versions that only past positions show; retained positions read as before, and pruned ones are refused', () =>
      withStore(open, async ({ engine, memory, clock, storage }) => {
        const entry = await memory.put('notes', { content: 'one', tags: ['t'] })
        const firstAt = toInstant(clock.now)
        clock.now += 1
        const gone = await memory.put('notes', { content: 'to be deleted' })
        await memory.put('notes', { content: 'soon over', expiresAt: toInstant(clock.now + 1_000) })
        await memory.revise('notes', entry.id, { content: 'two', tags: ['t'] })
        await memory.delete('notes', gone.id)
        const old = await memory.snapshot()
        clock.now += 60 * dayMs
        await memory.revise('notes', entry.id, { content: 'three', tags: ['t'] })
        const young = await memory.snapshot()
        assert.deepEqual(
          (await pruneHistory(engine.tenant(tenantId), pass)).versions,
          0,
          'nothing is older than 90 days',
        )
        clock.now += 31 * dayMs
        const kept = [await stateAt(memory, ['notes'], old.position), await stateAt(memory, ['notes'], young.position)]
        const pruned = await pruneHistory(engine.tenant(tenantId), pass)
        assert.deepEqual(pruned, { historyFrom: old.position, versions: 2, runs: 0, jobs: 0, idempotencyKeys: 0 })
        assert.deepEqual(
          [await stateAt(memory, ['notes'], old.position), await stateAt(memory, ['notes'], young.position)],
          kept,
        )
        const refused = hasCode('history_expired')
        for (const asOf of [1, old.position - 1, firstAt]) {
          await assert.rejects(memory.list('notes', { asOf }), refused, String(asOf))
          await assert.rejects(memory.get('notes', entry.id, { asOf }), refused)
        }
        await assert.rejects(memory.list('notes', { run: { snapshot: 2, own: [] } }), hasCode('snapshot_expired'))
        await assert.rejects(memory.changes({ after: 1 }).next(), refused)
        assert.equal((await memory.changes({ after: old.position }).next()).value?.position, young.position)
        assert.equal((await memory.get('notes', entry.id))?.content, 'three')
        assert.equal((await memory.revise('notes', entry.id, { content: 'four' }))?.content, 'four')
        assert.equal((await memory.verify({ contents: true })).ok, true)
        const { position = 0 } = (await storage.clock(tenantId)) ?? {}
        const [row] = await storage.audit({ tenantId, from: position - 1, to: position - 1, limit: 1 })
        const record = JSON.parse(row?.body ?? '{}')
        assert.deepEqual([record.kind, record.counts.versions], ['history.pruned', 2])
        assert.deepEqual((await pruneHistory(engine.tenant(tenantId), pass)).versions, 0)
      }))

    test('history is retained as long as the tenant’s setting says', () =>
      withStore(open, async ({ engine, memory, clock }) => {
        const entry = await memory.put('notes', { content: 'one' })
        await memory.delete('notes', entry.id)
        await writeSettings(engine.tenant(tenantId), { historyRetentionDays: 1 })
        clock.now += dayMs - 1
        assert.equal((await pruneHistory(engine.tenant(tenantId), pass)).versions, 0)
        clock.now += 1
        assert.equal((await pruneHistory(engine.tenant(tenantId), pass)).versions, 1)
      }))

    test('an active run reads the same before, during and after pruning; a run over the retention time reads nothing', () =>
      withStore(open, async ({ engine, memory, clock, storage, start }) => {
        await writeSettings(engine.tenant(tenantId), { historyRetentionDays: 1, sessionSummary: false })
        await putWorkflow(engine.tenant(tenantId), workflow, {})
        const entry = await memory.put('notes', { content: 'as it was' })
        const worker = start()
        const begin = async (delayMs: number) => {
          const { run } = await createRun(engine.tenant(tenantId), { workflowId: 'reader', inputs: { delayMs } })
          await eventually('it has read once', async () => {
            const calls = await storage.runs.calls({ tenantId, runId: run.runId, from: 0, limit: 9 })
            return calls.length === 1
          })
          return run.runId
        }
        const ended = async (runId: string) => {
          await eventually('it has ended', async () => {
            worker.wake()
            return (await storage.runs.get(tenantId, runId))?.endedAt != null
          })
          return storage.runs.get(tenantId, runId)
        }
        const short = await begin(20 * dayMs)
        await memory.revise('notes', entry.id, { content: 'as it is' })
        await memory.delete('notes', entry.id)
        clock.now += 10 * dayMs
        assert.equal((await pruneHistory(engine.tenant(tenantId), pass)).versions, 0, 'the run holds them')
        assert.equal(
          (await memory.list('notes', { run: await viewOfRun(engine.tenant(tenantId), short) })).entries.length,
          1,
        )
        clock.now += 10 * dayMs
        const run = await ended(short)
        assert.deepEqual([run?.status, run?.text.error ?? null], ['completed', null])
        assert.deepEqual(run?.text.variables.second, run?.text.variables.first)

        // It has ended, but within the retention window it can be replayed; after that it cannot, and then it is deleted.
        const replay = await forkRun(engine.tenant(tenantId), short, { mode: 'replay' })
        assert.equal((await ended(replay.run.runId))?.status, 'completed')
        clock.now += 2 * dayMs
        const pruned = await pruneHistory(engine.tenant(tenantId), pass)
        assert.deepEqual([pruned.versions, pruned.runs], [2, 2])
        assert.equal(await storage.runs.get(tenantId, short), null)
        await worker.stop()
      }))

    test('a fork of a run whose snapshot is not retained is refused, and so are reads at that snapshot', () =>
      withStore(open, async ({ engine, memory, clock, storage, start }) => {
        await writeSettings(engine.tenant(tenantId), { sessionSummary: false })
        await putWorkflow(engine.tenant(tenantId), workflow, {})
        const entry = await memory.put('notes', { content: 'x' })
        const worker = start()
        const { run } = await createRun(engine.tenant(tenantId), {
          workflowId: 'reader',
          inputs: { delayMs: 20 * dayMs },
        })
        await eventually('it waits', async () => {
          const calls = await storage.runs.calls({ tenantId, runId: run.runId, from: 0, limit: 9 })
          return calls.length === 1
        })
        await memory.revise('notes', entry.id, { content: 'y' })
        await memory.put('notes', { content: 'z' })
        clock.now += 20 * dayMs
        await eventually('it has ended', async () => {
          worker.wake()
          return (await storage.runs.get(tenantId, run.runId))?.endedAt != null
        })
        await worker.stop()
        clock.now += 80 * dayMs
        await pruneHistory(engine.tenant(tenantId), pass)
        assert.notEqual(await storage.runs.get(tenantId, run.runId), null, 'it ended inside the window')
        for (const draft of [{ mode: 'replay' }, { mode: 'branch', fromSeq: 3 }] as const) {
          await assert.rejects(
            forkRun(engine.tenant(tenantId), run.runId, draft),
            (error) =>
              hasCode('replay_memory_snapshot_unavailable')(error) &&
              isColophonError(error) &&
              error.details.reason === 'retention_expired',
          )
        }
        const view = await viewOfRun(engine.tenant(tenantId), run.runId)
        await assert.rejects(memory.list('notes', { run: view }), hasCode('snapshot_expired'))
      }))
  })
}

test('random histories read the same at every retained position before, during and after pruning', async () => {
  const act = fc.record({
    do: fc.constantFrom('put', 'short', 'revise', 'delete', 'wait'),
    which: fc.nat(5),
    ref: fc.constantFrom('a', 'b'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), fc.integer({ min: 1, max: 60 }), (acts, days) =>
      withStore(stores.sqlite as (typeof stores)[string], async ({ engine, memory, clock }) => {
        await writeSettings(engine.tenant(tenantId), { historyRetentionDays: days })
        const made: { ref: string; id: string }[] = []
        for (const { do: verb, which, ref } of acts) {
          const known = made[which % Math.max(made.length, 1)]
          if (verb === 'wait') clock.now += 5 * dayMs
          else if (verb === 'put' || known === undefined)
            made.push({ ref, id: (await memory.put(ref, { content: 'p' })).id })
          else if (verb === 'short')
            made.push({
              ref,
              id: (await memory.put(ref, { content: 's', expiresAt: toInstant(clock.now + dayMs) })).id,
            })
          else if (verb === 'delete') await memory.delete(known.ref, known.id)
          else await memory.revise(known.ref, known.id, { content: `r${which}` }).catch(() => null)
        }
        const { position } = await memory.snapshot()
        const look = async (from: number) => {
          const states = []
          for (let asOf = from; asOf <= position; asOf++) states.push(await stateAt(memory, ['a', 'b'], asOf))
          return states
        }
        const before = await look(0)
        const pruning = pruneHistory(engine.tenant(tenantId), pass)
        for (let asOf = 1; asOf <= position; asOf++) {
          const state = await stateAt(memory, ['a', 'b'], asOf).catch((error: unknown) => {
            assert.ok(hasCode('history_expired')(error))
            return before[asOf]
          })
          assert.equal(state, before[asOf])
        }
        const { historyFrom } = await pruning
        assert.deepEqual(await look(Math.max(historyFrom, 1)), before.slice(Math.max(historyFrom, 1)))
        assert.equal((await memory.verify({ contents: true })).ok, true)
      }),
    ),
    { numRuns: 25 },
  )
})
