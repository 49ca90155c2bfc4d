import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driveFamily, putLoop } from '../../../test/support/loops.ts'
import { openUseCases, putChain, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { ModelRequest } from '../../core/agents/model-request.ts'
import type { Run, RunEvent } from '../../core/run/run.ts'
import { putAgent } from '../agents.ts'
import { put } from '../entries/put.ts'
import { createRun } from './create-run.ts'
import { forkRun } from './fork-run.ts'
import { resolveInterrupt } from './resolve-interrupt.ts'

type World = UseCaseWorld & { readonly asked: readonly ModelRequest[] }

/** A host whose model gives these answers, one for each call. A further call fails. */
async function openWorld(...answers: readonly (object | string)[]): Promise<World> {
  const asked: ModelRequest[] = []
  const model = {
    provider: 'test',
    model: 'tiny',
    async complete(request: ModelRequest) {
      const answer = answers[asked.push(request) - 1]
      if (answer === undefined) throw new Error('The model was called again.')
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
      const usage = { inputTokens: 1, outputTokens: 1 }
      return { text, toolCalls: [], isRefused: false, isTruncated: false, usage }
    },
  }
  const world = openUseCases(openInMemoryStore, { host: { model } })
  await putChain(world, 'quiet', [{ id: 'only', typeId: 'core.noop' }])
  await putChain(world, 'hidden', [{ id: 'only', typeId: 'core.noop' }])
  return { ...world, asked, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const config = {
  prompt: 'Work on {{inputs.ticket}}.',
  workers: ['quiet'],
  memory: { notes: { memoryRef: 'notes' } },
}
const work = { kind: 'next-worker', nextWorkerIds: ['quiet'] }
const inputs = { ticket: 'T-7' }

async function start(world: World, draft: object = {}): Promise<Run> {
  await putLoop(world, 'loop', config, { askUserRouting: 'clarification' })
  const { run } = await createRun(world.tenant, { workflowId: 'loop', inputs, ...draft })
  return driveFamily(world, run)
}

async function answer(world: World, run: Run, nodeId: string, value: object): Promise<Run> {
  await resolveInterrupt(world.tenant, { runId: run.runId, nodeId }, { value, by: 'key_1' })
  return driveFamily(world, run)
}

const eventsOf = ({ engine }: UseCaseWorld, { runId }: Run): Promise<readonly RunEvent[]> =>
  engine.storage.runs.events({ tenantId, runId, from: 0, limit: 1_000 })
const ofType = (events: readonly RunEvent[], type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload)
const decisions = async (world: World, run: Run) =>
  ofType(await eventsOf(world, run), 'runOrchestrator.decided').map(({ decision }) => decision)

test('a model decides turn by turn, sees the turn before, and a replay repeats it without a call', async () => {
  await using world = await openWorld(
    { ...work, confidence: 0.9 },
    { kind: 'ask-user', prompt: 'Does Ada still like CANARY tea?' },
    { kind: 'terminate', reason: 'CANARY', confidence: 1, nextWorkerIds: [] },
  )
  await put(world.tenant, 'notes', { content: 'Ada likes CANARY tea.' })
  const asking = await start(world)
  const run = await answer(world, asking, 'send', { answers: { answer: 'Yes.' } })
  assert.equal(run.status, 'completed', JSON.stringify(run.text.error))
  const shown = [
    { ...work, confidence: 0.9 },
    { kind: 'ask-user', prompt: 'The question is in the interrupt.' },
    { kind: 'terminate', confidence: 1 },
  ]
  assert.deepEqual(await decisions(world, run), shown)
  const [first, , third] = world.asked.map(({ messages }) => messages.map(({ content }) => content).join('\n'))
  assert.match(first ?? '', /Work on T-7\.[\s\S]*quiet[\s\S]*CANARY tea[\s\S]*"turn":1/)
  assert.doesNotMatch(first ?? '', /hidden/)
  assert.match(third ?? '', /"turn":3,"lastDecision":\{"kind":"ask-user"[\s\S]*"answer":"Yes\."/)
  const events = await eventsOf(world, run)
  assert.doesNotMatch(JSON.stringify(events), /CANARY/)
  assert.equal(ofType(events, 'provider.usage').length, 3)
  const fork = await forkRun(world.tenant, run.runId, { mode: 'replay' })
  const replay = await driveFamily(world, fork.run)
  assert.equal(replay.status, 'completed', JSON.stringify(replay.text.error))
  assert.deepEqual(await decisions(world, replay), shown)
  assert.deepEqual(replay.text.decision, run.text.decision)
  assert.equal(world.asked.length, 3)
})

test('a branch takes over the answers of the turns before it, and asks for the others', async () => {
  await using world = await openWorld(work, { kind: 'terminate' }, work, { kind: 'terminate', reason: 'again' })
  const run = await start(world)
  const events = await eventsOf(world, run)
  const second = events.findLast(({ type, nodeId }) => type === 'node.started' && nodeId === 'lead')
  assert.ok(second)
  const fork = await forkRun(world.tenant, run.runId, { mode: 'branch', fromSeq: second.sequence })
  const branch = await driveFamily(world, fork.run)
  assert.equal(branch.status, 'completed', JSON.stringify(branch.text.error))
  assert.equal(world.asked.length, 4)
  assert.deepEqual(
    (await decisions(world, branch)).map((decision) => (decision as { kind: string }).kind),
    ['next-worker', 'next-worker', 'terminate'],
  )
})

test('a low confidence is held back for a person, whose answer costs no call and is not asked for twice', async () => {
  await using world = await openWorld({ ...work, confidence: 0.3 }, { kind: 'terminate' })
  const held = await start(world)
  assert.equal(held.status, 'waiting-approval')
  const [suspended] = ofType(await eventsOf(world, held), 'node.suspended')
  assert.equal(suspended?.reason, 'low-confidence')
  assert.deepEqual([await decisions(world, held), world.asked.length], [[], 1])
  const run = await answer(world, held, 'lead', { action: 'accept' })
  assert.equal(run.status, 'completed', JSON.stringify(run.text.error))
  assert.deepEqual(await decisions(world, run), [work, { kind: 'terminate' }])
  assert.equal(world.asked.length, 2)
})

test('a run that lowers the threshold still does not execute a decision below the floor', async () => {
  await using world = await openWorld({ ...work, confidence: 0.4 })
  const held = await start(world, { configurable: { escalationThreshold: 0.2 } })
  assert.equal((await decisions(world, held)).length, 1)
  const [escalated] = ofType(await eventsOf(world, held), 'core.workflowChain.confidence-escalated')
  assert.equal(escalated?.confidence, 0.4)
  const run = await answer(world, held, 'send', { action: 'reject' })
  assert.equal(run.text.error?.code, 'decision_rejected')
})

test('a model can run the workflows of the list only: an answer that is no decision is sent back once', async () => {
  const other = { kind: 'next-worker', nextWorkerIds: ['hidden'] }
  await using world = await openWorld(other, work, 'done', { kind: 'next-worker' })
  const run = await start(world)
  assert.deepEqual(await decisions(world, run), [work])
  assert.equal(run.text.error?.code, 'model_output_invalid')
  assert.equal(world.asked.length, 4)
})

const agentId = 'local.desk.lead'
const manifest = { agentId, persona: 'Lead', modelClass: 'general', systemPrompt: 'You lead the desk.' }
const sure = { ...manifest, confidence: { defaultThreshold: 0.95 } }

/** A run whose supervisor decides for an agent, with this config. */
async function startAgent(world: World, supervisorConfig: object, draft: object = {}): Promise<Run> {
  await putLoop(world, 'loop', supervisorConfig as Record<string, unknown>, {}, { agent: { agentId } })
  const { run } = await createRun(world.tenant, { workflowId: 'loop', inputs, ...draft })
  return driveFamily(world, run)
}

test('the prompt and the threshold of an installed agent hold for its supervisor, as they were at its first turn', async () => {
  const confident = { ...work, confidence: 0.9 }
  await using world = await openWorld(confident, { kind: 'terminate', confidence: 0.9 })
  await putAgent(world.tenant, sure, {})
  const held = await startAgent(world, { workers: ['quiet'] })
  assert.equal(held.status, 'waiting-approval', JSON.stringify(held.text.error))
  const suspended = { reason: 'low-confidence', agentId, threshold: 0.95, observed: 0.9 }
  assert.partialDeepStrictEqual(ofType(await eventsOf(world, held), 'node.suspended')[0], suspended)
  await putAgent(world.tenant, { ...manifest, systemPrompt: 'You changed.', confidence: { defaultThreshold: 0.1 } }, {})
  const again = await answer(world, held, 'lead', { action: 'accept' })
  // The second decision needs a person too: the threshold is that of the first turn.
  assert.equal(again.status, 'waiting-approval')
  const run = await answer(world, again, 'lead', { action: 'accept' })
  assert.equal(run.status, 'completed', JSON.stringify(run.text.error))
  const prompts = world.asked.map(({ messages: [system] }) => system?.content ?? '')
  for (const prompt of prompts) assert.match(prompt, /^You lead the desk\.\n\nYou decide what happens next/)
  assert.doesNotMatch(JSON.stringify(await eventsOf(world, run)), /You lead/)
  const { run: fork } = await forkRun(world.tenant, run.runId, { mode: 'replay' })
  const replay = await driveFamily(world, fork)
  assert.equal(replay.status, 'completed', JSON.stringify(replay.text.error))
  assert.deepEqual(await decisions(world, replay), await decisions(world, run))
  assert.deepEqual([replay.facts.agents, world.asked.length], [run.facts.agents, 2])
})

test('the prompt of the node comes after that of the agent, and the threshold of the run before that of the manifest', async () => {
  await using world = await openWorld({ kind: 'terminate', confidence: 0.6 })
  await putAgent(world.tenant, sure, {})
  const run = await startAgent(world, config, { configurable: { escalationThreshold: 0.6 } })
  assert.equal(run.status, 'completed', JSON.stringify(run.text.error))
  assert.match(world.asked[0]?.messages[0]?.content ?? '', /^You lead the desk\.\n\nWork on T-7\.\n\nYou decide/)
})

test('an agent that is only named has no manifest, also when one is stored while a person is asked', async () => {
  await using world = await openWorld({ ...work, confidence: 0.6 })
  const held = await startAgent(world, config)
  assert.partialDeepStrictEqual(ofType(await eventsOf(world, held), 'node.suspended')[0], { threshold: 0.7 })
  await putAgent(world.tenant, { ...manifest, confidence: { defaultThreshold: 0.1 } }, {})
  const run = await answer(world, held, 'lead', { action: 'reject' })
  assert.equal(run.text.error?.code, 'decision_rejected')
})

test('a supervisor without rules needs a prompt, of its node or of its agent', async () => {
  await using world = await openWorld()
  const run = await startAgent(world, { workers: ['quiet'] })
  assert.deepEqual([run.status, run.text.error?.code, world.asked.length], ['failed', 'validation_error', 0])
})

test('a supervisor decides by rules or with a model', async () => {
  await using world = await openWorld()
  const field = (more: object) =>
    putLoop(world, 'loop', more as Record<string, unknown>).then(
      () => null,
      ({ details }) => details.field,
    )
  const rules = [{ decide: { kind: 'terminate' } }]
  assert.match(await field({ ...config, rules }), /config\.prompt$/)
  assert.match(await field({ ...config, prompt: '' }), /config\.prompt$/)
  assert.match(await field({ ...config, workers: [1] }), /config\.workers\[0\]$/)
  assert.match(await field({}), /config\.rules$/)
})
