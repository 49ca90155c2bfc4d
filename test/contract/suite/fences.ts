import assert from 'node:assert/strict'
import { fullAccess } from '../../../src/core/entries/access.ts'
import type { FenceKind, NewFence } from '../../../src/core/forget/fence.ts'
import { everySequence } from '../../../src/core/forget/fence.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { assertIntact } from './intact.ts'
import { assertionOf, claimEntry, claimStep, commit, sourceOf } from './provenance-rows.ts'
import { ensureTenants, eventOf, stepOf, store } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'

const line = (kind: FenceKind, value: string, range: Partial<NewFence> = {}): NewFence => ({
  kind,
  value,
  position: null,
  ...everySequence,
  ...range,
})

async function fence({ storage }: World, ...added: NewFence[]) {
  const fences = [{ forgetId: 'fgt_1', added, isRemoved: false }]
  await storage.commit(batchOf({ tenantId, kind: 'forget.fenced', forgetting: { fences } }))
  return storage.forget.fences(tenantId)
}

async function takeDown({ storage }: World) {
  const fences = [{ forgetId: 'fgt_1', added: [], isRemoved: true }]
  await storage.commit(batchOf({ tenantId, kind: 'forget.completed', forgetting: { fences } }))
}

/** One entry of each origin, all in the ref `notes`; gives their ids by name. */
async function write(world: World): Promise<Record<string, string>> {
  const memory = world.colophon.memory(tenantId)
  const plain = await memory.put('notes', { content: 'plain' })
  const about = await memory.put('notes', { content: 'about ada', subject: 'ada' })
  const tagged = await memory.put('notes', { content: 'once tagged', tags: ['secret'] })
  await memory.revise('notes', tagged.id, { content: 'no longer tagged', tags: [] })
  const common = { memoryRef: 'notes', tags: [], expiresAt: null, subject: null, salt: 's' }
  const ingested = { kind: 'service', service: 'crm', sourceEventId: 'src_1' } as const
  const run = (sequence: number) => ({ kind: 'run', runId: 'run_1', sequence }) as const
  await world.storage.commit(
    batchOf({
      tenantId,
      puts: [
        { ...common, entryId: 'mem_ingested', content: 'ingested', origin: ingested },
        { ...common, entryId: 'mem_early', content: 'early', origin: run(1) },
        { ...common, entryId: 'mem_late', content: 'late', origin: run(5) },
      ],
    }),
  )
  return {
    plain: plain.id,
    about: about.id,
    tagged: tagged.id,
    ingested: 'mem_ingested',
    early: 'mem_early',
    late: 'mem_late',
  }
}

/** The visible entries, by every way of reading; all ways must agree. */
async function seen(world: World, ids: Record<string, string>): Promise<string[]> {
  const { storage, clock } = world
  const memory = world.colophon.memory(tenantId)
  const { position } = await memory.snapshot()
  const names = (entryIds: Iterable<string>) => {
    const wanted = new Set(entryIds)
    return Object.keys(ids).filter((name) => wanted.has(ids[name] ?? ''))
  }
  const listed = names((await memory.list('notes', { limit: 100 })).entries.map(({ id }) => id))
  const own = [{ runId: 'run_1', beforeSequence: 100 }]
  const ways = [
    (await memory.list('notes', { asOf: position })).entries.map(({ id }) => id),
    (await memory.list('notes', { run: { snapshot: position, own } })).entries.map(({ id }) => id),
    (await storage.scanVersions({ tenantId, after: null, limit: 100 })).map(({ entryId }) => entryId),
    (await storage.provenance.newestVersions(tenantId, Object.values(ids))).map(({ entryId }) => entryId),
    (
      await storage.provenance.listAll({
        tenantId,
        memoryRef: 'notes',
        position,
        now: clock.now,
        access: fullAccess,
        before: null,
        limit: 100,
      })
    ).map(({ entryId }) => entryId),
  ]
  const one = async (read: (id: string) => Promise<unknown>) => {
    const found: string[] = []
    for (const id of Object.values(ids)) if (await read(id)) found.push(id)
    return found
  }
  ways.push(await one((id) => memory.get('notes', id)))
  ways.push(await one((id) => memory.get('notes', id, { asOf: position })))
  ways.push(await one((id) => memory.get('notes', id, { run: { snapshot: position, own } })))
  ways.push(await one(async (id) => (await storage.provenance.entryVersions(tenantId, id)).length > 0))
  ways.push(
    await one(async (entryId) => {
      const keys = [1, 2].map((version) => ({ memoryRef: 'notes', entryId, version }))
      return (await storage.versions(tenantId, keys)).length > 0
    }),
  )
  for (const way of ways) assert.deepEqual(names(way), listed)
  const [ref] = await storage.refs({ tenantId, after: null, now: clock.now, limit: 10 })
  assert.equal(ref?.entries ?? 0, listed.length)
  return listed
}

/** A fence hides what it names from all readers at once, at every position, and nothing else. */
export function fencesContract(test: ContractTest): void {
  const all = ['plain', 'about', 'tagged', 'ingested', 'early', 'late']
  const cases: [string, (ids: Record<string, string>) => NewFence, string[]][] = [
    ['a subject', () => line('subject', 'ada'), ['about']],
    ['a ref', () => line('ref', 'notes'), all],
    ['a tag that the entry once bore', () => line('tag', 'secret'), ['tagged']],
    ['a writer', () => line('writer', 'crm'), ['ingested']],
    ['a source event', () => line('event', 'src_1'), ['ingested']],
    ['a run', () => line('run', 'run_1'), ['early', 'late']],
    ['a run from a sequence on', () => line('run', 'run_1', { fromSequence: 2 }), ['late']],
    ['a run up to a sequence', () => line('run', 'run_1', { toSequence: 5 }), ['early']],
    ['an entry', (ids) => line('entry', ids.plain ?? ''), ['plain']],
    ['an unknown subject', () => line('subject', 'unknown'), []],
  ]
  for (const [name, make, hidden] of cases) {
    // Model rule: fence.hidden
    test(`a fence by ${name} hides that from every read, and shows it again when it is removed`, async (world) => {
      const ids = await write(world)
      await world.colophon.memory('other').put('notes', { content: 'of another', subject: 'ada', tags: ['secret'] })
      assert.deepEqual(await seen(world, ids), all)
      const fences = await fence(world, make(ids))
      assert.deepEqual(
        await seen(world, ids),
        all.filter((one) => !hidden.includes(one)),
      )
      const found = new Set<string>()
      for (let after = null; ; ) {
        const page = await world.storage.forget.scan({ tenantId, fences, after, limit: 2 })
        for (const { entryId } of page.versions) found.add(entryId)
        after = page.next as typeof after
        if (after === null) break
      }
      assert.deepEqual([...found].sort(), hidden.map((one) => ids[one]).sort())
      const among = await world.storage.forget.among(tenantId, fences, Object.values(ids))
      assert.deepEqual(new Set(among.map(({ entryId }) => entryId)), found)
      assert.equal((await world.storage.forget.leftovers(tenantId, fences)).entries, among.length)
      assert.equal((await world.colophon.memory('other').list('notes')).entries.length, 1)
      await takeDown(world)
      assert.deepEqual(await seen(world, ids), all)
    })
  }

  // Model rule: fence.new-stays
  test('entries written after a fence are visible, and those behind it cannot be changed', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const old = await memory.put('notes', { content: 'old', subject: 'ada' })
    await fence(world, line('subject', 'ada'), line('ref', 'notes'))
    const fresh = await memory.put('notes', { content: 'new', subject: 'ada' })
    assert.deepEqual(
      (await memory.list('notes')).entries.map(({ id }) => id),
      [fresh.id],
    )
    await rejectsWith(
      'version_conflict',
      commit(world, { expects: [{ memoryRef: 'notes', entryId: old.id, version: 1 }] }),
    )
    assert.equal(await memory.delete('notes', old.id), false)
  })

  // Model rule: fence.late-job
  test('a source event behind a fence reads as erased, and no memory can be stored from it', async (world) => {
    await ensureTenants(world, tenantId)
    const position = await commit(world, {
      sourceEvents: [sourceOf('src_1', { subject: 'ada', eventId: 'e1' }), sourceOf('src_2', { subject: 'bob' })],
      claims: [claimStep('clm_1', { claim: { subject: 'ada' }, assertions: [assertionOf(0)] })],
    })
    const { provenance } = world.storage
    const fences = await fence(world, line('ref', 'subject:ada'))
    const hidden = await provenance.sourceEvent(tenantId, 'src_1')
    assert.deepEqual(
      [hidden?.isErased, hidden?.subject, hidden?.eventId, hidden?.messages, hidden?.payloadHash],
      [true, '', null, null, ''],
    )
    assert.equal((await provenance.sourceEvent(tenantId, 'src_2'))?.subject, 'bob')
    const query = { tenantId, subject: 'ada', service: null, after: null, limit: 10 }
    assert.deepEqual(await provenance.sourceEvents(query), [])
    assert.equal(await provenance.claim(tenantId, 'clm_1'), null)
    await rejectsWith('source_event_erased', commit(world, { ingests: 'src_1', puts: [claimEntry('mem_1')] }))
    await rejectsWith('source_event_erased', commit(world, { ingests: 'src_9', puts: [claimEntry('mem_1')] }))
    await commit(world, { ingests: 'src_2', puts: [claimEntry('mem_2')] })
    await commit(world, { sourceEvents: [sourceOf('src_3', { subject: 'ada', eventId: 'e3' })] })
    const late = await provenance.sourceEvent(tenantId, 'src_3')
    assert.deepEqual([late?.isErased, late?.isHeldUp, late?.subject], [undefined, true, 'ada'])
    const found = await world.storage.forget.sources({ tenantId, fences, after: null, limit: 10 })
    assert.deepEqual(
      found.map(({ sourceEventId }) => sourceEventId),
      ['src_1'],
    )
    assert.ok(position > 0)
  })

  test('an erased source event leaves its id, its service and a tombstone that identifies a retry', async (world) => {
    await ensureTenants(world, tenantId)
    await commit(world, { sourceEvents: [sourceOf('src_1', { eventId: 'e1' }), sourceOf('src_2', { eventId: 'e2' })] })
    const sources = [{ sourceEventId: 'src_1', tombstone: 'erased:x' }]
    await commit(world, { kind: 'forget.sources', forgetting: { sources } })
    const { provenance } = world.storage
    const erased = await provenance.sourceEvent(tenantId, 'src_1')
    assert.equal(erased?.isErased, true)
    assert.equal(erased?.service, 'chat')
    assert.equal(erased?.salt, '')
    assert.equal(await provenance.sourceEventNamed(tenantId, 'chat', 'e1'), null)
    assert.equal((await provenance.sourceEventNamed(tenantId, 'chat', 'erased:x'))?.sourceEventId, 'src_1')
    assert.equal((await provenance.sourceEventNamed(tenantId, 'chat', 'e2'))?.isErased, undefined)
    await rejectsWith(
      'source_event_exists',
      commit(world, { sourceEvents: [sourceOf('src_3', { eventId: 'erased:x' })] }),
    )
    await assertIntact(world.colophon.memory(tenantId))
  })

  test('a claim is erased with all or some of its assertions, and can be created again', async (world) => {
    await ensureTenants(world, tenantId)
    const assertions = [assertionOf(0, { entryId: 'mem_1' }), assertionOf(1, { entryId: 'mem_2' }), assertionOf(2)]
    await commit(world, {
      claims: [
        claimStep('clm_1', { assertions }),
        claimStep('clm_2', { assertions: assertions.map((item) => ({ ...item, claimId: 'clm_2' })) }),
      ],
    })
    await commit(world, { claims: [{ ...claimStep('clm_1', { expects: 1 }), removed: [0], detached: ['mem_2'] }] })
    const { provenance } = world.storage
    assert.deepEqual(
      (await provenance.assertions(tenantId, 'clm_1')).map(({ ordinal, entryId }) => [ordinal, entryId]),
      [
        [1, null],
        [2, null],
      ],
    )
    assert.equal((await provenance.assertions(tenantId, 'clm_2')).length, 3)
    await commit(world, { claims: [{ ...claimStep('clm_1', { expects: 2 }), isRemoved: true }] })
    assert.equal(await provenance.claim(tenantId, 'clm_1'), null)
    assert.deepEqual(await provenance.assertions(tenantId, 'clm_1'), [])
    await commit(world, { claims: [claimStep('clm_1', { assertions: [assertionOf(0)] })] })
    assert.equal((await provenance.claim(tenantId, 'clm_1'))?.revision, 1)
  })

  test('erasing the winner frees its claim for another winner in the same commit', async (world) => {
    await ensureTenants(world, tenantId)
    await commit(world, { claims: [claimStep('clm_1')], puts: [claimEntry('mem_1')] })
    const [old] = await world.storage.provenance.newestVersions(tenantId, ['mem_1'])
    assert.ok(old)
    await commit(world, { erasures: [old], puts: [claimEntry('mem_2')] })
    assert.equal((await world.storage.provenance.newestVersions(tenantId, ['mem_1', 'mem_2'])).length, 1)
  })

  test('recorded calls of runs lose the ids of erased entries and keep their count', async (world) => {
    await ensureTenants(world, tenantId)
    const call = { sequence: 0, nodeId: 'n', op: 'list', memoryRef: 'subject:ada', position: 1, at: 5 } as const
    const entries = [
      { id: 'a', version: 1 },
      { id: 'b', version: 2 },
    ]
    const run = await store(world, stepOf('run_1', { calls: [{ ...call, ordinal: 0, entries }] }))
    await store(world, stepOf('run_2', { calls: [{ ...call, ordinal: 0, entries }] }))
    const shortened = [{ ordinal: 0, memoryRef: '', entries: entries.slice(1), forgotten: 1 }]
    await store(world, stepOf(run, { shortened }))
    const { runs } = world.storage
    const scanned = await runs.scanCalls({ tenantId, after: null, limit: 10 })
    assert.deepEqual(scanned, [
      { runId: 'run_1', ordinal: 0, ...call, memoryRef: '', entries: entries.slice(1), forgotten: 1 },
      { runId: 'run_2', ordinal: 0, ...call, entries },
    ])
    const [first] = scanned
    assert.equal((await runs.scanCalls({ tenantId, after: first ?? null, limit: 10 })).length, 1)
  })

  test('runs are found by a name in their values, their facts or their events, page by page', async (world) => {
    await ensureTenants(world, tenantId, 'other')
    const name = 'subject:ada "the first"'
    const event = { ...eventOf('agent.memory.consolidated'), facts: { memoryRef: name } }
    await store(world, stepOf('run_1', { text: { inputs: { to: { name } } } }))
    await store(world, stepOf('run_2', { facts: { reader: name } }))
    await store(world, stepOf('run_3', { events: [eventOf('run.started'), event] }))
    await store(world, stepOf('run_4', { text: { inputs: { to: `x${name}` } }, events: [eventOf('run.started')] }))
    await store(world, stepOf('run_5', { events: [event] }), 'other')
    const ask = (after: string | null, limit: number, texts = [name]) =>
      world.storage.forget.runsNaming({ tenantId, texts, after, limit })
    assert.deepEqual(await ask(null, 10), { runIds: ['run_1', 'run_2', 'run_3'], next: null })
    assert.deepEqual(await ask(null, 2), { runIds: ['run_1', 'run_2'], next: 'run_2' })
    assert.deepEqual(await ask('run_2', 2), { runIds: ['run_3'], next: 'run_4' })
    assert.deepEqual((await ask(null, 10, ['bob', name])).runIds.length, 3)
    assert.deepEqual(await ask(null, 10, ['subject:ada']), { runIds: [], next: null })
  })

  test('the readers of a source event are stored again with it', async (world) => {
    await ensureTenants(world, tenantId)
    await commit(world, { sourceEvents: [{ ...sourceOf('src_1'), readers: ['ada', 'ana'] }] })
    const stored = await world.storage.provenance.sourceEvent(tenantId, 'src_1')
    assert.ok(stored)
    const readers = ['ana', 'forgotten:x']
    await commit(world, { sourceRewrites: [{ ...stored, readers, salt: 'new' }] })
    assert.deepEqual((await world.storage.provenance.sourceEvent(tenantId, 'src_1'))?.readers, readers)
    const [head] = await world.storage.provenance.sourceEventHeads({ tenantId, after: null, limit: 10 })
    assert.deepEqual(head?.readers, readers)
  })

  test('refs of audit records and idempotency keys can be erased without breaking the chain', async (world) => {
    const memory = world.colophon.memory(tenantId)
    await memory.put('ada', { content: 'x' }, { idempotencyKey: 'ada-1' })
    const [row] = await world.storage.forget.outcomes({ tenantId, after: null, limit: 10 })
    assert.equal(row?.outcome.entries.length, 1)
    const auditRefs = [{ position: 1, refs: [''] }]
    const outcomes = [{ key: row?.key ?? '', tombstone: null }]
    await commit(world, { kind: 'forget.audit', forgetting: { auditRefs, outcomes } })
    assert.deepEqual(await world.storage.forget.outcomes({ tenantId, after: null, limit: 10 }), [])
    assert.deepEqual((await world.storage.audit({ tenantId, from: 1, to: 1, limit: 1 }))[0]?.refs, [''])
    await assertIntact(memory)
  })
}
