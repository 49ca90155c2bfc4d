import assert from 'node:assert/strict'
import { fullAccess } from '../../../src/core/entries/access.ts'
import type { EntryVersion, Place } from '../../../src/core/entries/entry.ts'
import { assertIntact } from './intact.ts'
import { claimEntry, commit, ending, restoringRevision, subjectRef } from './provenance-rows.ts'
import { ensureTenants } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

async function listAll({ storage, clock }: World, position: number, limit = 100): Promise<readonly EntryVersion[]> {
  const seen: EntryVersion[] = []
  for (let before: Place | null = null; ; before = seen.at(-1) ?? null) {
    const query = {
      tenantId: 'acme',
      memoryRef: subjectRef,
      position,
      now: clock.now,
      access: fullAccess,
      before,
      limit,
    }
    const page = await storage.provenance.listAll(query)
    seen.push(...page)
    if (page.length < limit) return seen
  }
}

const shown = (rows: readonly EntryVersion[]) => rows.map(({ entryId, version }) => `${entryId} v${version}`)

/** Superseded, restored and deleted entries: which of them are in lists, and which in the history. */
export function entryHistoryContract(test: ContractTest): void {
  test('an entry that is superseded from the start is in no list at any position, but in the history', async (world) => {
    await ensureTenants(world, 'acme')
    const memory = world.colophon.memory('acme')
    const lost = claimEntry('mem_2', { endsAtOnce: 'superseded', tags: ['ingested', 'lost'] })
    await commit(world, { puts: [claimEntry('mem_1')] })
    const position = await commit(world, { puts: [lost, claimEntry('mem_3', { claimId: 'clm_3' })] })
    await commit(world, { puts: [claimEntry('mem_4', { claimId: 'clm_4' })] })
    for (const asOf of [0, 1, 2, 3]) {
      for (const tag of ['ingested', 'lost', undefined]) {
        const page = await memory.list(subjectRef, { asOf, ...(tag === undefined ? {} : { tag }) })
        assert.ok(!page.entries.some(({ id }) => id === 'mem_2'), `${asOf} ${tag}`)
        assert.equal(page.entries.length, tag === 'lost' ? 0 : [0, 1, 2, 3][asOf])
      }
      assert.equal(await memory.get(subjectRef, 'mem_2', { asOf }), null)
      const run = { snapshot: asOf, own: [{ runId: 'run_1', beforeSequence: 99 }] }
      assert.equal(await memory.get(subjectRef, 'mem_2', { run }), null)
    }
    assert.equal(await memory.get(subjectRef, 'mem_2'), null)
    const [version, ...others] = await world.storage.provenance.entryVersions('acme', 'mem_2')
    assert.deepEqual(others, [])
    assert.deepEqual(
      [version?.version, version?.recordedPosition, version?.endedPosition, version?.endedReason, version?.content],
      [1, position, position, 'superseded', 'says mem_2'],
    )
    assert.deepEqual(version?.classification, lost.classification)
    assert.deepEqual(shown(await listAll(world, 1)), ['mem_1 v1'])
    assert.deepEqual(shown(await listAll(world, 2)), ['mem_3 v1', 'mem_2 v1', 'mem_1 v1'])
    await assertIntact(memory)
  })

  test('a superseded entry is restored as its next version, in its old place', async (world) => {
    await ensureTenants(world, 'acme')
    const memory = world.colophon.memory('acme')
    await commit(world, { puts: [claimEntry('mem_1'), claimEntry('mem_2', { endsAtOnce: 'superseded' })] })
    world.clock.advance(10)
    await commit(world, { ends: [ending('mem_1')], revisions: [restoringRevision('mem_2')] })
    await commit(world, { ends: [ending('mem_2')], revisions: [restoringRevision('mem_1', 'says it better')] })
    const listed = async (asOf: number) => (await memory.list(subjectRef, { asOf })).entries.map(({ id }) => id)
    assert.deepEqual([await listed(1), await listed(2), await listed(3)], [['mem_1'], ['mem_2'], ['mem_1']])
    const versions = await world.storage.provenance.entryVersions('acme', 'mem_1')
    assert.deepEqual(
      versions.map(({ version, content, recordedPosition, endedPosition }) => [
        version,
        content,
        recordedPosition,
        endedPosition,
      ]),
      [
        [1, 'says mem_1', 1, 2],
        [2, 'says it better', 3, null],
      ],
    )
    const [first, second] = versions
    for (const field of ['createdAt', 'createdPosition', 'ordinal', 'classification'] as const)
      assert.deepEqual(second?.[field], first?.[field], field)
    const newest = await world.storage.provenance.newestVersions('acme', ['mem_1', 'mem_none', 'mem_2', 'mem_1'])
    assert.deepEqual(new Set(shown(newest)), new Set(['mem_1 v2', 'mem_2 v2']))
    assert.equal(newest.length, 2)
    assert.deepEqual(await world.storage.provenance.newestVersions('acme', []), [])
    assert.deepEqual(await world.storage.provenance.entryVersions('acme', 'mem_none'), [])
    const ofBoth = await world.storage.provenance.versionsOfEntries('acme', ['mem_2', 'mem_none', 'mem_1', 'mem_1'])
    const ofFirst = ofBoth.filter(({ entryId }) => entryId === 'mem_1')
    assert.deepEqual([shown(ofFirst), ofBoth.length], [['mem_1 v1', 'mem_1 v2'], 4], 'each oldest first, and once')
    assert.deepEqual(await world.storage.provenance.versionsOfEntries('acme', []), [])
    await assertIntact(memory)
  })

  test('the list with all statuses shows each entry once, as of the position, without deleted ones', async (world) => {
    await ensureTenants(world, 'acme')
    const own = (n: number) => claimEntry(`mem_${n}`, { claimId: `clm_${n}` })
    await commit(world, { puts: [own(1), own(2), own(3), own(4)] })
    await commit(world, { ends: [ending('mem_1'), ending('mem_2', 'archived'), ending('mem_3', 'deleted')] })
    await commit(world, {
      revisions: [restoringRevision('mem_1', 'again'), { ...restoringRevision('mem_4', 'edited'), revives: false }],
    })
    await commit(world, { ends: [ending('mem_1', 'deleted'), ending('mem_4', 'compacted')] })
    await commit(world, {
      puts: [
        { ...own(5), expiresAt: world.clock.now + 10 },
        { ...own(6), memoryRef: 'subject:adam' },
      ],
    })
    assert.deepEqual(shown(await listAll(world, 0)), [])
    assert.deepEqual(shown(await listAll(world, 1)), ['mem_4 v1', 'mem_3 v1', 'mem_2 v1', 'mem_1 v1'])
    assert.deepEqual(shown(await listAll(world, 2)), ['mem_4 v1', 'mem_2 v1', 'mem_1 v1'])
    assert.deepEqual(shown(await listAll(world, 3)), ['mem_4 v2', 'mem_2 v1', 'mem_1 v2'])
    assert.deepEqual(shown(await listAll(world, 4)), ['mem_2 v1'])
    assert.deepEqual(shown(await listAll(world, 5)), ['mem_5 v1', 'mem_2 v1'])
    world.clock.advance(10)
    assert.deepEqual(shown(await listAll(world, 5)), ['mem_2 v1'], 'what has expired is not shown')
  })

  test('the list with all statuses has pages without gap or overlap', async (world) => {
    await ensureTenants(world, 'acme')
    for (let n = 0; n < 6; n++) {
      const puts = [0, 1, 2].map((k) =>
        claimEntry(
          `mem_${n}_${k}`,
          k === 0 ? { claimId: `clm_${n}` } : { claimId: `clm_${n}`, endsAtOnce: 'superseded' },
        ),
      )
      await commit(world, { puts })
      if (n > 1)
        await commit(world, { ends: [ending(`mem_${n - 2}_0`)], revisions: [restoringRevision(`mem_${n - 2}_1`)] })
    }
    const { position = 0 } = (await world.storage.clock('acme')) ?? {}
    for (const at of [3, 6, position]) {
      const whole = await listAll(world, at)
      for (const limit of [1, 2, 5]) assert.deepEqual(await listAll(world, at, limit), whole, `${at} ${limit}`)
    }
    assert.equal((await listAll(world, position)).length, 18)
  })

  test('deleting an ended entry adds an ended version that no read returns', async (world) => {
    await ensureTenants(world, 'acme')
    const memory = world.colophon.memory('acme')
    await commit(world, { puts: [claimEntry('mem_1'), claimEntry('mem_2', { endsAtOnce: 'superseded' })] })
    const position = await commit(world, {
      kind: 'memory.deleted',
      revisions: [{ ...restoringRevision('mem_2', ''), tags: [], endsAtOnce: 'deleted' }],
    })
    const versions = await world.storage.provenance.entryVersions('acme', 'mem_2')
    assert.deepEqual(
      versions.map(({ version, endedPosition, endedReason }) => [version, endedPosition, endedReason]),
      [
        [1, 1, 'superseded'],
        [2, position, 'deleted'],
      ],
    )
    assert.deepEqual(shown(await listAll(world, 1)), ['mem_2 v1', 'mem_1 v1'])
    assert.deepEqual(shown(await listAll(world, position)), ['mem_1 v1'])
    for (const asOf of [1, position]) assert.equal(await memory.get(subjectRef, 'mem_2', { asOf }), null)
    assert.deepEqual(
      (await memory.list(subjectRef)).entries.map(({ id }) => id),
      ['mem_1'],
    )
    await assertIntact(memory)
  })
}
