import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { undoCompaction } from '../../src/app/compaction/undo-compaction.ts'
import { consolidateTenant } from '../../src/app/consolidation/consolidate-tenant.ts'
import { consolidateRef } from '../../src/app/consolidation/consolidation-pass.ts'
import { consolidationScheduleId } from '../../src/app/consolidation/consolidation-schedule.ts'
import { dryRunConsolidation, requestConsolidation } from '../../src/app/consolidation/request-consolidation.ts'
import { put as putEntry } from '../../src/app/entries/put.ts'
import { putRule, writeSettings } from '../../src/app/redaction/rules.ts'
import { allEvents } from '../../src/app/runs/recorded-run.ts'
import { limits } from '../../src/core/limits.ts'
import { runScheduleNow } from '../../src/jobs/run-schedule.ts'
import { type CompactionWorld, openCompactionWorld, ref, stores, tenantId } from '../compaction/world.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'

after(releaseServer)

const dayMs = 86_400_000
const { signal } = new AbortController()
const parts = { actor: 'test', trigger: 'on-demand' as const, signal }
const texts = ['Ada prefers tea.', 'Bob lives in Porto.', 'ADA prefers tea!', 'Room 12 is booked.']

const contents = async ({ memory }: CompactionWorld, options = {}) =>
  (await memory.list(ref, { limit: 500, ...options })).entries.map(({ content }) => content)

const put = ({ memory }: CompactionWorld, more: readonly string[] = texts) =>
  memory.putMany(
    ref,
    more.map((content) => ({ content })),
  )

/** What the maintenance runs of the ref's merges recorded: one for each commit, newest first. */
async function recorded({ memory, engine }: CompactionWorld) {
  const made = await engine.storage.compactions.list({ tenantId, memoryRef: ref, after: null, limit: 500 })
  const runIds = [...new Set(made.map(({ runId }) => runId))]
  return (await Promise.all(runIds.map((runId) => eventOf(memory, runId)))).flat()
}

async function eventOf(memory: CompactionWorld['memory'], runId: string) {
  const events = await allEvents(memory, runId)
  return events.filter(({ type }) => type === 'agent.memory.consolidated').map(({ payload }) => payload)
}

const counts = ({ inputCount, outputCount }: Record<string, unknown>) => [inputCount, outputCount]

for (const store of Object.keys(stores)) {
  describe(`consolidation on ${store}`, () => {
    test('duplicates become one in one commit; a second pass has equal counts; the sources stay in history', async () => {
      await using world = await openCompactionWorld(store)
      const { memory, engine } = world
      const { entries, position } = await put(world)
      const ids = entries.map(({ id }) => id)
      const first = await consolidateRef(memory, ref, parts)
      assert.deepEqual([...counts(first), first.merges], [4, 3, { duplicate: 1 }])
      assert.equal((await engine.storage.clock(tenantId))?.position, position + 1)
      assert.deepEqual(await contents(world), ['ADA prefers tea!', 'Room 12 is booked.', 'Bob lives in Porto.'])
      assert.deepEqual(await contents(world, { asOf: position }), texts.toReversed())
      const mergedIds = [ids[0], ids[2]]
      const event = { memoryRef: ref, inputCount: 4, outputCount: 3, mergedIds, trigger: 'on-demand' }
      assert.deepEqual(await recorded(world), [event])
      const [output] = (await memory.list(ref)).entries
      const colophon = await memory.colophon(ref, output?.id ?? '')
      assert.deepEqual(colophon?.derivedFrom?.sourceIds, mergedIds)
      assert.equal(colophon?.derivedFrom?.summariser, 'consolidation.duplicate')

      const second = await consolidateRef(memory, ref, parts)
      assert.deepEqual([...counts(second), second.merges], [3, 3, {}])
      assert.equal((await engine.storage.clock(tenantId))?.position, position + 1, 'nothing was stored')
      assert.equal((await memory.verify({ contents: true })).ok, true)
    })

    test('a requested pass is recorded also if it changes nothing, once', async () => {
      await using world = await openCompactionWorld(store)
      const { memory, engine } = world
      await put(world)
      world.startWorker()
      const passes: unknown[][] = []
      for (let pass = 1; pass <= 2; pass++) {
        const { jobId, runId } = await requestConsolidation(memory, { memoryRef: ref })
        const isDone = async () => (await engine.storage.jobs.get(tenantId, jobId))?.status === 'completed'
        await eventually('the pass was made', isDone)
        passes.push((await eventOf(memory, runId)).map(counts))
      }
      assert.deepEqual(passes, [[[4, 3]], [[3, 3]]])
    })

    test('an undo takes a merge apart, and no later pass merges it again', async () => {
      await using world = await openCompactionWorld(store)
      const { memory, engine } = world
      await put(world)
      await consolidateRef(memory, ref, parts)
      const [made] = await engine.storage.compactions.list({ tenantId, memoryRef: ref, after: null, limit: 1 })
      await undoCompaction(memory, made?.compactionId ?? '')
      assert.deepEqual(await contents(world), texts.toReversed())
      assert.deepEqual(counts(await consolidateRef(memory, ref, parts)), [4, 4])
    })

    test('a second process consolidates at the same time: each entry becomes part of one output', async () => {
      await using world = await openCompactionWorld(store)
      const { memory, openAgain } = world
      const many = Array.from({ length: 60 }, (_, n) => `Customer ${n % 20} pays in cash.`)
      await put(world, many)
      const other = (await openAgain()).tenant(tenantId)
      await Promise.all([consolidateRef(memory, ref, parts), consolidateRef(other, ref, parts)])
      assert.deepEqual((await contents(world)).toSorted(), [...new Set(many)].toSorted())
      assert.deepEqual(counts(await consolidateRef(memory, ref, parts)), [20, 20])
      assert.equal((await memory.verify({ contents: true })).ok, true)
    })
  })
}

test('more merges than fit in one commit are several commits, each with its own counts', async () => {
  await using world = await openCompactionWorld('model')
  const pairs = limits.consolidationCommitSourcesMax
  await put(
    world,
    Array.from({ length: 2 * pairs }, (_, n) => `Customer ${n % pairs} pays in cash.`),
  )
  await consolidateRef(world.memory, ref, parts)
  const events = (await recorded(world)).toReversed()
  assert.deepEqual(events.map(counts), [
    [2 * pairs, 1.5 * pairs],
    [1.5 * pairs, pairs],
  ])
})

test('a merge has the tags of all its sources, the time of its text, and the confidence of its writers', async () => {
  await using world = await openCompactionWorld('model')
  const { memory, clock, engine } = world
  await memory.put(ref, { content: 'Ada prefers tea.', tags: ['a'] }, { actor: 'x' })
  clock.now += dayMs
  const stated = clock.now
  await memory.put(ref, { content: 'ada prefers tea', tags: ['b'] })
  clock.now += dayMs
  await consolidateRef(memory, ref, parts)
  const [output] = (await memory.list(ref)).entries
  const [version] = await engine.storage.provenance.newestVersions(tenantId, [output?.id ?? ''])
  const [made] = await engine.storage.compactions.list({ tenantId, memoryRef: ref, after: null, limit: 1 })
  assert.deepEqual(output?.tags, ['b', 'a', 'source:compaction', `compacted-from:${made?.compactionId}`])
  assert.equal(version?.classification?.observedAt, stated)
  assert.equal(version?.classification?.confidence, 1)
})

test('a secret that was registered later is redacted in the output, and its marker is kept', async () => {
  await using world = await openCompactionWorld('model')
  await put(world, ['The ticket of Ada is TCK-123456.', 'the ticket of Ada is TCK-123456'])
  await putRule(world.memory, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  assert.deepEqual(counts(await consolidateRef(world.memory, ref, parts)), [2, 1])
  assert.deepEqual(await contents(world), ['the ticket of Ada is [REDACTED:ticket]'])
})

test('a tenant that rejects secrets keeps the entries as they are', async () => {
  await using world = await openCompactionWorld('model')
  await put(world, ['The ticket of Ada is TCK-123456.', 'the ticket of Ada is TCK-123456'])
  await putRule(world.memory, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  await writeSettings(world.memory, { redactionPolicy: 'reject' })
  const { redactionFailures, outputCount } = await consolidateRef(world.memory, ref, parts)
  assert.deepEqual([redactionFailures, outputCount], [1, 2])
})

test('a key corrects its own texts only, and “I” is another person for another key', async () => {
  await using world = await openCompactionWorld('model')
  const { memory } = world
  const write = (key: string, content: string) => putEntry(memory, ref, { content }, { actor: `key:${key}` })
  for (const key of ['key_a', 'key_b']) await write(key, 'I live in Porto.')
  await write('key_a', 'Room 12 is booked.')
  await write('key_b', 'Correction: Room 14 is booked.')
  assert.deepEqual((await consolidateRef(memory, ref, parts)).merges, {})
  await write('key_a', 'Correction: Room 15 is booked.')
  await write('key_a', 'I live in Porto.')
  assert.deepEqual((await consolidateRef(memory, ref, parts)).merges, { correction: 1, duplicate: 1 })
  const left = [
    'Correction: Room 14 is booked.',
    'Correction: Room 15 is booked.',
    'I live in Porto.',
    'I live in Porto.',
  ]
  assert.deepEqual((await contents(world)).sort(), left)
})

test('a dry run names what would become one, and why, and stores nothing', async () => {
  await using world = await openCompactionWorld('model')
  const { entries } = await put(world, [...texts, 'Correction: Room 14 is booked.'])
  const ids = entries.map(({ id }) => id)
  const plan = await dryRunConsolidation(world.memory, { memoryRef: ref }, signal)
  assert.deepEqual(counts(plan), [5, 3])
  assert.deepEqual(plan.merges.map(({ reason, keptId, sourceIds }) => [reason, keptId, sourceIds]).toSorted(), [
    ['correction', ids[4], [ids[3], ids[4]]],
    ['duplicate', ids[2], [ids[0], ids[2]]],
  ])
  assert.equal((await contents(world)).length, 5)
})

test('the daily pass runs when it is switched on, skips files, and names its trigger; run now is on demand', async () => {
  await using world = await openCompactionWorld('model')
  const { memory, engine, clock } = world
  await put(world)
  const pass = { ...parts, trigger: 'host-managed' as const }
  assert.equal((await consolidateTenant(memory, pass)).refs, 0)
  await writeSettings(memory, { consolidationEnabled: true })
  const schedules = await engine.storage.jobs.schedules(tenantId)
  assert.deepEqual(
    schedules.map(({ scheduleId, cron }) => [scheduleId, cron]),
    [[consolidationScheduleId, '20 4 * * *']],
  )
  clock.now += 3 * dayMs
  world.startWorker()
  await eventually('the daily pass was made', async () => (await contents(world)).length === 3)
  await put(world, ['Bob lives in Porto!'])
  await runScheduleNow(memory, consolidationScheduleId, {})
  await eventually('the requested pass was made', async () => (await contents(world)).length === 3)
  assert.deepEqual(
    (await recorded(world)).map(({ trigger }) => trigger),
    ['on-demand', 'host-managed'],
  )
})
