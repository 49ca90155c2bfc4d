import assert from 'node:assert/strict'
import { fullAccess, type ReadAccess } from '../../../src/core/entries/access.ts'
import { currentView, type ReadView } from '../../../src/core/entries/as-of.ts'
import type { EntryVersion } from '../../../src/core/entries/entry.ts'
import type { Trust } from '../../../src/core/entries/trust.ts'
import type { ListedPage } from '../../../src/ports/storage.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { ensureTenants } from './run-step.ts'
import { figures, find, memoryRef, texts, whileIndexing } from './search-calls.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'

const guarded = [
  { entryId: 'mem_web', trust: 'untrusted' },
  { entryId: 'mem_agent' },
  { entryId: 'mem_service', trust: 'service', readers: ['ana', 'bo'] },
  { entryId: 'mem_pin', trust: 'verified', readers: ['bo'] },
  { entryId: 'mem_none', readers: [] },
] as const

/** What each access shows of them, newest first. */
const shown: readonly (readonly [Partial<ReadAccess>, readonly string[]])[] = [
  [{}, ['mem_none', 'mem_pin', 'mem_service', 'mem_agent', 'mem_web']],
  [{ trustMin: 'agent' }, ['mem_none', 'mem_pin', 'mem_service', 'mem_agent']],
  [{ trustMin: 'service' }, ['mem_pin', 'mem_service']],
  [{ trustMin: 'verified' }, ['mem_pin']],
  [{ reader: 'ana' }, ['mem_service', 'mem_agent', 'mem_web']],
  [{ reader: 'bo', trustMin: 'agent' }, ['mem_pin', 'mem_service', 'mem_agent']],
  [{ reader: 'an' }, ['mem_agent', 'mem_web']],
]

const origin = { kind: 'run', runId: 'run_1', sequence: 1 } as const

/** Every read leaves out versions below the trust that it asks for, and those of other readers. */
export function accessContract(test: ContractTest): void {
  test('a version keeps its trust and its readers, and its audit record names the trust', async (world) => {
    await putGuarded(world)
    const { storage } = world
    const stored = await storage.scanVersions({ tenantId, after: null, limit: 100 })
    const kept = stored.map(({ entryId, trust, readers }) => [entryId, { trust, readers }])
    const expected = guarded.map(({ entryId, ...guard }) => [entryId, { trust: 'agent', readers: null, ...guard }])
    assert.deepEqual(Object.fromEntries(kept), Object.fromEntries(expected))
    const text = { content: 'coffee', tags: [], origin, salt: 'salt' }
    const revision = { memoryRef, entryId: 'mem_pin', revives: false, ...text, trust: 'untrusted' as const }
    await storage.commit(batchOf({ tenantId, revisions: [revision] }))
    const [newest] = await storage.provenance.newestVersions(tenantId, ['mem_pin'])
    assert.deepEqual([newest?.trust, newest?.readers], ['untrusted', ['bo']])
    const [first] = await storage.audit({ tenantId, from: 1, to: 1, limit: 1 })
    assert.match(first?.body ?? '', /"trust":"untrusted","version":1/)
  })

  test('every version is scanned from the last recorded one backwards, page by page', async (world) => {
    await putGuarded(world)
    const text = { content: 'coffee', tags: [], origin, salt: 'salt' }
    const revise = (entryId: string) => ({ memoryRef, entryId, revives: false, ...text })
    await world.storage.commit(batchOf({ tenantId, revisions: [revise('mem_agent'), revise('mem_web')] }))
    await world.storage.commit(batchOf({ tenantId, ends: [{ memoryRef, entryId: 'mem_pin', reason: 'deleted' }] }))
    assert.deepEqual(await recentOnes(world), [
      ['mem_web', 2, true],
      ['mem_agent', 2, true],
      ['mem_none', 1, true],
      ['mem_pin', 1, false],
      ['mem_service', 1, true],
      ['mem_agent', 1, false],
      ['mem_web', 1, false],
    ])
    const nobody = await world.storage.recentVersions({ tenantId: 'nobody', after: null, limit: 10 })
    assert.deepEqual(nobody, [])
  })

  test('current entries below a floor are listed in order of id', async (world) => {
    await putGuarded(world)
    assert.deepEqual(await idsBelow(world, 'untrusted'), [])
    assert.deepEqual(await idsBelow(world, 'agent'), ['mem_web'])
    assert.deepEqual(await idsBelow(world, 'service'), ['mem_agent', 'mem_none', 'mem_web'])
    assert.deepEqual(await idsBelow(world, 'verified'), ['mem_agent', 'mem_none', 'mem_service', 'mem_web'])
    await world.storage.commit(batchOf({ tenantId, ends: [{ memoryRef, entryId: 'mem_web', reason: 'rejected' }] }))
    assert.deepEqual(await idsBelow(world, 'agent'), [])
  })

  test('lists, reads by id and searches leave out what the reader cannot see', async (world) => {
    await putGuarded(world)
    const { storage, clock } = world
    const position = (await storage.clock(tenantId))?.position ?? 0
    for (const [given, ids] of shown) {
      const access = { ...fullAccess, ...given }
      const own = [{ runId: 'run_1', beforeSequence: 9 }]
      for (const view of [
        { ...currentView, access },
        { position, own: [], access },
        { position: 0, own, access },
      ]) {
        for (const tag of [null, 'hot'])
          assert.deepEqual((await list(world, view, tag)).map(idOf), ids, JSON.stringify([view, tag]))
        assert.deepEqual(await getEach(world, view), [...ids].reverse(), JSON.stringify(view))
      }
      const found = await find(storage, 'tea', { access })
      assert.deepEqual(found.rows.map(({ version }) => idOf(version)).sort(), [...ids].sort())
      const query = { tenantId, memoryRef, position, now: clock.now, access }
      const places = (await list(world, { ...currentView, access }, null)).slice(0, 1)
      const [older = []] = await storage.search.around({ ...query, places, reach: 9 })
      assert.deepEqual(older.map(({ version }) => version.entryId).reverse(), ids.slice(1))
      for (const limit of [1, 100])
        assert.deepEqual(
          (await storage.provenance.listAll({ ...query, before: null, limit })).map(idOf),
          ids.slice(0, limit),
        )
    }
  })

  test('refs count only what the reader may see', async (world) => {
    await putGuarded(world)
    const { storage, clock } = world
    const counts = async (access?: ReadAccess) =>
      (await storage.refs({ tenantId, after: null, now: clock.now, limit: 9, ...(access && { access }) })).map(
        ({ entries }) => entries,
      )
    for (const [given, ids] of shown) assert.deepEqual(await counts({ ...fullAccess, ...given }), [ids.length])
    assert.deepEqual(await counts(), [guarded.length])
    await putAll(world, [{ content: 'tea', readers: ['bo'] }], 'private')
    assert.deepEqual(await counts({ ...fullAccess, reader: 'ana' }), [3])
  })

  test('rows that a reader cannot see influence neither counts nor the order of what is found', async (world) => {
    const { storage } = world
    const seen = ['tea at noon', 'green tea', 'coffee', 'tea and coffee', 'a heron', 'tea for the heron']
    const hidden = ['tea heron', 'heron heron tea', 'tea coffee tea', 'heron', 'the heron drinks coffee']
    await ensureTenants(world, tenantId)
    const positions: number[] = []
    for (const [at, content] of seen.entries()) {
      const readers = at % 2 === 0 ? null : ['ana', 'bo']
      await putAll(world, [{ content: hidden[at] ?? 'tea', readers: at % 2 === 0 ? ['bo'] : [] }])
      await putAll(world, [{ content, readers }])
      await putAll(world, [{ content, readers }], 'plain')
      positions.push((await storage.clock(tenantId))?.position ?? 0)
    }
    const access = { ...fullAccess, reader: 'ana' }
    const compare = async () => {
      // With a cut of two, frequencies are extrapolated from the numbers of rows.
      for (const query of ['tea', 'heron coffee', 'tea heron coffee', '"green tea"'])
        for (const position of positions)
          for (const postingsMax of [100, 2]) {
            const options = { position, postingsMax, access }
            const [found, alone] = [
              await find(storage, query, options),
              await find(storage, query, { ...options, memoryRef: 'plain' }),
            ]
            const shownOf = (result: typeof found) => ({ ...figures(result), texts: texts(result) })
            assert.deepEqual(shownOf(found), shownOf(alone), JSON.stringify([query, position, postingsMax]))
          }
    }
    await whileIndexing(storage, compare, [memoryRef, 'plain'])
  })

  test('readers of a stored version change in place, and what is found by its text stays', async (world) => {
    await putGuarded(world)
    const { storage } = world
    while ((await storage.search.index(tenantId, memoryRef, 100)) > 0);
    const [stored] = await storage.provenance.entryVersions(tenantId, 'mem_agent')
    assert.ok(stored)
    const { content, tags, version, salt: readSalt } = stored
    const rewrite = {
      memoryRef,
      entryId: 'mem_agent',
      version,
      content,
      tags,
      readSalt,
      salt: 'other',
      readers: ['bo'],
    }
    await storage.commit(batchOf({ tenantId, kind: 'memory.readers_changed', rewrites: [rewrite] }))
    const [changed] = await storage.provenance.entryVersions(tenantId, 'mem_agent')
    assert.deepEqual([changed?.readers, changed?.salt, changed?.digestPosition], [['bo'], 'other', guarded.length + 1])
    const found = async (reader: string) =>
      (await find(storage, 'tea', { access: { ...fullAccess, reader } })).rows.map(({ version }) => idOf(version))
    assert.ok(!(await found('ana')).includes('mem_agent'))
    assert.ok((await found('bo')).includes('mem_agent'))
    assert.equal((await list(world, currentView, 'hot')).length, guarded.length)
    const expects = (readers: readonly string[]) => [{ memoryRef, entryId: 'mem_agent', version, readers }]
    await storage.commit(batchOf({ tenantId, expects: expects(['bo']) }))
    await rejectsWith('version_conflict', storage.commit(batchOf({ tenantId, expects: expects(['ana']) })))
  })
}

type Restricted = { readonly content: string; readonly readers: readonly string[] | null }

async function putAll({ storage }: World, drafts: readonly Restricted[], ref = memoryRef): Promise<void> {
  const puts = drafts.map((draft) => ({
    ...{ memoryRef: ref, entryId: `mem_${++made}`, tags: [], expiresAt: null, subject: null, origin, salt: 'salt' },
    ...draft,
  }))
  await storage.commit(batchOf({ tenantId, puts }))
}

let made = 0

const idOf = ({ entryId }: EntryVersion) => entryId

/** Current entries below a floor, page by page, in order of id. */
async function idsBelow({ storage, clock }: World, floor: Trust): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const query = { tenantId, floor, now: clock.now, after: ids.at(-1) ?? null, limit: 2 }
    const page = await storage.provenance.currentBelow(query)
    ids.push(...page.map(idOf))
    if (page.length < query.limit) return ids
  }
}

/** The scan from the last change backwards: id, version, and whether it is current. */
async function recentOnes({ storage }: World): Promise<unknown[]> {
  const found: EntryVersion[] = []
  for (;;) {
    const page = await storage.recentVersions({ tenantId, after: found.at(-1) ?? null, limit: 2 })
    found.push(...page)
    if (page.length < 2)
      return found.map(({ entryId, version, endedPosition }) => [entryId, version, endedPosition === null])
  }
}

async function putGuarded(world: World): Promise<void> {
  await ensureTenants(world, tenantId)
  for (const entry of guarded) {
    const text = { memoryRef, content: 'tea', tags: ['hot'], expiresAt: null, subject: null, origin, salt: 'salt' }
    await world.storage.commit(batchOf({ tenantId, puts: [{ ...text, ...entry }] }))
  }
}

async function list({ storage, clock }: World, view: ReadView, tag: string | null): Promise<readonly EntryVersion[]> {
  const query = { tenantId, memoryRef, tag, view, now: clock.now, limit: 2 }
  const versions: EntryVersion[] = []
  for (;;) {
    const asked = { ...query, before: versions.at(-1) ?? null }
    const page = await storage.list(asked)
    assert.deepEqual(asListed(await storage.listShown(asked)), asListed(page))
    versions.push(...page.versions)
    if (page.versions.length < query.limit) return versions
  }
}

/** A page with what a list shows of it. */
function asListed({ position, versions }: ListedPage): ListedPage {
  return {
    position,
    versions: versions.map(({ entryId, content, tags, createdAt, expiresAt, createdPosition, ordinal, trust }) => ({
      ...{ entryId, content, tags, createdAt, expiresAt, createdPosition, ordinal, trust },
    })),
  }
}

async function getEach({ storage, clock }: World, view: ReadView): Promise<string[]> {
  const found: string[] = []
  for (const { entryId } of guarded) {
    if (await storage.get({ tenantId, memoryRef, entryId, view, now: clock.now })) found.push(entryId)
  }
  return found
}
