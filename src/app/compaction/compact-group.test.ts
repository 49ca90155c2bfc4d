import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { defaultCompactionPolicy } from '../../core/compaction/policy.ts'
import type { EntryDraft, EntryVersion } from '../../core/entries/entry.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { redactBatch } from '../../core/redaction/redaction.ts'
import type { Summariser } from '../../ports/summariser.ts'
import { removeEntry, revise } from '../entries/change.ts'
import { putMany } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { RecordedInstants } from '../recorded-instants.ts'
import { putRule, writeSettings } from '../redaction/rules.ts'
import { allEvents } from '../runs/recorded-run.ts'
import { Tenant } from '../tenant.ts'
import { compactGroup } from './compact-group.ts'
import { compactTenant } from './compaction-pass.ts'
import { planOfPolicy, planOfRequest } from './compaction-plan.ts'
import { requestedPass, triggerOf } from './compaction-schedule.ts'
import { dryRunCompaction, requestCompaction, runCompactionRequest } from './request-compaction.ts'
import { undoCompaction } from './undo-compaction.ts'

const { signal } = new AbortController()
const dayMs = 24 * 60 * 60 * 1_000

/** Two entries, and a summariser that joins what it is given. */
async function openGroup(drafts: readonly EntryDraft[] = [{ content: 'one' }, { content: 'two' }]) {
  const given: string[][] = []
  let beforeAnswer = async () => {}
  const summariser: Summariser = {
    name: 'joins',
    async summarise({ texts }) {
      given.push([...texts])
      await beforeAnswer()
      return { text: texts.join(' + ') }
    },
  }
  const world = openUseCases(openInMemoryStore, { host: { summariser } })
  const { entries } = await putMany(world.tenant, 'notes', drafts)
  const sources = entries.map(({ id }) => ({ entryId: id, version: 1 }))
  const request = {
    compactionId: 'cmp_1',
    memoryRef: 'notes',
    sources,
    outputBytesMax: 8_192,
    actor: 'test',
    trigger: 'client-requested' as const,
    signal,
  }
  const compact = () => compactGroup(world.tenant, request)
  const once = (change: () => Promise<unknown>) => {
    beforeAnswer = async () => {
      beforeAnswer = async () => {}
      await change()
    }
  }
  return { ...world, given, compact, once, ids: entries.map(({ id }) => id) }
}

const contents = async ({ tenant }: UseCaseWorld, options = {}) =>
  (await list(tenant, 'notes', options)).entries.map(({ content }) => content)

test('a compaction ends its sources and stores its output in one commit, oldest text first', async () => {
  await using world = await openGroup()
  const made = await world.compact()
  assert.deepEqual([made?.sourceIds, made?.output.content], [world.ids, 'one + two'])
  assert.deepEqual([await contents(world), await contents(world, { asOf: 1 })], [['one + two'], ['two', 'one']])
  assert.equal((await world.engine.storage.clock(tenantId))?.position, 2)
})

test('the output has the lowest class of its sources, and a pass joins entries of one class only', async () => {
  await using mixed = await openGroup([{ content: 'one', trust: 'untrusted' }, { content: 'two' }])
  assert.equal((await mixed.compact())?.output.trust, 'untrusted')
  assert.deepEqual([await contents(mixed), await contents(mixed, { trustMin: 'untrusted' })], [[], ['one + two']])
  const low = { trust: 'untrusted' } as const
  await using world = await openGroup([
    { content: 'a' },
    { content: 'b', ...low },
    { content: 'c' },
    { content: 'd', ...low },
  ])
  world.clock.advance(1_000)
  await writeSettings(world.tenant, { compaction: { minAgeDays: 0, keepNewest: 0, minEntries: 2 } })
  const { compactions } = await dryRunCompaction(world.tenant, { memoryRef: 'notes' }, signal)
  assert.deepEqual(
    compactions.map(({ sourceCount }) => sourceCount),
    [2, 2],
  )
})

test('the output keeps the tags that all sources share, their subject, and the earliest expiry', async () => {
  const [early, late] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z']
  await using world = await openGroup([
    { content: 'one', tags: ['a', 'b'], subject: 'ada', expiresAt: late },
    { content: 'two', tags: ['b', 'c'], subject: 'ada', expiresAt: early },
  ])
  const made = await world.compact()
  assert.deepEqual(made?.output.tags, ['b', 'source:compaction', 'compacted-from:cmp_1'])
  assert.deepEqual([made?.output.subject, made?.output.expiresAt], ['ada', Date.parse(early)])
})

test('sources that changed, ended or expired are left out, and one alone is not compacted', async () => {
  const expiresAt = '2026-01-01T00:00:01.000Z'
  await using world = await openGroup([{ content: 'one' }, { content: 'two' }, { content: 'three', expiresAt }])
  const { engine, ids } = world
  await revise(engine.tenant(tenantId), 'notes', ids[0] ?? '', { content: 'ONE' })
  world.clock.advance(1_000)
  assert.equal(await world.compact(), null)
  assert.deepEqual([world.given, await contents(world)], [[], ['two', 'ONE']])
})

test('a source that changes while the summary is made is left out of the next attempt', async () => {
  await using world = await openGroup([{ content: 'one' }, { content: 'two' }, { content: 'three' }])
  const { engine, ids } = world
  world.once(() => removeEntry(engine.tenant(tenantId), 'notes', ids[0] ?? ''))
  const made = await world.compact()
  assert.deepEqual(world.given, [
    ['one', 'two', 'three'],
    ['two', 'three'],
  ])
  assert.deepEqual([made?.output.content, await contents(world)], ['two + three', ['two + three']])
})

test('a group whose sources change in every attempt is refused after compactionAttemptsMax', async () => {
  await using world = await openGroup()
  const { engine } = world
  let attempts = 0
  const commit: typeof engine.storage.commit = async (batch) => {
    if (batch.compactions.length === 0) return engine.storage.commit(batch)
    attempts += 1
    const expects = batch.expects.map((item) => ({ ...item, version: 9 }))
    return engine.storage.commit(redactBatch({ ...batch, expects }, (text) => text))
  }
  const racing = { ...engine, storage: { ...engine.storage, commit } }
  const sources = world.ids.map((entryId) => ({ entryId, version: 1 }))
  const by = { actor: 'test', trigger: 'host-managed' as const, signal }
  const request = { compactionId: 'cmp_1', memoryRef: 'notes', sources, outputBytesMax: 8_192, ...by }
  await rejectsWith('write_contention', compactGroup(racing.tenant(tenantId), request))
  assert.equal(attempts, limits.compactionAttemptsMax)
})

test('a secret that was registered later is redacted before the summariser reads the sources', async () => {
  await using world = await openGroup([{ content: 'See TCK-123456.' }, { content: 'two' }])
  await putRule(world.tenant, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  const made = await world.compact()
  assert.deepEqual(world.given, [['See [REDACTED:ticket].', 'two']])
  assert.equal(made?.output.content, 'See [REDACTED:ticket]. + two')
})

test('an undo brings back the sources in their places and ends the output', async () => {
  await using world = await openGroup()
  await world.compact()
  const { compaction } = await undoCompaction(world.tenant, 'cmp_1')
  assert.equal(compaction.status, 'undone')
  assert.deepEqual(await contents(world), ['two', 'one'])
})

test('an undo is refused when it was done already, and when the output or a source was deleted or changed', async () => {
  type Change = (world: Awaited<ReturnType<typeof openGroup>>) => Promise<unknown>
  type Sources = (rows: readonly EntryVersion[]) => readonly EntryVersion[]
  const reasonOf = async (change: Change, sources: Sources = (rows) => rows) => {
    await using world = await openGroup()
    assert.ok(await world.compact())
    await change(world)
    const { storage } = world.engine
    const newestVersions: typeof storage.provenance.newestVersions = async (tenant, ids) => {
      const rows = await storage.provenance.newestVersions(tenant, ids)
      return ids.length === world.ids.length ? sources(rows) : rows
    }
    const engine = { ...world.engine, storage: { ...storage, provenance: { ...storage.provenance, newestVersions } } }
    const error = await undoCompaction(engine.tenant(tenantId), 'cmp_1').catch((thrown: unknown) => thrown)
    return isColophonError(error, 'compaction_state') ? error.details.reason : error
  }
  const undo = ({ tenant }: UseCaseWorld) => undoCompaction(tenant, 'cmp_1')
  assert.equal(await reasonOf(undo), 'already_undone')
  const removeOutput = async ({ tenant }: UseCaseWorld) => {
    const { entries } = await list(tenant, 'notes')
    await removeEntry(tenant, 'notes', entries[0]?.id ?? '')
  }
  assert.equal(await reasonOf(removeOutput), 'output_changed')
  const nothing = async () => {}
  const revised: Sources = (rows) => rows.map((row) => ({ ...row, version: row.version + 1 }))
  assert.equal(await reasonOf(nothing, revised), 'source_changed')
  assert.equal(await reasonOf(nothing, (rows) => rows.slice(1)), 'source_gone')
  await using world = await openGroup()
  await rejectsWith('not_found', undoCompaction(world.tenant, 'cmp_unknown'))
})

test('an undo that is repeated with its idempotency key gives the first answer; another key is refused without a commit', async () => {
  await using world = await openGroup()
  await world.compact()
  const first = await undoCompaction(world.tenant, 'cmp_1', { idempotencyKey: 'u1' })
  const { storage } = world.engine
  const commit = () => assert.fail('nothing is left to store')
  const tenant = new Tenant({ ...world.engine, storage: { ...storage, commit } }, tenantId)
  const repeat = await undoCompaction(tenant, 'cmp_1', { idempotencyKey: 'u1' })
  assert.deepEqual([first.repeated, repeat], [false, { ...first, repeated: true }])
  await rejectsWith('compaction_state', undoCompaction(tenant, 'cmp_1', { idempotencyKey: 'u2' }))
  // The first call lands after the compaction was read: the refusal is decided on what it left.
  const get = storage.compactions.get
  const stale = async (...args: Parameters<typeof get>) => {
    const compaction = await get(...args)
    return compaction && { ...compaction, status: 'completed' as const }
  }
  const overtaken = { ...world.engine, storage: { ...storage, compactions: { ...storage.compactions, get: stale } } }
  const late = await undoCompaction(new Tenant(overtaken, tenantId), 'cmp_1', { idempotencyKey: 'u1' })
  assert.equal(late.repeated, true)
})

test('an undo leaves out sources that have expired meanwhile', async () => {
  const expiresAt = '2026-01-02T00:00:00.000Z'
  const later = '2026-01-03T00:00:00.000Z'
  await using world = await openGroup([
    { content: 'one', expiresAt },
    { content: 'two', expiresAt: later },
  ])
  const { engine } = world
  await world.compact()
  // The output expires together with its first source, so only the use case sees the later time.
  const system = { ...engine.system, now: () => Date.parse(expiresAt) }
  const instants = new RecordedInstants(engine.storage, system.now)
  await undoCompaction(new Tenant({ ...engine, system, instants }, tenantId), 'cmp_1')
  assert.deepEqual(await contents(world), ['two'])
})

test('a dry run names the sources and stores nothing; a request ignores age, count and size of the policy', async () => {
  await using world = await openGroup()
  const planned = await dryRunCompaction(world.tenant, { memoryRef: 'notes' }, signal)
  assert.deepEqual([planned.sourceCount, [...planned.sourceIds].sort()], [2, [...world.ids].sort()])
  const none = { memoryRef: 'notes', minAgeDays: 1 }
  assert.equal((await dryRunCompaction(world.tenant, none, signal)).sourceCount, 0)
  const newest = { memoryRef: 'notes', keepNewest: 1 }
  assert.equal((await dryRunCompaction(world.tenant, newest, signal)).sourceCount, 0)
  assert.deepEqual([world.given, await contents(world)], [[], ['two', 'one']])
})

test('the daily pass does nothing unless the policy is enabled', async () => {
  await using world = await openGroup()
  const passWith = async (enabled: boolean) => {
    const compaction = { enabled, minAgeDays: 0, keepNewest: 0, minEntries: 2 }
    await writeSettings(world.tenant, { compaction })
    return compactTenant(world.tenant, { actor: 'test', trigger: triggerOf(null), signal })
  }
  world.clock.advance(1)
  assert.deepEqual(await passWith(false), { compactions: 0, sources: 0, redactionFailures: 0 })
  assert.deepEqual(await passWith(true), { compactions: 1, sources: 2, redactionFailures: 0 })
  assert.deepEqual(await triggersOf(world), ['host-managed'])
})

test('the event of a pass that a client requested names the client as its trigger', async () => {
  await using world = await openGroup()
  const { jobId } = await requestCompaction(world.tenant, { memoryRef: 'notes' })
  const job = await world.engine.storage.jobs.get(tenantId, jobId)
  await runCompactionRequest(world.tenant, jobId, job?.payload as Parameters<typeof runCompactionRequest>[2], {
    signal,
  })
  assert.deepEqual(await triggersOf(world), ['client-requested'])
  assert.equal(triggerOf(requestedPass), 'client-requested')
})

/** What the log of each maintenance run says started it. */
async function triggersOf({ tenant }: UseCaseWorld): Promise<unknown[]> {
  const compactions = await tenant.storage.compactions.list({ tenantId, memoryRef: null, after: null, limit: 9 })
  const logs = await Promise.all(compactions.map(({ runId }) => allEvents(tenant, runId)))
  return logs.flat().flatMap(({ type, payload }) => (type === 'memory.compacted' ? [payload.trigger] : []))
}

test('a requested plan selects entries up to now, a scheduled one entries of the age of the policy', () => {
  const policy = { ...defaultCompactionPolicy, minAgeDays: 30, maxOutputBytes: 500 }
  const now = 100 * dayMs
  const byHand = planOfRequest({ memoryRef: 'notes' }, policy, now)
  assert.deepEqual(
    [byHand.selection.createdBefore, byHand.selection.minEntries, byHand.selection.keepNewest],
    [now + 1, 2, 0],
  )
  const narrowed = planOfRequest({ memoryRef: 'notes', minAgeDays: 2, maxOutputBytes: 300 }, policy, now)
  assert.deepEqual([narrowed.selection.createdBefore, narrowed.outputBytesMax], [98 * dayMs, 300])
  const scheduled = planOfPolicy('notes', policy, now)
  assert.deepEqual(
    [scheduled.selection.createdBefore, scheduled.selection.keepNewest, scheduled.outputBytesMax],
    [70 * dayMs, policy.keepNewest, 500],
  )
})
