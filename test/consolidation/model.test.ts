import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createChatModel } from '../../src/adapters/model-api/chat-model.ts'
import { undoCompaction } from '../../src/app/compaction/undo-compaction.ts'
import { consolidateTenant } from '../../src/app/consolidation/consolidate-tenant.ts'
import { consolidateRef } from '../../src/app/consolidation/consolidation-pass.ts'
import { consolidationPassKind } from '../../src/app/consolidation/consolidation-schedule.ts'
import { dryRunConsolidation, requestConsolidation } from '../../src/app/consolidation/request-consolidation.ts'
import { putRule } from '../../src/app/redaction/rules.ts'
import { allEvents } from '../../src/app/runs/recorded-run.ts'
import { limits } from '../../src/core/limits.ts'
import { saveSchedule } from '../../src/jobs/manage-schedules.ts'
import { runScheduleNow } from '../../src/jobs/run-schedule.ts'
import { type CompactionWorld, openCompactionWorld, ref, stores, tenantId } from '../compaction/world.ts'
import { rejectsWith } from '../contract/suite/assert-code.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type ModelReply, type ModelStandIn, refuses, says, startModelStandIn } from '../support/model-stand-in.ts'

after(releaseServer)

const { signal } = new AbortController()
const asking = {
  actor: 'test',
  trigger: 'on-demand' as const,
  signal,
  questionsMax: limits.consolidationQuestionsMax,
}
const texts = ['Ada drinks tea with milk.', 'Bob lives in Porto.', 'Ada drinks milk with tea.']

type ModelWorld = CompactionWorld & { readonly standIn: ModelStandIn }

const openWorld = (...replies: ModelReply[]) => openOn('model', replies)

async function openOn(store: string, replies: readonly ModelReply[]): Promise<ModelWorld> {
  const standIn = await startModelStandIn(...replies)
  const model = createChatModel({ url: standIn.url, model: 'tiny-1', apiKey: null })
  const world = await openCompactionWorld(store, { host: { model } })
  return {
    ...world,
    standIn,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await standIn[Symbol.asyncDispose]()
    },
  }
}

const put = ({ memory }: CompactionWorld, given: readonly string[] = texts) =>
  memory.putMany(
    ref,
    given.map((content) => ({ content })),
  )

const contents = async ({ memory }: CompactionWorld) =>
  (await memory.list(ref, { limit: 100 })).entries.map(({ content }) => content)

const made = async ({ engine }: CompactionWorld) =>
  engine.storage.compactions.list({ tenantId, memoryRef: ref, after: null, limit: 10 })

for (const store of Object.keys(stores))
  test(`a model that says "same" makes a merge that names it, recorded without text and undone as others, on ${store}`, async () => {
    await using world = await openOn(store, [says({ answer: 'same' })])
    const { memory, engine, standIn } = world
    const { entries } = await put(world)
    const [older, , newer] = entries.map(({ id }) => id)
    const result = await consolidateRef(memory, ref, asking)
    assert.deepEqual([result.outputCount, result.merges, result.questions], [2, { 'model-same': 1 }, 1])
    assert.deepEqual(await contents(world), ['Ada drinks milk with tea.', 'Bob lives in Porto.'])
    const [merge] = await made(world)
    assert.equal(merge?.summariser, 'consolidation.model-same:tiny-1')
    const run = await engine.storage.runs.get(tenantId, merge?.runId ?? '')
    const answers = [{ olderId: older, newerId: newer, answer: 'same' }]
    assert.deepEqual(run?.text.variables, { consolidation: { model: 'tiny-1', answers, unanswered: 0 } })
    const events = await allEvents(memory, merge?.runId ?? '')
    const usage = events.find(({ type }) => type === 'provider.usage')?.payload
    assert.deepEqual([usage?.model, usage?.totalTokens], ['tiny-1', 120])
    assert.doesNotMatch(JSON.stringify([run, events]), /milk/)
    const [output] = (await memory.list(ref)).entries
    const [version] = await engine.storage.provenance.newestVersions(tenantId, [output?.id ?? ''])
    assert.equal(version?.trust, 'agent')

    await undoCompaction(memory, merge?.compactionId ?? '')
    assert.equal((await contents(world)).length, 3)
    assert.equal((await consolidateRef(memory, ref, asking)).questions, 0, 'what was taken apart is not asked about')
    assert.equal(standIn.calls.length, 1)
    assert.equal((await memory.verify({ contents: true })).ok, true)
  })

test('nothing is asked unless the pass says so, and "different" changes nothing', async () => {
  await using world = await openWorld(says({ answer: 'different' }))
  await put(world)
  const { questionsMax: _none, ...silent } = asking
  assert.equal((await consolidateRef(world.memory, ref, silent)).questions, 0)
  assert.equal(world.standIn.calls.length, 0)
  const result = await consolidateRef(world.memory, ref, asking)
  assert.deepEqual([result.questions, result.outputCount], [1, 3])
  assert.equal((await contents(world)).length, 3)
})

test('a correction counts for what the same writer said, and only for that', async () => {
  await using world = await openWorld(says({ answer: 'corrects' }))
  const { memory } = world
  await memory.put(ref, { content: 'Ada works as a nurse in Porto.' }, { actor: 'key:a' })
  await memory.put(ref, { content: 'Ada works as a doctor in Porto.' }, { actor: 'key:b' })
  assert.deepEqual((await consolidateRef(memory, ref, asking)).merges, {})
  await memory.put(ref, { content: 'Ada works as a teacher in Porto.' }, { actor: 'key:b' })
  assert.deepEqual((await consolidateRef(memory, ref, asking)).merges, { 'model-corrects': 1 })
  assert.deepEqual(await contents(world), ['Ada works as a teacher in Porto.', 'Ada works as a nurse in Porto.'])
})

test('entries of another class or reader are never asked about', async () => {
  await using world = await openWorld(says({ answer: 'same' }))
  const { memory } = world
  await memory.put(ref, { content: 'Ada drinks tea with milk.' })
  await memory.put(ref, { content: 'Ada drinks milk with tea.', trust: 'untrusted' })
  await memory.put(ref, { content: 'Ada, with milk drinks tea.', readers: ['cid'] })
  assert.equal((await consolidateRef(memory, ref, asking)).questions, 0)
  assert.equal(world.standIn.calls.length, 0)
})

for (const [what, reply] of [
  ['cannot be reached', refuses(503, 'busy')],
  ['answers something else', says({ answer: 'merge everything' })],
  ['adds a member', says({ answer: 'same', why: 'because' })],
  ['answers in words', says('They are the same.')],
] as const)
  test(`a model that ${what} leaves the pass as it is without one`, async () => {
    await using world = await openWorld(reply)
    await put(world, [...texts, 'BOB lives in Porto!'])
    const result = await consolidateRef(world.memory, ref, asking)
    assert.deepEqual([result.merges, result.questions, result.unanswered], [{ duplicate: 1 }, 1, 1])
    assert.equal((await contents(world)).length, 3)
  })

test('the model gets texts as data, redacted with the secrets of now', async () => {
  await using world = await openWorld(says({ answer: 'same' }))
  await put(world, ['Ada has the [INST] ticket TCK-123456 here.', 'Ada has here the [INST] ticket TCK-123456.'])
  await putRule(world.memory, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  await consolidateRef(world.memory, ref, asking)
  const [call] = world.standIn.calls
  assert.doesNotMatch(call?.text ?? '', /TCK-|\[INST\]/)
  assert.match(call?.text ?? '', /REDACTED:ticket/)
})

test('a pass asks at most as often as it may, over all refs together', async () => {
  await using world = await openWorld(says({ answer: 'different' }))
  await put(world)
  await world.memory.putMany(
    'agents/other',
    texts.map((content) => ({ content })),
  )
  assert.equal((await consolidateTenant(world.memory, { ...asking, questionsMax: 1 })).questions, 1)
  assert.equal(world.standIn.calls.length, 1)
  assert.equal((await consolidateTenant(world.memory, asking)).questions, 2)
})

test('a request and a schedule say whether the model is asked; a host without one refuses the request', async () => {
  await using world = await openWorld(says({ answer: 'different' }))
  const { memory, engine, standIn } = world
  await put(world)
  assert.equal((await dryRunConsolidation(memory, { memoryRef: ref, model: true }, signal)).questions, 1)
  assert.equal(standIn.calls.length, 0, 'a dry run asks nothing')
  world.startWorker()
  const done = (jobId: string) =>
    eventually('the pass was made', async () => {
      return (await engine.storage.jobs.get(tenantId, jobId))?.status === 'completed'
    })
  await done((await requestConsolidation(memory, { memoryRef: ref })).jobId)
  assert.equal(standIn.calls.length, 0)
  await done((await requestConsolidation(memory, { memoryRef: ref, model: true })).jobId)
  assert.equal(standIn.calls.length, 1)
  const schedule = { id: 'nightly', cron: '0 3 * * *', kind: consolidationPassKind, payload: { model: true } }
  await saveSchedule(memory, schedule, {})
  await done((await runScheduleNow(memory, 'nightly', {})).jobId)
  assert.equal(standIn.calls.length, 2)

  await using without = await openCompactionWorld('model')
  await rejectsWith('validation_error', requestConsolidation(without.memory, { memoryRef: ref, model: true }))
})
