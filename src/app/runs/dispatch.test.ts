import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driveFamily, putLoop } from '../../../test/support/loops.ts'
import { openUseCases, putChain, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { aesCipher } from '../../adapters/cipher/aes.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { Run, RunEvent } from '../../core/run/run.ts'
import { put } from '../entries/put.ts'
import { putSecret } from '../redaction/vault.ts'
import { cancelRun } from './control.ts'
import { createRun } from './create-run.ts'
import { forkRun } from './fork-run.ts'
import { resolveInterrupt } from './resolve-interrupt.ts'

const noop = { id: 'only', typeId: 'core.noop' }
const worker = (...nextWorkerIds: string[]) => ({ kind: 'next-worker', nextWorkerIds })
const onTurn = (turn: number, decide: object) => ({
  when: [{ type: 'equals', left: 'output.turn', right: turn }],
  decide,
})
const byQuestion = { askUserRouting: 'clarification' }
const terminate = { decide: { kind: 'terminate', reason: 'done' } }

async function openWorld(): Promise<UseCaseWorld> {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, 'quiet', [noop])
  await putChain(world, 'greets', [{ id: 'say', typeId: 'core.identity', inputs: {} }], {
    variables: [
      { name: 'greeting', type: 'string', defaultValue: 'nobody' },
      { name: 'outcome', type: 'string', defaultValue: 'done' },
    ],
  })
  await putChain(world, 'falls', [{ id: 'fall', typeId: 'core.fail' }])
  return world
}

async function start(world: UseCaseWorld, workflowId: string, draft: object = {}): Promise<Run> {
  const { run } = await createRun(world.tenant, { workflowId, ...draft })
  return driveFamily(world, run)
}

const eventsOf = ({ engine }: UseCaseWorld, { runId }: Run): Promise<readonly RunEvent[]> =>
  engine.storage.runs.events({ tenantId, runId, from: 0, limit: 1_000 })

const phases = (events: readonly RunEvent[]) =>
  events.filter(({ type }) => type === 'core.workflowChain.event').map(({ payload }) => payload.phase)

test('a loop runs a worker, takes over its outputs, and ends when the supervisor terminates', async () => {
  await using world = await openWorld()
  const mapping = { inputMapping: { greeting: 'name' }, outputMapping: { result: 'outcome' } }
  await putLoop(world, 'loop', { rules: [onTurn(1, worker('greets')), terminate] }, mapping, {
    variables: [{ name: 'name', type: 'string', defaultValue: 'Ada' }],
  })
  const run = await start(world, 'loop')
  assert.equal(run.status, 'completed')
  assert.equal(run.text.variables.result, 'done')
  const events = await eventsOf(world, run)
  assert.deepEqual(phases(events), ['dispatch.began', 'dispatch.succeeded', 'child.completed', 'output.harvested'])
  const decided = events.filter(({ type }) => type === 'runOrchestrator.decided')
  assert.deepEqual(
    decided.map(({ payload }) => payload),
    [
      { agentId: 'host:lead', decision: worker('greets') },
      { agentId: 'host:lead', decision: { kind: 'terminate', reason: 'done' } },
    ],
  )
  const chain = events.filter(({ type }) => type === 'core.workflowChain.event')
  assert.deepEqual(
    chain.map(({ cause }) => cause),
    [decided[0]?.sequence, ...chain.slice(0, 3).map(({ sequence }) => sequence)],
  )
  assert.deepEqual(chain.at(-1)?.payload.harvestedKeys, ['result'])
  const sent = events.find(({ type }) => type === 'node.dispatched')
  assert.deepEqual([sent?.cause, sent?.payload.childWorkflowId], [decided[0]?.sequence, 'greets'])
  const child = await world.engine.storage.runs.get(tenantId, String(sent?.payload.childRunId))
  assert.deepEqual(child?.text.inputs, { greeting: 'Ada' })
  assert.deepEqual(run.facts.orchestrator?.decisions, 2)
})

test('the workers of one decision run one after another, and each gives the next what it left', async () => {
  await using world = await openWorld()
  await putChain(world, 'makes', [noop], { variables: [{ name: 'made', type: 'string', defaultValue: 'hello' }] })
  await putChain(world, 'takes', [noop], { variables: [{ name: 'given', type: 'string' }] })
  const config = {
    perWorkerOutputMappings: { makes: { shared: 'made' } },
    perWorkerInputMappings: { takes: { given: 'shared' } },
  }
  await putLoop(world, 'loop', { rules: [onTurn(1, worker('makes', 'takes')), terminate] }, config)
  const run = await start(world, 'loop')
  assert.equal(run.status, 'completed')
  const [, second] = run.facts.dispatched ?? []
  const child = await world.engine.storage.runs.get(tenantId, second?.runId ?? '')
  assert.deepEqual(child?.text.inputs, { given: 'hello' })
  assert.equal(phases(await eventsOf(world, run)).filter((phase) => phase === 'output.harvested').length, 1)
})

test('a failed or unknown worker fails the run, with a chain that ends there', async () => {
  await using world = await openWorld()
  await putLoop(world, 'falling', { rules: [{ decide: worker('falls') }] }, { outputMapping: { a: 'b' } })
  const fell = await start(world, 'falling')
  assert.deepEqual([fell.status, fell.text.error?.code], ['failed', 'child_run_failed'])
  assert.deepEqual(phases(await eventsOf(world, fell)), ['dispatch.began', 'dispatch.succeeded', 'child.failed'])
  await putLoop(world, 'lost', { rules: [{ decide: worker('nowhere') }] })
  const lost = await start(world, 'lost')
  assert.deepEqual([lost.status, lost.text.error?.code], ['failed', 'not_found'])
  assert.deepEqual(phases(await eventsOf(world, lost)), ['dispatch.began', 'dispatch.failed'])
})

test('a cancelled child fails its parent, and a cancelled parent cancels its child', async () => {
  await using world = await openWorld()
  await putChain(world, 'waits', [{ id: 'gate', typeId: 'core.approvalGate' }])
  await putLoop(world, 'loop', { rules: [{ decide: worker('waits') }] }, { outputMapping: { a: 'b' } })
  const first = await start(world, 'loop')
  await cancelRun(world.tenant, first.facts.dispatched?.[0]?.runId ?? '', 'enough')
  const failed = await driveFamily(world, first)
  assert.deepEqual([failed.status, failed.text.error?.code], ['failed', 'child_run_failed'])
  assert.equal(phases(await eventsOf(world, failed)).at(-1), 'child.cancelled')
  const second = await start(world, 'loop')
  await cancelRun(world.tenant, second.runId, 'enough')
  const child = await world.engine.storage.runs.get(tenantId, second.facts.dispatched?.[0]?.runId ?? '')
  assert.equal(child?.status, 'cancelled')
})

test('a loop is bounded by the caps of its nodes, and by those of the workflow', async () => {
  await using world = await openWorld()
  const always = { rules: [{ decide: worker('quiet') }] }
  await putLoop(world, 'lead-cap', { ...always, iterationCap: 2 })
  await putLoop(world, 'send-cap', always, { iterationCap: 1 })
  await putLoop(world, 'flow-cap', always, {}, { settings: { maxLoopbackIterations: 3 } })
  const cases = [
    ['lead-cap', 'orchestrator-iterations', 2],
    ['send-cap', 'dispatch-iterations', 1],
    ['flow-cap', 'orchestrator-iterations', 3],
  ] as const
  for (const [workflowId, kind, limit] of cases) {
    const run = await start(world, workflowId)
    assert.deepEqual([run.status, run.text.error?.code], ['failed', 'loop_limit_exceeded'])
    const breach = (await eventsOf(world, run)).find(({ type }) => type === 'cap.breached')
    const nodeId = kind === 'dispatch-iterations' ? 'send' : 'lead'
    assert.deepEqual(breach?.payload, { kind, limit, observed: limit + 1, nodeId })
  }
})

test('rules read variables and memory, and their text is in no event', async () => {
  await using world = await openWorld()
  await put(world.tenant, 'cases', { content: 'the heron has landed' })
  const rules = [
    {
      when: [
        { type: 'equals', left: 'output.memory.open.count', right: 1 },
        { type: 'contains', left: 'output.memory.open.newest', right: 'heron' },
        { type: 'equals', left: 'output.turn', right: 1 },
      ],
      decide: { kind: 'ask-user', prompt: 'What about {{outputs.lead.memory.open.newest}}?' },
    },
    { when: [{ type: 'equals', left: 'outputs.send.answers.answer', right: 'go' }], decide: { kind: 'terminate' } },
  ]
  await putLoop(world, 'loop', { rules, memory: { open: { memoryRef: 'cases' } } }, byQuestion)
  const asked = await start(world, 'loop')
  assert.equal(asked.status, 'waiting-input')
  assert.ok(JSON.stringify(asked.text.interrupts.send?.request).includes('the heron has landed'))
  await resolveInterrupt(
    world.tenant,
    { runId: asked.runId, nodeId: 'send' },
    { value: { answers: { answer: 'go' } }, by: 'key_1' },
  )
  const run = await driveFamily(world, asked)
  assert.equal(run.status, 'completed')
  const log = await eventsOf(world, run)
  assert.ok(!JSON.stringify(log).includes('heron'))
  const { run: fork } = await forkRun(world.tenant, run.runId, { mode: 'replay' })
  const replay = await driveFamily(world, fork)
  assert.deepEqual([replay.status, replay.text.outputs], ['completed', run.text.outputs])
})

test('a template of a worker shows the id of a workflow, and no other text', async () => {
  await using world = await openWorld()
  await put(world.tenant, 'cases', { content: 'the heron has landed' })
  await put(world.tenant, 'good', { content: 'quiet' })
  for (const [memoryRef, shown] of [
    ['cases', '{{outputs.lead.memory.open.newest}}'],
    ['good', 'quiet'],
  ] as const) {
    const rules = [onTurn(1, worker('{{outputs.lead.memory.open.newest}}')), terminate]
    await putLoop(world, `by-${memoryRef}`, { rules, memory: { open: { memoryRef } } })
    const run = await start(world, `by-${memoryRef}`)
    const log = await eventsOf(world, run)
    assert.ok(!JSON.stringify(log).includes('heron'))
    const decided = log.find(({ type }) => type === 'runOrchestrator.decided')
    assert.deepEqual(decided?.payload.decision, worker(shown))
    const began = log.find(({ payload }) => payload.phase === 'dispatch.began')
    assert.deepEqual(
      [began?.payload.workerId, run.text.error?.code],
      [shown, shown === 'quiet' ? undefined : 'not_found'],
    )
  }
})

test('a supervisor reads in each turn what its workers have written, and a replay reads the same', async () => {
  await using world = await openWorld()
  const note = { id: 'note', typeId: 'colophon.memory.put', config: { memoryRef: 'cases', content: 'a case' } }
  await putChain(world, 'notes', [note])
  const count = (right: number) => ({ type: 'equals', left: 'output.memory.open.count', right })
  const rules = [{ when: [count(2)], decide: { kind: 'terminate' } }, { decide: worker('notes') }]
  await putLoop(world, 'loop', { rules, memory: { open: { memoryRef: 'cases' } }, iterationCap: 5 })
  const run = await start(world, 'loop')
  assert.deepEqual([run.status, run.facts.orchestrator?.decisions], ['completed', 3])
  const { run: fork } = await forkRun(world.tenant, run.runId, { mode: 'replay' })
  const replay = await driveFamily(world, fork)
  assert.equal(replay.status, 'completed', JSON.stringify(replay.text.error))
  assert.deepEqual(await eventsOf(world, replay), await eventsOf(world, run))
})

test('a person is asked in several turns, and a replay has every answer', async () => {
  await using world = await openWorld()
  const ask = { kind: 'ask-user', prompt: 'Which?' }
  await putLoop(world, 'loop', { rules: [onTurn(1, ask), onTurn(2, ask), terminate] }, byQuestion)
  let run = await start(world, 'loop')
  for (const answer of ['one', 'two']) {
    assert.equal(run.status, 'waiting-input')
    const given = { value: { answers: { answer } }, by: 'key_1' }
    await resolveInterrupt(world.tenant, { runId: run.runId, nodeId: 'send' }, given)
    run = await driveFamily(world, run)
  }
  assert.equal(run.status, 'completed')
  const ids = (await eventsOf(world, run)).flatMap(({ type, payload }) =>
    type === 'interrupt.resolved' ? [payload.interruptId] : [],
  )
  assert.deepEqual(ids, ['int.send', 'int.send.2'])
  const { run: fork } = await forkRun(world.tenant, run.runId, { mode: 'replay' })
  const replay = await driveFamily(world, fork)
  assert.equal(replay.status, 'completed')
  assert.deepEqual(replay.text.interrupts, run.text.interrupts)
})

test('a replay starts no child, repeats decisions and chain, and has the same values', async () => {
  await using world = await openWorld()
  const config = { outputMapping: { result: 'outcome' } }
  await putLoop(
    world,
    'loop',
    { rules: [onTurn(1, worker('greets', 'quiet')), onTurn(2, worker('greets')), terminate] },
    config,
  )
  const run = await start(world, 'loop')
  const runsBefore = await runIds(world)
  const { run: fork } = await forkRun(world.tenant, run.runId, { mode: 'replay' })
  const replay = await driveFamily(world, fork)
  assert.equal(replay.status, 'completed', JSON.stringify(replay.text.error))
  assert.deepEqual(await runIds(world), [...runsBefore, replay.runId].sort())
  assert.deepEqual(await eventsOf(world, replay), await eventsOf(world, run))
  assert.deepEqual([replay.text.variables, replay.text.outputs], [run.text.variables, run.text.outputs])
})

test('a run that was cancelled in its second turn is replayed to the same end', async () => {
  await using world = await openWorld()
  await putChain(world, 'waits', [{ id: 'gate', typeId: 'core.approvalGate' }])
  await putLoop(world, 'loop', { rules: [onTurn(1, worker('greets')), { decide: worker('waits') }] })
  const waiting = await start(world, 'loop')
  await cancelRun(world.tenant, waiting.runId, 'enough')
  const { run: fork } = await forkRun(world.tenant, waiting.runId, { mode: 'replay' })
  const replay = await driveFamily(world, fork)
  assert.equal(replay.status, 'cancelled', JSON.stringify(replay.text.error))
  assert.deepEqual(await eventsOf(world, replay), await eventsOf(world, waiting))
})

test('a branch from any event runs to its own end', async () => {
  await using world = await openWorld()
  const config = { outputMapping: { result: 'outcome' } }
  await putLoop(world, 'loop', { rules: [onTurn(1, worker('greets')), onTurn(2, worker('quiet')), terminate] }, config)
  const run = await start(world, 'loop')
  const events = await eventsOf(world, run)
  for (let fromSeq = 1; fromSeq < events.length; fromSeq++) {
    const { run: fork } = await forkRun(world.tenant, run.runId, { mode: 'branch', fromSeq })
    const branch = await driveFamily(world, fork)
    assert.equal(branch.status, 'completed', `from ${fromSeq}: ${JSON.stringify(branch.text.error)}`)
    assert.equal(branch.text.variables.result, 'done')
    const decided = (await eventsOf(world, branch)).filter(({ type }) => type === 'runOrchestrator.decided')
    assert.equal(decided.length, 3, `decisions from ${fromSeq}`)
  }
})

test('a secret in a mapped variable reaches neither the child nor an event', async () => {
  await using world = openUseCases(openInMemoryStore, {
    vault: { cipher: aesCipher, masterKey: aesCipher.newKey(), otherKeys: [] },
  })
  await putChain(world, 'greets', [noop], { variables: [{ name: 'greeting', type: 'string' }] })
  await putSecret(world.tenant, 'token', { value: 'correct-horse-battery' })
  await putLoop(
    world,
    'loop',
    { rules: [onTurn(1, worker('greets')), terminate] },
    { inputMapping: { greeting: 'name' } },
    {
      variables: [{ name: 'name', type: 'string' }],
    },
  )
  const run = await start(world, 'loop', { inputs: { name: 'correct-horse-battery' } })
  const child = await world.engine.storage.runs.get(tenantId, run.facts.dispatched?.[0]?.runId ?? '')
  assert.equal(child?.text.inputs.greeting, '[REDACTED:token]')
  assert.ok(!JSON.stringify([run, child, await eventsOf(world, run)]).includes('correct-horse'))
})

async function runIds({ engine }: UseCaseWorld): Promise<string[]> {
  const all = await engine.storage.runs.list({ tenantId, status: null, workflowId: null, after: null, limit: 100 })
  return all.map(({ runId }) => runId).sort()
}
