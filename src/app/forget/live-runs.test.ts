import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { newSigner } from '../../../test/support/signer.ts'
import {
  continueRun,
  leaseJob,
  openUseCases,
  putChain,
  startRun,
  tenantId,
  type UseCaseWorld,
} from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { Run } from '../../core/run/run.ts'
import { erasedValue } from '../../core/workflow/erased-value.ts'
import { put } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { writeSettings } from '../redaction/rules.ts'
import { executeRun } from '../runs/execute-run.ts'
import { allEvents } from '../runs/recorded-run.ts'
import { resolveInterrupt } from '../runs/resolve-interrupt.ts'
import { runForget } from './forget-job.ts'
import { forget } from './start-forget.ts'

const { signal } = new AbortController()
const signer = newSigner()

type Nodes = Parameters<typeof putChain>[2]

const read = {
  id: 'read',
  typeId: 'colophon.memory.list',
  config: { memoryRef: 'people/{{inputs.user}}', into: 'first' },
}
const gate = { id: 'gate', typeId: 'core.approvalGate' }
const memoryNode = (op: string, config: object) => ({
  id: op,
  typeId: `colophon.memory.${op}`,
  config: { memoryRef: 'people/{{inputs.user}}', into: op, ...config },
})

/** A tenant in which a text with a null in it would match another person. */
async function openWorld() {
  const world = openUseCases(openInMemoryStore, { host: { signer } })
  const ada = await put(world.tenant, 'people/ada', { content: 'Ada prefers tea.', subject: 'ada' })
  await put(world.tenant, 'people/null', { content: 'Somebody else prefers tea.', tags: ['null'] })
  await put(world.tenant, 'people/[object Object]', { content: 'Somebody else.' })
  return { world, ada }
}

async function forgetAda(world: UseCaseWorld) {
  const answer = await forget(world.tenant, { subject: 'ada', reason: 'asked for' })
  assert.ok(!answer.dryRun)
  await runForget(world.tenant, answer.id, await leaseJob(world, answer.jobId), signal)
}

const stored = async (world: UseCaseWorld, { runId }: Run) =>
  (await world.engine.storage.runs.get(tenantId, runId)) as Run

/** Reads about Ada, waits at a gate while she is forgotten, and continues with the given nodes. */
async function continueAfterForget(world: UseCaseWorld, nodes: Nodes, more: object = {}, inputs: object = {}) {
  await putChain(world, 'held', [read, gate, ...nodes], more)
  const held = await startRun(world, { workflowId: 'held', inputs: { user: 'ada', ...inputs } })
  assert.equal(held.status, 'waiting-approval')
  await forgetAda(world)
  await resolveInterrupt(world.tenant, { runId: held.runId, nodeId: 'gate' }, { value: { action: 'accept' }, by: null })
  return continueRun(world, await stored(world, held))
}

async function refs(world: UseCaseWorld): Promise<string[]> {
  const found = await world.engine.storage.refs({ tenantId, after: null, now: world.clock.now, limit: 100 })
  return found.map(({ memoryRef }) => memoryRef).filter((ref) => !ref.startsWith('runs:'))
}

test('a read whose ref, tag, id or query was forgotten returns nothing, and the run continues', async () => {
  const { world, ada } = await openWorld()
  await using _ = world
  const run = await continueAfterForget(
    world,
    [
      memoryNode('list', {}),
      memoryNode('get', { id: '{{inputs.id}}' }),
      memoryNode('search', { query: 'tea' }),
      { ...memoryNode('list', { memoryRef: 'people/null', tag: '{{inputs.user}}', into: 'tagged' }), id: 'tagged' },
      { ...memoryNode('search', { memoryRef: 'people/null', query: '{{inputs.user}}', into: 'asked' }), id: 'asked' },
    ],
    {},
    { id: ada.id },
  )
  const { first, ...found } = run.text.variables
  assert.deepEqual([run.status, first], ['completed', erasedValue])
  assert.deepEqual(found, { list: [], get: null, search: [], tagged: [], asked: [] })
  assert.deepEqual(run.text.inputs, { user: erasedValue, id: erasedValue })
})

test('a run that has read nothing yet does not write about a subject that was forgotten since its start', async () => {
  const { world } = await openWorld()
  await using _ = world
  await putChain(world, 'early', [
    gate,
    memoryNode('put', { memoryRef: 'elsewhere', content: 'About {{inputs.user}}.' }),
  ])
  const [held, other] = [
    await startRun(world, { workflowId: 'early', inputs: { user: 'ada' } }),
    await startRun(world, { workflowId: 'early', inputs: { user: 'adam' } }),
  ]
  await forgetAda(world)
  const goOn = async ({ runId }: Run) => {
    await resolveInterrupt(world.tenant, { runId, nodeId: 'gate' }, { value: { action: 'accept' }, by: null })
    return continueRun(world, (await world.engine.storage.runs.get(tenantId, runId)) as Run)
  }
  const run = await goOn(held)
  assert.deepEqual([run.status, run.text.error?.code], ['failed', 'content_erased'])
  assert.deepEqual(run.text.inputs, { user: erasedValue })
  assert.equal((await goOn(other)).status, 'completed')
  const { entries } = await list(world.tenant, 'elsewhere')
  assert.deepEqual(
    entries.map(({ content }) => content),
    ['About adam.'],
  )
})

test('a write of a forgotten text, or to a forgotten ref, fails with content_erased and stores nothing', async () => {
  const writes = [
    memoryNode('put', { content: 'x' }),
    memoryNode('put', { memoryRef: 'elsewhere', content: 'About {{inputs.user}}.' }),
    memoryNode('put', { memoryRef: 'elsewhere', content: '{{variables.first.0.content}}' }),
    memoryNode('put', { memoryRef: 'elsewhere', content: 'x', tags: ['{{inputs.user}}'] }),
    memoryNode('put', { memoryRef: 'elsewhere', content: 'x', subject: '{{inputs.user}}' }),
    memoryNode('delete', { id: 'mem_1' }),
    memoryNode('delete', { memoryRef: 'elsewhere', id: '{{variables.first.0.id}}' }),
    { id: 'wait', typeId: 'core.delay', config: { delayMs: '{{inputs.user}}' } },
  ]
  for (const write of writes) {
    const { world } = await openWorld()
    await using _ = world
    const run = await continueAfterForget(world, [write])
    assert.deepEqual([run.status, run.text.error?.code], ['failed', 'content_erased'], JSON.stringify(write.config))
    assert.deepEqual(await refs(world), ['people/[object Object]', 'people/null'])
  }
})

test('a run continues after such a failed write if its workflow handles the failure', async () => {
  const { world } = await openWorld()
  await using _ = world
  const last = { id: 'last', typeId: 'colophon.memory.put', config: { memoryRef: 'elsewhere', content: 'still here' } }
  const edge = (source: string, target: string, more = {}) => ({
    id: `${source}-${target}`,
    sourceNodeId: source,
    targetNodeId: target,
    ...more,
  })
  const edges = [edge('read', 'gate'), edge('gate', 'put'), edge('put', 'last', { triggerRule: 'all_complete' })]
  const run = await continueAfterForget(world, [memoryNode('put', { content: 'x' }), last], { edges })
  assert.equal(run.status, 'completed')
  const failed = (await allEvents(world.tenant, run.runId)).find(({ type }) => type === 'node.failed')
  assert.equal((failed?.payload.error as { code?: string } | undefined)?.code, 'content_erased')
  assert.equal((await list(world.tenant, 'elsewhere')).entries.length, 1)
})

test('a condition on a forgotten value is false', async () => {
  for (const condition of [
    { type: 'notEquals', left: 'inputs.user', right: 'bob' },
    { type: 'equals', left: 'variables.first', right: null },
  ]) {
    const { world } = await openWorld()
    await using _ = world
    const edges = [
      { id: 'a', sourceNodeId: 'read', targetNodeId: 'gate' },
      { id: 'b', sourceNodeId: 'gate', targetNodeId: 'next', condition },
    ]
    const run = await continueAfterForget(world, [{ id: 'next', typeId: 'core.noop' }], { edges })
    assert.equal(run.facts.nodes.next?.status, 'skipped', JSON.stringify(condition))
  }
})

test('an erased value stays erased in outputs, in the inputs of a child, and in the outputs of that child', async () => {
  const { world } = await openWorld()
  await using _ = world
  await putChain(world, 'child', [memoryNode('list', { memoryRef: 'people/{{variables.who}}', into: 'found' })], {
    variables: [
      { name: 'who', type: 'string', required: true },
      { name: 'found', type: 'array' },
    ],
  })
  const inputMapping = { who: 'inputs.user' }
  const outputMapping = { fromChild: 'found', back: 'who' }
  const nodes = [
    { id: 'same', typeId: 'core.identity', inputs: { copy: { type: 'variable', variableName: 'first' } } },
    { id: 'sub', typeId: 'core.subWorkflow', config: { workflowId: 'child', inputMapping, outputMapping } },
  ]
  const parent = await continueAfterForget(world, nodes)
  const childId = parent.facts.nodes.sub?.childRunId ?? ''
  const child = await world.engine.storage.runs.get(tenantId, childId)
  assert.ok(child)
  const done = await continueRun(world, child)
  assert.deepEqual([done.status, done.text.variables], ['completed', { who: erasedValue, found: [] }])
  const ended = await continueRun(world, parent)
  const { copy, fromChild, back } = ended.text.variables
  assert.deepEqual([ended.status, copy, fromChild, back], ['completed', erasedValue, [], erasedValue])
})

test('a completed child that read forgotten memory gives its parent an erased value, not null', async () => {
  const { world } = await openWorld()
  await using _ = world
  await putChain(world, 'child', [{ ...read, config: { memoryRef: 'people/ada', into: 'found' } }], {
    variables: [{ name: 'found', type: 'array' }],
  })
  await putChain(world, 'parent', [
    { id: 'sub', typeId: 'core.subWorkflow', config: { workflowId: 'child', outputMapping: { got: 'found' } } },
    memoryNode('put', { memoryRef: 'elsewhere', content: 'I know {{variables.got}}' }),
  ])
  const parent = await startRun(world, { workflowId: 'parent' })
  const child = await world.engine.storage.runs.get(tenantId, parent.facts.nodes.sub?.childRunId ?? '')
  assert.ok(child)
  await continueRun(world, child)
  await forgetAda(world)
  const ended = await continueRun(world, parent)
  assert.deepEqual([ended.status, ended.text.error?.code], ['failed', 'content_erased'])
})

test('an open interrupt can still be answered after its text was forgotten', async () => {
  const { world } = await openWorld()
  await using _ = world
  await putChain(world, 'asks', [
    read,
    {
      id: 'ask',
      typeId: 'core.clarificationGate',
      config: { questions: [{ id: 'q', question: 'Is it true: {{variables.first.0.content}}' }], into: 'answer' },
    },
  ])
  const held = await startRun(world, { workflowId: 'asks', inputs: { user: 'ada' } })
  await forgetAda(world)
  const { text } = await stored(world, held)
  assert.deepEqual(text.interrupts.ask?.request.data.questions, [{ id: 'q', question: '[FORGOTTEN]' }])
  const value = { answers: { q: 'yes' } }
  await resolveInterrupt(world.tenant, { runId: held.runId, nodeId: 'ask' }, { value, by: null })
  const ended = await continueRun(world, await stored(world, held))
  assert.deepEqual([ended.status, ended.text.variables.answer], ['completed', value])
})

test('a rejection stays a rejection when its comment is forgotten', async () => {
  const { world } = await openWorld()
  await using _ = world
  await putChain(world, 'held', [read, gate, { id: 'next', typeId: 'core.noop' }])
  const held = await startRun(world, { workflowId: 'held', inputs: { user: 'ada' } })
  const value = { action: 'reject', comment: 'Ada prefers tea.' }
  await resolveInterrupt(world.tenant, { runId: held.runId, nodeId: 'gate' }, { value, by: null })
  await forgetAda(world)
  const waiting = await stored(world, held)
  assert.deepEqual(waiting.text.interrupts.gate?.resolution?.value, { action: 'reject', comment: erasedValue })
  const ended = await continueRun(world, waiting)
  assert.deepEqual([ended.status, ended.text.error?.code], ['failed', 'approval_rejected'])
})

test('an external event with a forgotten correlation resolves no interrupt', async () => {
  const { world } = await openWorld()
  await using _ = world
  const correlation = { user: '{{inputs.user}}' }
  const ask = { id: 'ask', typeId: 'core.interrupt', config: { kind: 'external-event', data: { correlation } } }
  await putChain(world, 'waits', [read, ask])
  const held = await startRun(world, { workflowId: 'waits', inputs: { user: 'ada' } })
  await forgetAda(world)
  for (const user of ['ada', null, '[FORGOTTEN]', erasedValue]) {
    const answer = { value: { user }, by: null }
    await rejectsWith('content_erased', resolveInterrupt(world.tenant, { runId: held.runId, nodeId: 'ask' }, answer))
  }
  const late = await continueAfterForget(await openSecond(world), [ask])
  assert.equal(late.text.error?.code, 'content_erased', 'and nobody is asked for one')
})

/** The same world, with something new about the person to forget. */
async function openSecond(world: UseCaseWorld): Promise<UseCaseWorld> {
  await put(world.tenant, 'people/ada', { content: 'Ada is back.', subject: 'ada' })
  return world
}

// Model rule: fence.no-stale-reads
test('a worker that has the run in memory does not store its forgotten values again', async () => {
  const { world } = await openWorld()
  await using _ = world
  await putChain(world, 'held', [read, gate, memoryNode('put', { content: 'About {{inputs.user}}.' })])
  const held = await startRun(world, { workflowId: 'held', inputs: { user: 'ada' } })
  await resolveInterrupt(world.tenant, { runId: held.runId, nodeId: 'gate' }, { value: { action: 'accept' }, by: null })
  // As a worker of another process has it that loaded the run before the forget and stores its first step after it.
  const loaded = await stored(world, held)
  await forgetAda(world)
  const lease = await leaseJob(world, loaded.facts.jobId)
  await executeRun(world.tenant, held.runId, { lease, signal, run: loaded })
  const ended = await stored(world, held)
  assert.deepEqual([ended.status, ended.text.error?.code], ['failed', 'content_erased'])
  assert.ok(!JSON.stringify(ended.text).includes('"ada"'))
  assert.deepEqual(await refs(world), ['people/[object Object]', 'people/null'])
})

test('a message that quotes forgotten memory is erased, in a live run and in an ended one', async () => {
  const { world } = await openWorld()
  await using _ = world
  await writeSettings(world.tenant, { conversationRetention: 'keep' })
  const say = { id: 'say', typeId: 'colophon.message.add', config: { content: 'Known: {{variables.first}}' } }
  const greet = { id: 'greet', typeId: 'colophon.message.add', config: { content: 'Hello.' } }
  await putChain(world, 'ends', [read, greet, say])
  await putChain(world, 'held', [read, greet, say, gate])
  const inputs = { user: 'ada' }
  const ended = await startRun(world, { workflowId: 'ends', inputs })
  const held = await startRun(world, { workflowId: 'held', inputs })
  for (const run of [ended, held]) assert.ok(JSON.stringify(run.text.channels).includes('prefers tea'))
  await forgetAda(world)
  const contents = async (run: Run) =>
    (await stored(world, run)).text.channels?.conversation?.map(({ content }) => content)
  assert.deepEqual(await contents(held), ['Hello.', erasedValue])
  assert.deepEqual(await contents(ended), [erasedValue, erasedValue])
})
