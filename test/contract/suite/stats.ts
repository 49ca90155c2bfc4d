import assert from 'node:assert/strict'
import { deadLetter, leaseForDeadLetter } from '../../../src/core/jobs/job.ts'
import { bytesOfRecord, bytesOfVersion } from '../../../src/core/quotas/stored-bytes.ts'
import { redactBatch } from '../../../src/core/redaction/redaction.ts'
import type { Scanner } from '../../../src/core/redaction/scanner.ts'
import { batchOf } from './batch.ts'
import { otherBytesOf } from './counted.ts'
import { ensureTenants, stepOf } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

const hour = 3_600_000

export function statsContract(test: ContractTest): void {
  test('counts live entries, and returns the instants of changes', async (world) => {
    const memory = world.colophon.memory('acme')
    const start = world.clock.now
    await memory.put('notes', { content: 'one' })
    const gone = await memory.put('notes', { content: 'two' })
    world.clock.advance(2 * hour)
    await memory.put('log', { content: 'three', expiresAt: new Date(world.clock.now + hour).toISOString() })
    await memory.put('log', { content: 'four', expiresAt: new Date(world.clock.now + 1).toISOString() })
    await memory.delete('notes', gone.id)
    world.clock.advance(10)
    const stats = await read(world)
    assert.deepEqual([stats.entries, stats.refs, stats.expiring], [2, 2, 1])
    assert.deepEqual(stats.activity, [
      { at: start, changes: 2, redacted: 0 },
      { at: start + 2 * hour, changes: 3, redacted: 0 },
    ])
    assert.deepEqual(
      (await read(world, { afterPosition: 4 })).activity.map(({ changes }) => changes),
      [1],
    )
    assert.equal((await read(world, { countMax: 1 })).entries, 1)
  })

  test('counts waiting, due and dead jobs and running runs of the host', async (world) => {
    const look = (countMax = 100) => world.storage.stats.readHost({ now: world.clock.now, countMax })
    const nothing = { jobsWaiting: 0, jobsDue: 0, oldestDueAt: null, jobsDead: 0, runs: new Map() }
    assert.deepEqual(await look(), nothing)
    const start = world.clock.now
    for (const tenant of ['acme', 'other']) {
      await world.colophon.jobs(tenant).enqueue({ kind: 'k' })
      await world.colophon.jobs(tenant).enqueue({ kind: 'k', dueAt: new Date(start + hour) })
      world.clock.advance(10)
    }
    await ensureTenants(world, 'acme')
    await world.storage.commit(batchOf({ tenantId: 'acme', runs: [stepOf('run_1'), stepOf('run_2')] }))
    const active = new Map([[stepOf('run_1').run.status as string, 2]])
    assert.deepEqual(await look(), { ...nothing, jobsWaiting: 4, jobsDue: 2, oldestDueAt: start, runs: active })
    assert.equal((await look(3)).jobsWaiting, 3)
    assert.deepEqual([...(await look(1)).runs.values()], [1])
    const { now } = world.clock
    const lease = { leaseToken: 'mine', worker: 'w', leaseUntil: now + 1 }
    await world.storage.jobs.claim({
      now,
      kinds: ['k'],
      limit: 1,
      change: (job) => deadLetter(leaseForDeadLetter(job, lease), 'mine', now),
    })
    const found = await look()
    assert.deepEqual([found.jobsWaiting, found.jobsDue, found.jobsDead], [3, 1, 1])
  })

  test('counts the redactions of each rule', async (world) => {
    await world.colophon.memory('acme').put('notes', { content: 'nothing to hide' })
    const found = [
      { rule: 'gate', count: 2 },
      { rule: 'token', count: 1 },
    ]
    for (const hits of [found, found.slice(0, 1)]) {
      const put = {
        memoryRef: 'notes',
        entryId: `mem_${hits.length}`,
        content: 'clean by now',
        tags: [],
        expiresAt: null,
        subject: null,
        origin: { kind: 'api' } as const,
        salt: 'salt',
      }
      const scan: Scanner = (text, onHit) => {
        if (text === put.content) for (const { rule, count } of hits) for (let hit = 0; hit < count; hit++) onHit(rule)
        return text
      }
      const batch = batchOf({ tenantId: 'acme', puts: [put] })
      await world.storage.commit(redactBatch(batch, scan))
    }
    const { redactions, activity } = await read(world)
    assert.deepEqual([...redactions].sort(), [
      ['gate', 4],
      ['token', 1],
    ])
    assert.deepEqual(
      activity.map(({ redacted }) => redacted),
      [2],
    )
  })

  test('the growth of a range of positions is what it recorded, less what it ended', async (world) => {
    const memory = world.colophon.memory('acme')
    const growth = (after: number, to: number) => world.storage.stats.growth({ tenantId: 'acme', after, to })
    assert.deepEqual(await growth(0, 9), { entries: 0, bytes: 0 })
    const { id } = await memory.put('notes', { content: 'eins' })
    await memory.putMany('log', [{ content: 'ünï🦊' }, { content: 'x'.repeat(20_000) }])
    await memory.revise('notes', id, { content: 'zwei!' })
    await memory.delete('notes', id)
    const bytesIn = (memoryRef: string, content: string) => bytesOfVersion({ memoryRef, content, tags: ['source:api'] })
    const long = bytesIn('log', 'ünï🦊') + bytesIn('log', 'x'.repeat(20_000))
    const [first, second] = [bytesIn('notes', 'eins'), bytesIn('notes', 'zwei!')]
    assert.deepEqual(await growth(0, 4), { entries: 2, bytes: first + long + second })
    assert.deepEqual(await growth(0, 1), { entries: 1, bytes: first })
    assert.deepEqual(await growth(1, 2), { entries: 2, bytes: long })
    assert.deepEqual(await growth(2, 3), { entries: 0, bytes: second })
    assert.deepEqual(await growth(3, 9), { entries: -1, bytes: 0 })
    assert.deepEqual(await world.storage.stats.growth({ tenantId: 'other', after: 0, to: 9 }), { entries: 0, bytes: 0 })
  })

  test('what has no position is counted in pages of any size, and only for its tenant', async (world) => {
    await ensureTenants(world, 'acme')
    const memory = world.colophon.memory('acme')
    for (const id of ['one', 'two', 'three'])
      await world.storage.commit(batchOf({ tenantId: 'acme', jobs: [], admin: [recordOf(id)] }))
    await memory.put('notes', { content: 'not counted here' })
    const bytes = 3 * bytesOfRecord(recordOf('')) + 'onetwothree'.length
    for (const limit of [1, 2, 3, 1_000])
      assert.equal(await otherBytesOf(world.storage, 'acme', 'records', limit), bytes)
    assert.equal(await otherBytesOf(world.storage, 'other', 'records', 2), 0)
  })

  test('pending runs and jobs are those that have not ended, counted up to a maximum', async (world) => {
    const pending = (countMax = 100) => world.storage.stats.pending({ tenantId: 'acme', countMax })
    assert.deepEqual(await pending(), { runs: 0, jobs: 0 })
    const jobs = world.colophon.jobs('acme')
    const first = await jobs.enqueue({ kind: 'k' })
    await jobs.enqueue({ kind: 'k', dueAt: new Date(world.clock.now + hour) })
    await world.colophon.jobs('other').enqueue({ kind: 'k' })
    await world.storage.commit(batchOf({ tenantId: 'acme', runs: [stepOf('run_1'), stepOf('run_2')] }))
    assert.deepEqual(await pending(), { runs: 2, jobs: 2 })
    assert.deepEqual(await pending(1), { runs: 1, jobs: 1 })
    await jobs.cancel(first)
    assert.deepEqual(await pending(), { runs: 2, jobs: 1 })
  })

  test('all counts of an empty or unknown tenant are zero', async (world) => {
    await world.colophon.memory('acme').put('notes', { content: 'one' })
    const stats = await read(world, { tenantId: 'other' })
    assert.deepEqual(stats, {
      entries: 0,
      refs: 0,
      expiring: 0,
      runs: new Map(),
      jobs: new Map(),
      contestedClaims: 0,
      sourceEvents: 0,
      redactions: new Map(),
      activity: [],
    })
  })
}

function read({ storage, clock }: World, parts: { tenantId?: string; afterPosition?: number; countMax?: number } = {}) {
  return storage.stats.read({
    tenantId: 'acme',
    now: clock.now,
    expiringBefore: clock.now + 24 * hour,
    countMax: 100,
    afterPosition: 0,
    spanMs: hour,
    ...parts,
  })
}

function recordOf(id: string) {
  return { kind: 'rule', id, body: { text: { note: 'ünï' }, sealed: {} }, expects: 0 } as const
}
