import assert from 'node:assert/strict'
import { changeRun } from '../../src/app/runs/control.ts'
import { forkRun } from '../../src/app/runs/fork-run.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { runScenario } from './run-acts.ts'
import { memoryState } from './run-forks.ts'
import type { Scenario } from './run-script.ts'
import type { Opened } from './run-stores.ts'
import { type RunRecord, readRunRecords } from './run-view.ts'
import type { World } from './run-world.ts'

/** When data that a run read, or its log, was deleted, a fork that needs it is refused, and nothing is created. */
export async function forksOfWhatIsGoneAreRefused(store: Opened, scenario: Scenario): Promise<void> {
  const world = await runScenario(store, scenario)
  const sources = [...(await readRunRecords(world)).values()]
  for (const [nth, { run, from }] of scenario.forks.entries()) {
    // Each run loses one thing only.
    const [source] = sources.splice(run % Math.max(sources.length, 1), 1)
    if (!source) return
    const fromSeq = Math.round(from * source.events.length)
    if (nth % 3 === 0 && store.sql) await loseEntry(world, store.sql, source, fromSeq)
    else if (nth % 3 === 1 && store.sql) await loseLog(world, store.sql, source, fromSeq)
    else await expire(world, source, fromSeq)
    await isRefused(world, source, { mode: 'replay', fromSeq: source.events.length + 1 }, 'invalid_from_seq')
    await isRefused(world, source, { mode: 'branch', fromSeq: source.events.length + 1 }, 'invalid_from_seq')
  }
}

type Sql = NonNullable<Opened['sql']>

/** One entry that the run read or wrote. What a branch inherits must be there; what came later it does not need. */
async function loseEntry(world: World, sql: Sql, source: RunRecord, fromSeq: number): Promise<void> {
  const needs = ({ op, memoryRef, entries }: RunRecord['calls'][number]) =>
    op !== 'delete' && !/^scratch:/.test(memoryRef) ? entries.map(({ id }) => id) : []
  const [lost] = source.calls.flatMap(needs)
  if (lost === undefined) return
  await sql('delete from entry_version where tenant_id = $1 and entry_id = $2', [world.tenantId, lost])
  await isRefused(world, source, { mode: 'replay', fromSeq }, 'retention_expired')
  const isInherited = source.calls.some((call) => call.sequence < fromSeq && needs(call).includes(lost))
  if (isInherited) return isRefused(world, source, { mode: 'branch', fromSeq }, 'retention_expired')
  // A branch of a run whose text needs nothing of it begins as if nothing were missing.
  const { engine, tenantId } = world
  const { run } = await world.undisturbed(() =>
    forkRun(engine.tenant(tenantId), source.run.runId, { mode: 'branch', fromSeq }),
  )
  // After the rest of the events that are recorded together, if the point lies between them.
  assert.ok(run.nextSequence >= fromSeq)
}

async function loseLog(world: World, sql: Sql, source: RunRecord, fromSeq: number): Promise<void> {
  await sql('delete from run_event where tenant_id = $1 and run_id = $2 and sequence = 0', [
    world.tenantId,
    source.run.runId,
  ])
  await isRefused(world, source, { mode: 'replay', fromSeq }, /^(event_log_unavailable|retention_expired)$/)
  await isRefused(world, source, { mode: 'branch', fromSeq }, /^(event_log_unavailable|retention_expired)$/)
}

/** As the test seam does it. */
async function expire(world: World, source: RunRecord, fromSeq: number): Promise<void> {
  const { engine, tenantId } = world
  await world.undisturbed(() =>
    changeRun(engine.tenant(tenantId), source.run.runId, { operation: 'expire' }, {}, async (progress) => {
      progress.set({ facts: { expired: true } })
      return { wakes: [] }
    }),
  )
  await isRefused(world, source, { mode: 'replay', fromSeq }, 'retention_expired')
  await isRefused(world, source, { mode: 'branch', fromSeq }, 'retention_expired')
}

/** The bounds are checked first: a sequence that never existed is an error of the caller, whatever is kept. */
async function isRefused(
  world: World,
  { run, events }: RunRecord,
  draft: { readonly mode: 'replay' | 'branch'; readonly fromSeq: number },
  reason: string | RegExp,
): Promise<void> {
  const { engine, tenantId, history } = world
  const before = { creations: history.creations.size, memory: await memoryState(world) }
  const { fromSeq } = draft
  const place = { fromSeq, sourceRunId: run.runId }
  const isRight = (error: unknown) => {
    if (reason === 'invalid_from_seq') {
      assert.ok(isColophonError(error, 'invalid_from_seq'), String(error))
      assert.deepEqual(error.details, { ...place, lastSequence: events.length - 1 })
    } else {
      assert.ok(isColophonError(error, 'replay_memory_snapshot_unavailable'), String(error))
      const { reason: received, ...rest } = error.details as { reason: string }
      assert.deepEqual(rest, place)
      assert.match(received, reason instanceof RegExp ? reason : new RegExp(`^${reason}$`))
    }
    return true
  }
  await assert.rejects(
    world.undisturbed(() => forkRun(engine.tenant(tenantId), run.runId, draft)),
    isRight,
  )
  assert.deepEqual({ creations: history.creations.size, memory: await memoryState(world) }, before, 'nothing was made')
}
