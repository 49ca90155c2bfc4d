import assert from 'node:assert/strict'
import { writeSettings } from '../../src/app/redaction/rules.ts'
import { cancelRun, failRunOfDeadLetter, pauseRun, resumeRun } from '../../src/app/runs/control.ts'
import { createRun } from '../../src/app/runs/create-run.ts'
import { resolveInterrupt } from '../../src/app/runs/resolve-interrupt.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { isEnded, type Run } from '../../src/core/run/run.ts'
import { dawn, flowIdOf } from './run-definition.ts'
import { planRefs, planTags } from './run-plan.ts'
import type { Act, Command, Scenario } from './run-script.ts'
import { type Store, World } from './run-world.ts'

/** Runs the scenario until every run has ended. */
export async function runScenario(store: Store, scenario: Scenario): Promise<World> {
  const world = await startScenario(store, scenario)
  await settle(world)
  return world
}

/** Runs the scenario only to its last step: runs may still wait for a reply, sleep, be paused, or have lost their worker. */
export async function startScenario(store: Store, scenario: Scenario): Promise<World> {
  const world = new World(store, scenario.flows)
  world.onAct = (act) => doAct(world, act)
  await world.undisturbed(() => world.registerFlows())
  if (scenario.isQuiet)
    await world.undisturbed(() => writeSettings(world.engine.tenant(world.tenantId), { sessionSummary: false }))
  for (const act of scenario.before) await world.undisturbed(() => doAct(world, act))
  for (const command of scenario.commands) await obey(world, command)
  return world
}

async function obey(world: World, command: Command): Promise<void> {
  if (command.do === 'act') return world.undisturbed(() => doAct(world, command.act))
  if (command.do === 'start') {
    const inputs = { known: command.known.map((nth) => knownId(world, nth)), flag: command.flag, empty: '' }
    const configurable = command.nodesMax ? { recursionLimit: command.nodesMax } : {}
    const draft = { workflowId: flowIdOf(command.flow), inputs, configurable }
    await world.undisturbed(() => createRun(world.engine.tenant(world.tenantId), draft))
  }
  await world.driveDue(command.during)
}

async function doAct(world: World, act: Act): Promise<void> {
  try {
    await tryAct(world, act)
  } catch (error) {
    // A step that is impossible now (revise a deleted entry, resume a running run) is refused, and the scenario continues.
    if (!isColophonError(error)) throw error
  }
}

async function tryAct(world: World, act: Act): Promise<void> {
  const { engine, tenantId, history, clock } = world
  const memory = engine.tenant(tenantId)
  switch (act.do) {
    case 'clock':
      clock.now += act.by
      return
    case 'put': {
      const drafts = Array.from({ length: act.size }, (_, nth) => ({
        content: `from outside, ${history.versions.length}/${nth}`,
        tags: act.tag === null ? [] : [planTags[act.tag] ?? ''],
        ...(act.ttl === null ? {} : { expiresAt: new Date(clock.now + act.ttl) }),
      }))
      await memory.putMany(planRefs[act.ref] ?? '', drafts)
      return
    }
    case 'revise':
    case 'delete': {
      const target = history.versions[act.nth % Math.max(history.versions.length, 1)]
      if (!target) return
      if (act.do === 'delete') await memory.delete(target.ref, target.id)
      else await memory.revise(target.ref, target.id, { content: `revised, ${history.position}` })
      return
    }
    case 'answer': {
      const open = (await liveRuns(world)).flatMap(openQuestions)
      const place = open[act.nth % Math.max(open.length, 1)]
      if (!place) return
      const { action } = act
      const value = action === 'accept' ? { action, id: knownId(world, act.known) } : { action }
      await resolveInterrupt(engine.tenant(tenantId), place, { value, by: 'another-caller' })
      return
    }
    case 'work': {
      const job = await world.claim()
      if (job) await world.drive(job)
      return
    }
    default: {
      const live = await liveRuns(world)
      const run = live[act.nth % Math.max(live.length, 1)]
      if (!run) return
      if (act.do === 'cancel') await cancelRun(engine.tenant(tenantId), run.runId, 'enough')
      else if (act.do === 'giveUp') await failRunOfDeadLetter(engine.tenant(tenantId), run.runId)
      else if (act.do === 'resume') await resumeRun(engine.tenant(tenantId), run.runId, {})
      else {
        const drainPolicy = act.isImmediate ? 'immediate' : 'drain-current-node'
        await pauseRun(engine.tenant(tenantId), run.runId, { drainPolicy, reason: 'a break' })
      }
    }
  }
}

function knownId({ history }: World, nth: number): string {
  return history.versions[nth % Math.max(history.versions.length, 1)]?.id ?? 'mem_none'
}

async function liveRuns({ storage, tenantId, history }: World): Promise<Run[]> {
  const runs = await Promise.all([...history.creations.keys()].map((runId) => storage.runs.get(tenantId, runId)))
  return runs.filter((run) => run !== null && !isEnded(run.status)) as Run[]
}

function openQuestions({ runId, text, facts }: Run): { runId: string; nodeId: string }[] {
  const isOpen = (nodeId: string) => facts.nodes[nodeId]?.status === 'waiting'
  return Object.entries(text.interrupts)
    .filter(([nodeId, { resolution }]) => resolution === null && isOpen(nodeId))
    .map(([nodeId]) => ({ runId, nodeId }))
}

/** Far beyond every delay and expiry of a scenario, and far below the time limit of a run. */
const lateMs = 3_600_000

/** Answers, resumes and waits until every run has ended. A run that does not end by that is stuck. */
export async function settle(world: World, { isAnswered = true } = {}): Promise<void> {
  for (let round = 0; round < 300; round++) {
    await world.driveDue()
    const live = await liveRuns(world)
    if (live.length === 0) return
    const paused = live.find(({ facts }) => facts.pause !== null)
    const question = isAnswered && live.some((run) => openQuestions(run).length > 0)
    if (!paused && !question) await passTime(world, live)
    else if (paused) await world.undisturbed(() => doAct(world, { do: 'resume', nth: live.indexOf(paused) }))
    else await world.undisturbed(() => doAct(world, { do: 'answer', nth: 0, action: 'accept', known: round }))
  }
  assert.fail('the runs do not come to an end')
}

async function passTime({ storage, tenantId, clock }: World, live: readonly Run[]): Promise<void> {
  const jobs = await Promise.all(live.map(({ facts }) => storage.jobs.get(tenantId, facts.jobId)))
  const due = jobs.flatMap((job) => (job?.status === 'queued' ? [job.dueAt] : []))
  const next = Math.min(...due)
  const stuck = live.map(({ runId, status }) => `${runId} ${status}`).join(', ')
  assert.ok(next < dawn + lateMs, `nothing will ever go on with ${stuck}`)
  clock.now = Math.max(next, clock.now + 1)
}
