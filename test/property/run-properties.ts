import assert from 'node:assert/strict'
import { openModel } from '../../src/adapters/model/open.ts'
import { forkRun } from '../../src/app/runs/fork.ts'
import { viewOfRun } from '../../src/app/runs/run-view.ts'
import { isEnded } from '../../src/core/run/run.ts'
import { settle, tell, tellWithoutEnd } from './run-acts.ts'
import { checkLog, checkReads, toEntry } from './run-check.ts'
import { dawn } from './run-definition.ts'
import { checkBranch, checkReplay, checkSameReplay, fork, memoryState } from './run-forks.ts'
import { planRefs } from './run-plan.ts'
import type { ForkPlan, Story } from './run-script.ts'
import { RunEyes, type Told, toldOf, toldOfAll } from './run-view.ts'
import type { Store, World } from './run-world.ts'

/** What must hold for every story, on every store. */

/** Each read gives what the model says, in the journal, in the variables, and to whoever looks through the run later. */
export async function readsAreAsPredicted(store: Store, story: Story): Promise<void> {
  const world = await tell(store, story)
  const told = await toldOfAll(world)
  for (const runId of told.keys()) {
    checkLog(world, told, runId)
    checkReads(world, told, runId)
    await checkViewFromOutside(world, told, runId)
  }
}

/** `runId=` on the host extension: the run's eyes after everything it did, with what is over by now left out. */
async function checkViewFromOutside(world: World, told: ReadonlyMap<string, Told>, runId: string): Promise<void> {
  const { engine, tenantId, clock } = world
  const eyes = new RunEyes(world, told)
  const run = await viewOfRun(engine.tenant(tenantId), runId)
  for (const ref of planRefs.filter((name) => /^(notes|user-1|runs:.*)$/.test(name))) {
    const { entries } = await engine.tenant(tenantId).list(ref, { run })
    const expected = eyes.sees(runId, Number.MAX_SAFE_INTEGER, ref, clock.now).map(toEntry)
    assert.deepEqual(JSON.parse(JSON.stringify(entries)), expected, `${ref} through ${runId}`)
  }
}

/** A store that differs from the model in a run, an event or a call has decided something by itself. */
export async function runsAreThoseOfTheModel(store: Store, story: Story): Promise<void> {
  const clock = { now: 0 }
  const model = { storage: openModel({ now: () => clock.now }), clock }
  const dump = async (world: World) => {
    const runs = [...(await toldOfAll(world)).values()]
    const text = JSON.stringify({ runs, memory: await memoryState(world) }).replaceAll(world.tenantId, 'tenant')
    // The chain of hashes begins with the tenant's name, and the first event of a run has it too.
    const withoutHashes = text
      .replaceAll(/"(lastHash|hash|prev|events|calls)":"[^"]*"/g, '"$1":""')
      .replaceAll(/(\\"digest\\":\\")[^"]*(\\",\\"id\\":\\"run_)/g, '$1$2')
    return JSON.parse(withoutHashes) as unknown
  }
  assert.deepEqual(await dump(await tell(store, story)), await dump(await tell(model, story)))
}

/** A replay tells what its source told, and so does a replay of the replay; memory stays as it was. */
export async function replaysRepeat(store: Store, story: Story): Promise<void> {
  const world = await tell(store, story)
  const sources = [...(await toldOfAll(world)).values()]
  if (sources.length === 0) return
  for (const { run, from, again, during } of story.forks) {
    const before = await memoryState(world)
    const source = sources[run % sources.length] as Told
    const fromSeq = placeIn(source, from)
    const replay = await fork(world, source.run.runId, 'replay', fromSeq)
    checkReplay(source, replay)
    checkReplay(replay, await fork(world, replay.run.runId, 'replay', placeIn(replay, again)))
    assert.deepEqual(await memoryState(world), before, 'memory is as it was')
    const disturbed = await fork(world, source.run.runId, 'replay', fromSeq, during)
    // Nothing makes a difference to a replay, nor the death of a worker.
    checkSameReplay(replay, disturbed)
    const pause = { do: 'pause', nth: 0, isImmediate: again > from } as const
    const paused = await fork(world, source.run.runId, 'replay', fromSeq, [{ before: 4, act: pause }])
    checkSameReplay(replay, paused)
    checkSameReplay(replay, await fork(world, source.run.runId, 'replay', fromSeq))
    assert.deepEqual(await toldOf(world, source.run.runId), source, 'the source is as it was')
  }
}

/** A branch inherits its source's log and eyes up to the point, and lives for itself from there on. */
export async function branchesGoOn(store: Store, story: Story): Promise<void> {
  const world = await tell(store, story)
  for (const plan of story.forks) await checkOneBranch(world, plan)
  // The children that branches started, too.
  const told = await toldOfAll(world)
  for (const { run } of told.values()) if (run.facts.fork?.mode !== 'replay') checkReads(world, told, run.runId)
}

async function checkOneBranch(world: World, { run, isOfFork, from, again, during }: ForkPlan): Promise<void> {
  // Every run there is, so that branches of branches, of children and of replays come up.
  const all = [...(await toldOfAll(world)).values()]
  const forks = all.filter((told) => told.run.facts.fork !== null)
  const sources = isOfFork && forks.length > 0 ? forks : all
  const source = sources[run % Math.max(sources.length, 1)]
  if (!source) return
  const fromSeq = placeIn(source, from)
  const branch = await fork(world, source.run.runId, 'branch', fromSeq, during)
  const told = await toldOfAll(world)
  checkBranch(world, source, branch, fromSeq)
  checkLog(world, told, branch.run.runId)
  checkReads(world, told, branch.run.runId)
  await checkViewFromOutside(world, told, branch.run.runId)
  assert.deepEqual(await toldOf(world, source.run.runId), source, 'the source is as it was')
  checkReplay(branch, await fork(world, branch.run.runId, 'replay', placeIn(branch, again)))
}

/** A run under way can be branched, too: both go on, and neither knows of the other. */
export async function branchesOfLiveRunsGoOn(store: Store, story: Story): Promise<void> {
  const world = await tellWithoutEnd(store, story)
  const { engine, tenantId } = world
  const begun: { source: Told; runId: string; fromSeq: number }[] = []
  for (const { run, from } of story.forks) {
    const all = [...(await toldOfAll(world)).values()]
    const live = all.filter((told) => !isEnded(told.run.status))
    const source = live[run % Math.max(live.length, 1)]
    if (!source) continue
    const fromSeq = placeIn(source, from)
    const draft = { mode: 'branch', fromSeq } as const
    const branch = await world.undisturbed(() => forkRun(engine.tenant(tenantId), source.run.runId, draft))
    assert.deepEqual(await toldOf(world, source.run.runId), source, 'the source is as it was')
    begun.push({ source, runId: branch.run.runId, fromSeq })
  }
  await settle(world)
  const told = await toldOfAll(world)
  for (const { source, runId, fromSeq } of begun) checkBranch(world, source, told.get(runId) as Told, fromSeq)
  for (const runId of told.keys()) {
    checkLog(world, told, runId)
    checkReads(world, told, runId)
    await checkViewFromOutside(world, told, runId)
  }
}

function placeIn({ events }: Told, share: number): number {
  return Math.round(share * events.length)
}

/** With a clock that stands still every instant is the same, and the order must come from somewhere else. */
export async function orderNeedsNoClock(store: Store, story: Story): Promise<void> {
  const world = await tell(store, story)
  await settle(world)
  assert.equal(world.clock.now, dawn, 'nothing had to wait')
  const told = await toldOfAll(world)
  for (const runId of told.keys()) checkReads(world, told, runId)
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
