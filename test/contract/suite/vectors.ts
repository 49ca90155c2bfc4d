import assert from 'node:assert/strict'
import { shortSha256 } from '../../../src/core/audit/digest.ts'
import { fullAccess } from '../../../src/core/entries/access.ts'
import type { EntryVersion } from '../../../src/core/entries/entry.ts'
import type { Storage } from '../../../src/ports/storage.ts'
import type { NewVector, VectorSpace } from '../../../src/ports/vector-store.ts'
import { batchOf } from './batch.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'
const memoryRef = 'notes'
const space: VectorSpace = { model: 'small', dimensions: 2 }
const start = { recordedPosition: 0, entryId: '', version: 0 }

const asked = Float32Array.of(1, 0)

function vectorOf({ memoryRef: ref, entryId, version, createdPosition, ordinal, content }: EntryVersion, x: number) {
  const place = { memoryRef: ref, entryId, version, createdPosition, ordinal }
  const vector = Float32Array.of(x, Math.sqrt(1 - x * x))
  return { ...place, content, contentHash: shortSha256(content), vector } satisfies NewVector
}

async function pending(storage: Storage, asking: Partial<Parameters<Storage['vectors']['pending']>[0]> = {}) {
  return storage.vectors.pending({ tenantId, space, madeSince: 0, after: start, limit: 100, ...asking })
}

const texts = ({ versions }: Awaited<ReturnType<typeof pending>>) => versions.map(({ content }) => content)

async function nearest(storage: Storage, asking: Partial<Parameters<Storage['vectors']['nearest']>[0]> = {}) {
  const given = { tenantId, memoryRef, space, vector: asked, position: 1_000, now: 0, limit: 100 }
  const query = { ...given, access: fullAccess, where: undefined, ...asking }
  return (await storage.vectors.nearest(query)).map(({ similarity }) => Number(similarity.toFixed(3)))
}

async function putAll({ colophon, storage }: World, contents: readonly string[], ref = memoryRef, tenant = tenantId) {
  for (const content of contents) await colophon.memory(tenant).put(ref, { content })
  const { versions } = await pending(storage, { tenantId: tenant })
  return contents.map((content) => {
    const found = versions.find((version) => version.content === content && version.memoryRef === ref)
    assert.ok(found)
    return found
  })
}

/** Vectors of versions. Here they are numbers; their meaning depends on the embedder. */
export function vectorsContract(test: ContractTest): void {
  test('lists versions without a vector in the order they were recorded', async (world) => {
    const { storage } = world
    const [one, two] = await putAll(world, ['one', 'two', 'three'])
    assert.ok(one && two)
    assert.equal(await storage.vectors.save(tenantId, space, 5, [vectorOf(two, 0.5)]), 1)
    assert.deepEqual(texts(await pending(storage)), ['one', 'three'])
    const page = await pending(storage, { limit: 1 })
    assert.deepEqual(texts(page), ['one'])
    const next = await pending(storage, { limit: 1, after: page.last ?? start })
    assert.deepEqual(texts(next), [])
    assert.deepEqual(texts(await pending(storage, { after: next.last ?? start })), ['three'])
    assert.equal((await pending(storage, { after: { ...start, recordedPosition: 99 } })).last, null)
    assert.deepEqual(texts(await pending(storage, { madeSince: 6 })), ['one', 'two', 'three'])
    assert.deepEqual(await storage.vectors.versions(tenantId, one.recordedPosition), { versions: 3, waiting: 2 })
  })

  test('another model or length starts from the first version, and replaces the old vectors', async (world) => {
    const { storage } = world
    const [one, two] = await putAll(world, ['one', 'two'])
    assert.ok(one && two)
    await storage.vectors.save(tenantId, space, 1, [vectorOf(one, 1), vectorOf(two, 0.5)])
    assert.equal(await storage.vectors.begin(tenantId, space), 0)
    assert.equal(await storage.vectors.reach(tenantId, space, 0, 2), true)
    assert.equal(await storage.vectors.reach(tenantId, space, 0, 3), false)
    assert.equal(await storage.vectors.begin(tenantId, space), 2)
    assert.equal(await storage.vectors.reached(tenantId, space), 2)
    assert.equal(await storage.vectors.reached(tenantId, { ...space, dimensions: 3 }), 0)
    for (const other of [
      { ...space, model: 'large' },
      { ...space, dimensions: 3 },
    ]) {
      assert.deepEqual(await nearest(storage, { space: other }), [])
      assert.deepEqual(texts(await pending(storage, { space: other })), ['one', 'two'])
    }
    const large = { model: 'large', dimensions: 2 }
    assert.equal(await storage.vectors.begin(tenantId, large), 0)
    await storage.vectors.save(tenantId, large, 2, [vectorOf(one, 0.25)])
    assert.deepEqual(await nearest(storage), [0.5])
    assert.deepEqual(await nearest(storage, { space: large }), [0.25])
    assert.deepEqual(await storage.vectors.counts(tenantId), [
      { ...large, vectors: 1 },
      { ...space, vectors: 1 },
    ])
    assert.equal(await storage.vectors.removeOthers(tenantId, large, 10), 1)
    assert.equal(await storage.vectors.removeOthers(tenantId, large, 10), 0)
    assert.deepEqual(await storage.vectors.counts(tenantId), [{ ...large, vectors: 1 }])
    assert.equal(await storage.vectors.begin(tenantId, space), 0)
  })

  test('finds the nearest versions of one ref at one position, nearest first', async (world) => {
    const { storage, colophon } = world
    const [one, two] = await putAll(world, ['one', 'two'])
    assert.ok(one && two)
    await storage.vectors.save(tenantId, space, 1, [vectorOf(one, 1), vectorOf(two, 0.5)])
    const before = (await storage.clock(tenantId))?.position ?? 0
    const [other] = await putAll(world, ['elsewhere'], 'other')
    const [rival] = await putAll(world, ['of a rival'], memoryRef, 'rival')
    assert.ok(other && rival)
    await storage.vectors.save(tenantId, space, 1, [vectorOf(other, 0.9)])
    assert.equal(await storage.vectors.save('rival', space, 1, [vectorOf(rival, 0.8)]), 1)
    // A tenant cannot store a vector for a version of another tenant.
    assert.equal(await storage.vectors.save(tenantId, space, 1, [vectorOf(rival, 0.8)]), 0)
    await colophon.memory(tenantId).revise(memoryRef, one.entryId, { content: 'one again' })
    const [again] = (await pending(storage)).versions
    assert.ok(again)
    await storage.vectors.save(tenantId, space, 1, [vectorOf(again, -1)])
    assert.deepEqual(await nearest(storage), [0.5, -1])
    assert.deepEqual(await nearest(storage, { position: before }), [1, 0.5])
    assert.deepEqual(await nearest(storage, { limit: 1 }), [0.5])
    assert.deepEqual(await nearest(storage, { memoryRef: 'other' }), [0.9])
    assert.deepEqual(await nearest(storage, { tenantId: 'rival' }), [0.8])
  })

  test('passes over versions that do not match, are expired, or that the reader may not see', async (world) => {
    const { storage, colophon, clock } = world
    const memory = colophon.memory(tenantId)
    const put = async (content: string, more: object) => void (await memory.put(memoryRef, { content, ...more }))
    await put('for ada', { readers: ['ada'], tags: ['rare'] })
    await put('untrusted', { trust: 'untrusted', tags: ['rare'] })
    await put('short', { expiresAt: new Date(clock.now + 1_000).toISOString(), tags: ['rare'] })
    await put('common', {})
    await put('rare', { tags: ['rare'] })
    const { versions } = await pending(storage)
    // The nearer, the earlier it was written.
    const made = versions.map((version, at) => vectorOf(version, 0.9 - at / 10))
    await storage.vectors.save(tenantId, space, 1, made)
    const { now } = clock
    assert.deepEqual(await nearest(storage, { now }), [0.9, 0.8, 0.7, 0.6, 0.5])
    const where = { kind: 'text', field: 'tag', in: ['rare'] } as const
    const bob = { trustMin: 'untrusted', reader: 'bob' } as const
    for (const limit of [1, 2, 100]) {
      const found = async (asking: object) => nearest(storage, { now, limit, ...asking })
      const first = (...all: number[]) => all.slice(0, limit)
      assert.deepEqual(await found({ where }), first(0.9, 0.8, 0.7, 0.5))
      assert.deepEqual(await found({ access: bob }), first(0.8, 0.7, 0.6, 0.5))
      assert.deepEqual(await found({ access: { ...bob, reader: 'ada', trustMin: 'agent' } }), first(0.9, 0.7, 0.6, 0.5))
      assert.deepEqual(await found({ now: now + 1_000, where, access: bob }), first(0.8, 0.5))
    }
  })

  test('compares given versions with a vector', async (world) => {
    const { storage } = world
    const [one, two, three] = await putAll(world, ['one', 'two', 'three'])
    assert.ok(one && two && three)
    await storage.vectors.save(tenantId, space, 1, [vectorOf(one, 1), vectorOf(two, 0.5)])
    const query = { tenantId, memoryRef, space, vector: asked }
    const similarities = async (more: object = {}) =>
      storage.vectors.similarities({ ...query, places: [three, two, one], ...more })
    assert.deepEqual(await similarities(), [null, 0.5, 1])
    assert.deepEqual(await similarities({ places: [] }), [])
    assert.deepEqual(await similarities({ space: { ...space, model: 'large' } }), [null, null, null])
    assert.deepEqual(await similarities({ tenantId: 'rival' }), [null, null, null])
  })

  test('returns the stored vector of an equal text', async (world) => {
    const { storage } = world
    const [one] = await putAll(world, ['one'])
    assert.ok(one)
    await storage.vectors.save(tenantId, space, 5, [vectorOf(one, 0.5)])
    const contentHashes = [shortSha256('one'), shortSha256('two')]
    const known = async (parts: object = {}) =>
      [...(await storage.vectors.known({ tenantId, space, madeSince: 0, contentHashes, ...parts }))].map(
        ([text, vector]) => [text, vector[0]],
      )
    assert.deepEqual(await known(), [[shortSha256('one'), 0.5]])
    assert.deepEqual(await known({ madeSince: 6 }), [])
    assert.deepEqual(await known({ space: { ...space, model: 'large' } }), [])
    assert.deepEqual(await known({ tenantId: 'rival' }), [])
  })

  test('has no vector of what was erased', async (world) => {
    const { storage } = world
    const [one, two] = await putAll(world, ['one', 'two'])
    assert.ok(one && two)
    await storage.vectors.save(tenantId, space, 1, [vectorOf(one, 1), vectorOf(two, 0.5)])
    const erasures = [{ memoryRef, entryId: one.entryId, version: 1 }]
    await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures }))
    assert.deepEqual(await nearest(storage), [0.5])
    assert.deepEqual(await storage.vectors.counts(tenantId), [{ ...space, vectors: 1 }])
    const { vectors, searchRows } = await storage.forget.leftovers(tenantId, [])
    assert.deepEqual({ vectors, searchRows }, { vectors: 0, searchRows: 0 })
    // A job that read it before the erasure saves nothing.
    assert.equal(await storage.vectors.save(tenantId, space, 1, [vectorOf(one, 1), vectorOf(two, 0.25)]), 1)
    assert.deepEqual(await nearest(storage), [0.25])
  })

  test('deletes the vector of a rewritten text, and lists the version again', async (world) => {
    const { storage } = world
    const [one, two] = await putAll(world, ['the password is heron', 'two'])
    assert.ok(one && two)
    await storage.vectors.begin(tenantId, space)
    await storage.vectors.save(tenantId, space, 1, [vectorOf(one, 1), vectorOf(two, 0.5)])
    await storage.vectors.reach(tenantId, space, 0, two.recordedPosition)
    const { entryId, version, tags, salt } = one
    const rewrite = { memoryRef, entryId, version, content: 'the password is [REDACTED:b]', tags, readSalt: salt }
    await storage.commit(batchOf({ tenantId, kind: 'memory.redacted', rewrites: [{ ...rewrite, salt: `${salt}x` }] }))
    assert.deepEqual(await nearest(storage), [0.5])
    assert.equal(await storage.vectors.save(tenantId, space, 1, [vectorOf(one, 1)]), 0)
    const reached = await storage.vectors.begin(tenantId, space)
    assert.ok(reached < one.recordedPosition)
    assert.equal(await storage.vectors.reach(tenantId, space, two.recordedPosition, 9), false)
    assert.deepEqual(texts(await pending(storage, { after: { ...start, recordedPosition: reached } })), [
      'the password is [REDACTED:b]',
    ])
  })
}
