import assert from 'node:assert/strict'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { forkRun } from '../../src/app/runs/fork-run.ts'
import { viewOfRun } from '../../src/app/runs/run-snapshot.ts'
import { isEnded } from '../../src/core/run/run.ts'
import { toEventDocument } from '../../src/wires/openwop-v2/events/event-document.ts'
import { publishedSchemas } from '../support/published-v2.ts'
import { runScenario, settle, startScenario } from './run-acts.ts'
import { checkLog, checkReads, toEntry } from './run-check.ts'
import { dawn } from './run-definition.ts'
import { checkBranch, checkReplay, checkSameReplay, fork, memoryState } from './run-forks.ts'
import { planRefs } from './run-plan.ts'
import type { ForkPlan, Scenario } from './run-script.ts'
import { ExpectedRunView, type RunRecord, readRunRecord, readRunRecords } from './run-view.ts'
import type { Store, World } from './run-world.ts'

/** What must hold for every scenario, on every store. */

/** Each read returns what the model returns, in the journal, in the variables, and in reads through the run later. */
export async function readsAreAsPredicted(store: Store, scenario: Scenario): Promise<void> {
  const world = await runScenario(store, scenario)
  const records = await readRunRecords(world)
  for (const runId of records.keys()) {
    checkLog(world, records, runId)
    checkReads(world, records, runId)
    checkSecondWire(world, records.get(runId) as RunRecord)
    await checkViewFromOutside(world, records, runId)
  }
}

const published = publishedSchemas()

/** Version 2 shows every event of the log, in its place, in closed payloads, and names every run with its tenant. */
function checkSecondWire({ tenantId }: World, { run, events }: RunRecord): void {
  for (const event of events) {
    const shown = toEventDocument(tenantId, run.runId, event)
    assert.deepEqual([shown.sequence, shown.type], [event.sequence, event.type])
    assert.doesNotMatch(JSON.stringify(shown.payload), /"\w*[rR]unId":"run_/, 'an id without its tenant')
    if (published === null) continue
    assert.equal(published.problemOf('run-event.schema.json', shown), null)
    const definition: string | undefined = published.payloadOf[shown.type]
    if (definition === undefined) continue
    const id: string = `run-event-payloads.schema.json#/$defs/${definition}`
    assert.equal(published.problemOf(id, shown.payload), null, JSON.stringify(shown))
  }
}

/** `runId=` on the host extension: the view of the run after its last step, without what has expired since. */
async function checkViewFromOutside(
  world: World,
  records: ReadonlyMap<string, RunRecord>,
  runId: string,
): Promise<void> {
  const { engine, tenantId, clock } = world
  const view = new ExpectedRunView(world, records)
  const run = await viewOfRun(engine.tenant(tenantId), runId)
  for (const ref of planRefs.filter((name) => /^(notes|user-1|runs:.*)$/.test(name))) {
    const { entries } = await engine.tenant(tenantId).list(ref, { run })
    const expected = view.sees(runId, Number.MAX_SAFE_INTEGER, ref, clock.now).map(toEntry)
    assert.deepEqual(JSON.parse(JSON.stringify(entries)), expected, `${ref} through ${runId}`)
  }
}

/** Every store must equal the model in every run, event and call. */
export async function runsAreThoseOfTheModel(store: Store, scenario: Scenario): Promise<void> {
  const clock = { now: 0 }
  const model = { storage: openInMemoryStore({ now: () => clock.now }), clock }
  const dump = async (world: World) => {
    const runs = [...(await readRunRecords(world)).values()]
    const text = JSON.stringify({ runs, memory: await memoryState(world) }).replaceAll(world.tenantId, 'tenant')
    // The chain of hashes begins with the tenant's name, and the first event of a run has it too.
    const withoutHashes = text
      .replaceAll(/"(lastHash|hash|prev|events|calls)":"[^"]*"/g, '"$1":""')
      .replaceAll(/(\\"digest\\":\\")[^"]*(\\",\\"id\\":\\"run_)/g, '$1$2')
    return JSON.parse(withoutHashes) as unknown
  }
  assert.deepEqual(await dump(await runScenario(store, scenario)), await dump(await runScenario(model, scenario)))
}

/** A replay records the events of its source, and so does a replay of the replay; memory is unchanged. */
export async function replaysRepeat(store: Store, scenario: Scenario): Promise<void> {
  const world = await runScenario(store, scenario)
  const sources = [...(await readRunRecords(world)).values()]
  if (sources.length === 0) return
  for (const { run, from, again, during } of scenario.forks) {
    const before = await memoryState(world)
    const source = sources[run % sources.length] as RunRecord
    const fromSeq = placeIn(source, from)
    const replay = await fork(world, source.run.runId, 'replay', fromSeq)
    checkReplay(source, replay)
    checkReplay(replay, await fork(world, replay.run.runId, 'replay', placeIn(replay, again)))
    assert.deepEqual(await memoryState(world), before, 'memory is as it was')
    const disturbed = await fork(world, source.run.runId, 'replay', fromSeq, during)
    // Nothing changes the result of a replay, not even a killed worker.
    checkSameReplay(replay, disturbed)
    const pause = { do: 'pause', nth: 0, isImmediate: again > from } as const
    const paused = await fork(world, source.run.runId, 'replay', fromSeq, [{ before: 4, act: pause }])
    checkSameReplay(replay, paused)
    checkSameReplay(replay, await fork(world, source.run.runId, 'replay', fromSeq))
    assert.deepEqual(await readRunRecord(world, source.run.runId), source, 'the source is as it was')
  }
}

/** A branch inherits its source's log and view up to the point, and is independent from there on. */
export async function branchesGoOn(store: Store, scenario: Scenario): Promise<void> {
  const world = await runScenario(store, scenario)
  for (const plan of scenario.forks) await checkOneBranch(world, plan)
  // The children that branches started, too.
  const records = await readRunRecords(world)
  for (const { run } of records.values()) if (run.facts.fork?.mode !== 'replay') checkReads(world, records, run.runId)
}

async function checkOneBranch(world: World, { run, isOfFork, from, again, during }: ForkPlan): Promise<void> {
  // Every run there is, so that branches of branches, of children and of replays come up.
  const all = [...(await readRunRecords(world)).values()]
  const forks = all.filter((record) => record.run.facts.fork !== null)
  const sources = isOfFork && forks.length > 0 ? forks : all
  const source = sources[run % Math.max(sources.length, 1)]
  if (!source) return
  const fromSeq = placeIn(source, from)
  const branch = await fork(world, source.run.runId, 'branch', fromSeq, during)
  const records = await readRunRecords(world)
  checkBranch(world, source, branch, fromSeq)
  checkLog(world, records, branch.run.runId)
  checkReads(world, records, branch.run.runId)
  await checkViewFromOutside(world, records, branch.run.runId)
  assert.deepEqual(await readRunRecord(world, source.run.runId), source, 'the source is as it was')
  checkReplay(branch, await fork(world, branch.run.runId, 'replay', placeIn(branch, again)))
}

/** A running run can be branched, too: both continue, and neither sees the other. */
export async function branchesOfLiveRunsGoOn(store: Store, scenario: Scenario): Promise<void> {
  const world = await startScenario(store, scenario)
  const { engine, tenantId } = world
  const begun: { source: RunRecord; runId: string; fromSeq: number }[] = []
  for (const { run, from } of scenario.forks) {
    const all = [...(await readRunRecords(world)).values()]
    const live = all.filter((record) => !isEnded(record.run.status))
    const source = live[run % Math.max(live.length, 1)]
    if (!source) continue
    const fromSeq = placeIn(source, from)
    const draft = { mode: 'branch', fromSeq } as const
    const branch = await world.undisturbed(() => forkRun(engine.tenant(tenantId), source.run.runId, draft))
    assert.deepEqual(await readRunRecord(world, source.run.runId), source, 'the source is as it was')
    begun.push({ source, runId: branch.run.runId, fromSeq })
  }
  await settle(world)
  const records = await readRunRecords(world)
  for (const { source, runId, fromSeq } of begun) checkBranch(world, source, records.get(runId) as RunRecord, fromSeq)
  for (const runId of records.keys()) {
    checkLog(world, records, runId)
    checkReads(world, records, runId)
    await checkViewFromOutside(world, records, runId)
  }
}

function placeIn({ events }: RunRecord, share: number): number {
  return Math.round(share * events.length)
}

/** With a stopped clock all instants are equal, and the order must not depend on them. */
export async function orderNeedsNoClock(store: Store, scenario: Scenario): Promise<void> {
  const world = await runScenario(store, scenario)
  await settle(world)
  assert.equal(world.clock.now, dawn, 'nothing had to wait')
  const records = await readRunRecords(world)
  for (const runId of records.keys()) checkReads(world, records, runId)
  const instants = new Set(world.history.versions.map(({ createdAt }) => createdAt))
  assert.ok(instants.size <= 1, 'all of one instant')
  const memory = world.engine.tenant(world.tenantId)
  for (const ref of ['notes', 'user-1']) {
    const { entries } = await memory.list(ref)
    assert.deepEqual((await memory.list(ref)).entries, entries, 'the same list twice')
    const paged: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: Awaited<ReturnType<typeof memory.list>> = await memory.list(ref, {
        limit: 1,
        ...(cursor ? { cursor } : {}),
      })
      paged.push(...page.entries.map(({ id }) => id))
      cursor = page.cursor
    }
    assert.deepEqual(
      paged,
      entries.map(({ id }) => id),
      'pages neither overlap nor leave a gap',
    )
  }
}
